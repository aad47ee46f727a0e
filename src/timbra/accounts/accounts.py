"""Accounts: authentication, creation, passwords and infinite tokens."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from timbra.accounts.account_cache import AREA, AccountState
from timbra.accounts.account_users import AccountUsers
from timbra.accounts.field_validation import MAX_USER_LENGTH, normalize_user, validate_user
from timbra.accounts.login.alerts import LoginAlerts
from timbra.accounts.login.limits import LoginLimiter, LoginLimits, LoginSubject
from timbra.accounts.login.login import Login, LoginAttempt
from timbra.accounts.login.password_policy import PasswordPolicy
from timbra.accounts.login.passwords import Passwords
from timbra.accounts.store.models import Account, AccountHolder, NewAccount
from timbra.accounts.tokens.account_tokens import AccountTokens, SessionToken, UserLogin
from timbra.accounts.tokens.token_auth import TokenAuthenticator
from timbra.core.caller import ACCOUNT as ACCOUNT_ROLE
from timbra.core.caller import ADMINISTRATOR, ROLES, Caller
from timbra.core.clock import Clock
from timbra.core.environments import ENVIRONMENTS
from timbra.core.errors import ServiceError
from timbra.core.metrics import MetricsRegistry
from timbra.database.database import Database
from timbra.database.transaction import Transaction
from timbra.events.audit.audit import Audit
from timbra.events.audit.counts import LOGIN_FAILED, LOGIN_SUCCEEDED, UseCounter
from timbra.pools import RunInThread
from timbra.seals.encryption.envelope import EnvelopeEncryption

P = ParamSpec("P")
T = TypeVar("T")


class Accounts(AccountTokens):
    """Accounts of one database and environment; one per process. `caller` and `authenticate` are the hot paths.

    Other processes read changes as `Database.bump` describes. Methods with a user argument raise
    ServiceError("account-unknown") for an unknown user; those that return a token raise "account-disabled" for a closed
    account.

    Attributes:
        policy: The requirements of new passwords.
        users: The users of accounts besides the user of each account itself.
        limiter: The limits of failed logins, which second factors share.
    """

    def __init__(
        self,
        database: Database,
        envelope: EnvelopeEncryption,
        environment: str,
        wall: Clock,
        fiscal: Clock,
        metrics: MetricsRegistry | None = None,
        limits: LoginLimits | None = None,
        *,
        mail_enabled: bool = False,
        uses: UseCounter | None = None,
    ) -> None:
        """Open the accounts of a database.

        Args:
            envelope: Encrypts the secret of the tokens.
            environment: a name of `timbra.core.environments`.
            fiscal: Fiscal time, for the audit log.
            metrics: The metrics of the password threads.
            limits: Limits of failed logins; the defaults when None.
            mail_enabled: Whether a mail server is configured, for notices about failed logins.
            uses: Counts logins and uses of tokens for the audit log; a counter of its own when None.
        """
        super().__init__(database, envelope, environment, wall, Audit(wall, fiscal))
        self.policy = PasswordPolicy(enforced=ENVIRONMENTS[environment].requires_strong_passwords)
        self._passwords = Passwords(metrics)
        alerts = LoginAlerts(database, self._audit, mail_enabled=mail_enabled)
        self.users = AccountUsers(database, self.policy, self._passwords.hash, wall, self._audit)
        self.limiter = LoginLimiter(database, limits or LoginLimits(), wall, alerts.record)
        self._login = Login(wall, self._passwords, self.limiter)
        self._uses = uses or UseCounter(database, wall, fiscal)
        self._authenticator = TokenAuthenticator(self._tokens, self._cache, environment, wall, self._uses)

    def caller(self, authorization: str | None) -> Caller:
        """Return the caller of an Authorization header; raises what `TokenAuthenticator.caller` raises (HTTP 401)."""
        return self._authenticator.caller(authorization)

    async def request_caller(self, authorization: str | None, run_in_thread: RunInThread) -> Caller:
        """As `caller`, on an event loop: in memory, and in a thread when accounts or the token have to be read."""
        known = self._authenticator.known_caller(authorization)
        return await run_in_thread(self._authenticator.caller, authorization) if known is None else known

    def caller_for(self, user: str) -> Caller:
        """Return a user as a caller, without a token, for the operator (CLI).

        Raises:
            ServiceError: "AU2002" for a closed account.
        """
        account = self.find(user)
        if not account.active:
            raise ServiceError("AU2002")
        return Caller(
            account.account_id,
            account.user,
            account.role,
            limited=not account.unlimited,
            article_69b=account.article_69b,
            vendor_leniency=account.vendor_leniency,
        )

    async def authenticate(self, user: str, password: str, origin: str = "") -> SessionToken:
        """Return a session token for the right password.

        Args:
            user: The user name, in any letter case.
            origin: The client's address as pools count it, see `timbra.pools.address_account`.

        Raises:
            ServiceError: Those of `Login.verify`, and "AU2002" for a closed account. The server looks up a user in the
                database before it rejects the login; then "CO1000" when the database is out of reach.
        """

        async def run_in_thread(work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
            return await self._passwords.read(origin, work, *args, **kwargs)

        if not self._cache.is_current:
            await run_in_thread(self._cache.refresh)
        name = normalize_user(user[: MAX_USER_LENGTH + 1])
        state = self._cache.find_by_name(name)
        try:
            try:
                session = await self._log_in(name, state, password, origin)
            except ServiceError as rejection:
                if rejection.code not in {"AU2000", "AU2002"}:
                    raise
                # Another node may have changed the account. Unknown users and wrong passwords take equally long.
                await run_in_thread(self._cache.look_up, f"user {name}")
                changed = self._cache.find_by_name(name)
                if changed == state:
                    raise
                state = changed
                session = await self._log_in(name, state, password, origin)
        except ServiceError as rejection:
            self._count_login(LOGIN_FAILED, state, rejection.code)
            raise
        self._count_login(LOGIN_SUCCEEDED, state)
        return session

    def _count_login(self, kind: str, state: AccountState | None, outcome: str = "") -> None:
        """Count a login; the name of an unknown user is not stored, because it may be a mistyped password."""
        account_id, user = (state.caller.account_id, state.caller.user) if state is not None else (None, "")
        self._uses.count(kind, account_id, user, user, outcome)

    async def _log_in(self, name: str, state: AccountState | None, password: str, origin: str) -> SessionToken:
        if state is None:
            unknown = LoginSubject(name, None, "", origin)
            await self._login.verify(LoginAttempt(unknown, f"name:{name}", 0, None, password))
            raise ServiceError("AU2000")
        account = state.caller.account_id
        subject = LoginSubject(name, account, state.caller.user, origin, state.caller.user_id)
        # The hash, because a restored state may repeat the generation of another password.
        key = f"id:{account} {state.encoded}"
        await self._login.verify(LoginAttempt(subject, key, state.generation, state.encoded, password))
        if not state.active:
            raise ServiceError("AU2002")
        return self._session(account, state.generation, state.caller.user_id)

    def create(
        self,
        user: str,
        password: str,
        role: str = ACCOUNT_ROLE,
        holder: AccountHolder | None = None,
        *,
        unlimited: bool | None = None,
        dealer_id: int | None = None,
        seed: Callable[[Transaction, int], None] | None = None,
    ) -> Account:
        """Create an account; takes about 30 ms.

        Args:
            user: The user name.
            role: `administrator` or `account`.
            holder: The profile; empty when None.
            unlimited: Whether the account stamps without a balance; when None, as `Environment.unlimited_accounts`.
            dealer_id: The account that creates this one over the API.
            seed: Writes further rows of the account, by its number, in the same transaction.

        Raises:
            ServiceError: "account-exists", "user-invalid", "password-invalid".
            ValueError: The role is unknown.
        """
        user = validate_user(user)
        if role not in ROLES:
            raise ValueError(f"no such role: {role}")
        unlimited = ENVIRONMENTS[self._environment].unlimited_accounts if unlimited is None else unlimited
        self.policy.require(user, password)
        encoded, now = self._passwords.hash(password), self._wall.now()
        new = NewAccount(
            user, normalize_user(user), encoded, role, unlimited, now, holder or AccountHolder(), dealer_id
        )
        with self._database.write() as transaction:
            changed = self._database.bump(transaction, AREA)
            if self._user_rows.find_by_name(transaction, new.name) is not None:
                raise ServiceError("account-exists", f"El usuario {user} ya existe.")
            number = self._accounts.insert(transaction, changed, new)
            facts = {"role": role, "unlimited": unlimited}
            self._audit.record(transaction, "account.created", number, user, after=facts)
            if seed is not None:
                seed(transaction, number)
            return self._find(transaction, user)

    def is_empty(self) -> bool:
        """Whether no account was ever created."""
        with self._database.read() as transaction:
            return not self._accounts.has_other_than(transaction, 0)

    def create_first(self, user: str, password: str, holder: AccountHolder | None = None) -> Account:
        """Create the first account, an administrator.

        Raises:
            ServiceError: As `create`; "TB4005" when there is an account already.
        """

        def require_no_other(transaction: Transaction, account_id: int) -> None:
            if self._accounts.has_other_than(transaction, account_id):
                raise ServiceError("TB4005", "Este servidor ya tiene una cuenta; entre con ella.")

        return self.create(user, password, ADMINISTRATOR, holder, seed=require_no_other)

    def set_password(self, user: str, password: str) -> None:
        """Store a new password of an account, or of a user of one.

        The session tokens of the old password end; infinite tokens stay valid.

        Raises:
            ServiceError: "password-invalid", also when the password is too weak for the environment.
        """
        self.policy.require(user, password)
        encoded = self._passwords.hash(password)
        with self._database.write() as transaction:
            login, now = self._find_login(transaction, user), self._wall.now()
            account = login.account
            changed = self._database.bump(transaction, AREA)
            if login.user is not None:
                self._user_rows.set_password(transaction, login.user.user_id, changed, encoded, now)
                self._audit.record(transaction, "user.password", account.account_id, login.user.user)
                return
            self._accounts.set_password(transaction, account.account_id, changed, encoded, now)
            self._audit.record(transaction, "account.password", account.account_id, account.user)

    def set_active(self, user: str, active: bool) -> None:
        """Open or close the account; a closed account can neither log in nor use its tokens."""
        with self._database.write() as transaction:
            account = self._find(transaction, user)
            changed = self._database.bump(transaction, AREA)
            self._accounts.set_active(transaction, account.account_id, changed, active)
            kind = "account.enabled" if active else "account.disabled"
            facts = {"before": {"active": account.active}, "after": {"active": active}}
            self._audit.record(transaction, kind, account.account_id, account.user, facts)

    def set_role(self, user: str, role: str) -> Account:
        """Store the role of the account; tokens and sessions have it at once.

        Args:
            user: The user name.
            role: `administrator` or `account`.

        Returns:
            The changed account.

        Raises:
            ServiceError: "last-administrator" when no other active account is an administrator.
            ValueError: The role is unknown.
        """
        if role not in ROLES:
            raise ValueError(f"no such role: {role}")
        with self._database.write() as transaction:
            # Concurrent changes of accounts wait here, so that two of them cannot demote the last two administrators.
            changed = self._database.bump(transaction, AREA)
            account = self._find(transaction, user)
            if role != ADMINISTRATOR:
                self._require_other_administrator(transaction, account)
            if role != account.role:
                self._accounts.set_role(transaction, account.account_id, changed, role)
                kind = "account.promoted" if role == ADMINISTRATOR else "account.demoted"
                before, after = {"role": account.role}, {"role": role}
                self._audit.record(transaction, kind, account.account_id, account.user, before=before, after=after)
            return self._find(transaction, user)

    def _require_other_administrator(self, transaction: Transaction, account: Account) -> None:
        if account.role != ADMINISTRATOR or not account.active:
            return
        others = (other for other in self._accounts.list_all(transaction) if other.account_id != account.account_id)
        if not any(other.role == ADMINISTRATOR and other.active for other in others):
            raise ServiceError("last-administrator", f"{account.user} es el único administrador activo.")

    def list_accounts(self) -> list[Account]:
        """Return all accounts, oldest first."""
        with self._database.read() as transaction:
            return self._accounts.list_all(transaction)

    def user_of(self, account_id: int, user_id: int | None) -> Caller:
        """Return a user as a caller without a session.

        Raises:
            ServiceError: "AU2000" for a deleted one, "AU2002" for a closed one.
        """
        self._cache.refresh()
        state = self._cache.account(account_id) if user_id is None else self._cache.user(user_id)
        if state is None or not state.active:
            raise ServiceError("AU2000" if state is None else "AU2002")
        return state.caller

    def find_login(self, user: str) -> UserLogin:
        """Return who logs in with a user name: an account, or a user of one."""
        with self._database.read() as transaction:
            return self._find_login(transaction, user)

    def find(self, user: str) -> Account:
        """Return the account of a user, in any letter case."""
        with self._database.read() as transaction:
            return self._find(transaction, user)

    def expire_logins(self) -> None:
        """Delete counts of failed logins that have no effect any more; for a periodic job."""
        self.limiter.delete_expired()

    def close(self) -> None:
        """Stop the threads that compute password hashes."""
        self._passwords.close()
