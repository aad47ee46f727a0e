"""Accounts: who may use the service, and with which tokens."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from uuid import uuid4

from sqlalchemy import Connection, select, update
from sqlalchemy.exc import IntegrityError

from timbra.accounts.audit import Audit
from timbra.accounts.caller import ACCOUNT as ACCOUNT_ROLE
from timbra.accounts.caller import ROLES, Caller
from timbra.accounts.checks import TokenChecks
from timbra.accounts.login import Attempt, Login
from timbra.accounts.passwords import Passwords
from timbra.accounts.records import (
    LONGEST_USER,
    Account,
    Holder,
    NewAccount,
    account_of,
    accounts_query,
    checked_user,
    folded,
    found,
    found_active,
    insert_account,
)
from timbra.accounts.secrets import shared_secret
from timbra.accounts.states import AccountStates, count_change
from timbra.accounts.tokens import Claims, Tokens
from timbra.clock import Clock
from timbra.errors import ServiceError
from timbra.seals.envelope import Envelope
from timbra.store.database import Database
from timbra.store.tables.accounts import ACCOUNT, HOLDER, INFINITE_TOKEN

SESSION_SECONDS = 7200


@dataclass(frozen=True, slots=True)
class SessionToken:
    """A token of two hours. expires_at: Unix seconds, as `expires_in` shows it."""

    token: str = field(repr=False)
    expires_at: int


@dataclass(frozen=True, slots=True)
class InfiniteToken:
    """An infinite token as lists show it; the token itself is shown once, when it is made."""

    token_id: str
    account_id: int
    label: str
    created_at: datetime


class Accounts:
    """Accounts of one database and environment; one per process. `caller` and `authenticate` are the hot paths.

    Changes reach the other processes with `Database.poll`. Methods that take a user raise
    ServiceError("account-unknown") when there is none, and "account-disabled" when it is to get a token.
    """

    def __init__(
        self,
        database: Database,
        envelope: Envelope,
        environment: str,
        wall: Clock,
        fiscal: Clock,
        pause: Callable[[float], Awaitable[None]] | None = None,
    ) -> None:
        """pause: how a slowed login waits; `asyncio.sleep` unless a test looks on."""
        self._database = database
        self._environment = environment
        self._wall = wall
        self._audit = Audit(wall, fiscal)
        self._passwords = Passwords()
        self._login = Login(wall, self._passwords, *([pause] if pause else []))
        self._states = AccountStates(database)
        self._tokens = Tokens(shared_secret(database, envelope))
        self._checks = TokenChecks(self._tokens, self._states, environment, wall)

    def caller(self, authorization: str | None) -> Caller:
        """Who sends this Authorization header; its errors are those of `TokenChecks.caller`, all of them 401."""
        return self._checks.caller(authorization)

    def caller_of(self, user: str) -> Caller:
        """A user as a caller, without a token, for whoever owns the data folder. ServiceError("AU2002") if closed."""
        account = self.find(user)
        if not account.active:
            raise ServiceError("AU2002")
        return Caller(account.account_id, account.user, account.role, limited=not account.unlimited)

    async def authenticate(self, user: str, password: str) -> SessionToken:
        """A session token for the right password; errors of `Login.judge`, and "AU2002" for one of a closed account."""
        self._states.refresh()
        name = folded(user[: LONGEST_USER + 1])
        state = self._states.named(name)
        if state is None:
            await self._login.judge(Attempt(name, f"name:{name}", 0, None, password))
            raise ServiceError("AU2000")
        account = state.caller.account_id
        await self._login.judge(Attempt(name, f"id:{account}", state.generation, state.encoded, password))
        if not state.active:
            raise ServiceError("AU2002")
        return self._session(account, state.generation)

    def session_token(self, user: str) -> SessionToken:
        """A session token without a password, for whoever owns the data folder."""
        with self._database.read() as connection:
            account = found_active(connection, user)
        return self._session(account.account_id, account.generation)

    def create(
        self,
        user: str,
        password: str,
        role: str = ACCOUNT_ROLE,
        holder: Holder | None = None,
        *,
        unlimited: bool | None = None,
        dealer_id: int | None = None,
        furnish: Callable[[Connection, int], None] | None = None,
    ) -> Account:
        """A new account. ServiceError: "account-exists", "user-invalid", "password-invalid"; takes about 30 ms.

        unlimited: whether it stamps without a balance; by itself it does in the sandbox, and nowhere else.
        furnish: what more to write for its number, in the same transaction.
        """
        shown = checked_user(user)
        if role not in ROLES:
            raise ValueError(f"no such role: {role}")
        free = self._environment == "sandbox" if unlimited is None else unlimited
        encoded, now = self._passwords.hash(password), self._wall.now()
        new = NewAccount(shown, encoded, role, free, now, holder or Holder(), dealer_id)
        try:
            with self._database.write() as connection:
                number = insert_account(connection, count_change(self._database, connection), new)
                self._audit.record(connection, "account.created", number, shown)
                if furnish is not None:
                    furnish(connection, number)
                return found(connection, shown)
        except IntegrityError:
            # The driver's error shows the row, password hash included.
            raise ServiceError("account-exists", f"El usuario {shown} ya existe.") from None

    def set_password(self, user: str, password: str) -> None:
        """Ends the session tokens of the old password; infinite tokens go on. ServiceError("password-invalid")."""
        values: dict[str, object] = {"password": self._passwords.hash(password), "generation": ACCOUNT.c.generation + 1}
        with self._database.write() as connection:
            number = self._change(connection, user, "account.password", values)
            told = update(HOLDER).where(HOLDER.c.account_id == number).values(password_at=self._wall.now())
            connection.execute(told)

    def set_active(self, user: str, active: bool) -> None:
        """Opens or closes the account: a closed one can neither log in nor use any of its tokens."""
        with self._database.write() as connection:
            self._change(connection, user, "account.enabled" if active else "account.disabled", {"active": active})

    def list_accounts(self) -> list[Account]:
        """All accounts, oldest first."""
        with self._database.read() as connection:
            return [account_of(row) for row in connection.execute(accounts_query().order_by(ACCOUNT.c.id))]

    def find(self, user: str) -> Account:
        """The account of a user, whatever the case of the letters."""
        with self._database.read() as connection:
            return found(connection, user)

    def create_infinite_token(self, user: str, label: str = "") -> str:
        """A token that is good until revoked, password changes included; it is not shown again."""
        with self._database.write() as connection:
            account = found_active(connection, user)
            return self.infinite_token(connection, account.account_id, account.generation, label)

    def infinite_token(self, connection: Connection, account_id: int, generation: int, label: str) -> str:
        """An infinite token that is good once the caller's write transaction is committed."""
        now = self._wall.now()
        claims = Claims(account_id, self._environment, generation, uuid4().hex, int(now.timestamp()))
        changed = count_change(self._database, connection)
        connection.execute(
            INFINITE_TOKEN.insert().values(
                id=claims.token_id, account_id=account_id, label=label, created_at=now, changed=changed
            )
        )
        self._audit.record(connection, "token.created", account_id, claims.token_id)
        return self._tokens.write(claims)

    def list_infinite_tokens(self, user: str | None = None) -> list[InfiniteToken]:
        """The live infinite tokens, of one user or of all, oldest first."""
        live = select(INFINITE_TOKEN).where(INFINITE_TOKEN.c.revoked_at.is_(None))
        with self._database.read() as connection:
            if user is not None:
                live = live.where(INFINITE_TOKEN.c.account_id == found(connection, user).account_id)
            rows = connection.execute(live.order_by(INFINITE_TOKEN.c.created_at, INFINITE_TOKEN.c.id)).all()
        return [InfiniteToken(row.id, row.account_id, row.label, row.created_at) for row in rows]

    def revoke(self, token: str) -> None:
        """Ends an infinite token, given itself or its id. ServiceError("token-unknown") when none is live by it."""
        token_id = self._tokens.read(token).token_id if "." in token else token
        if not token_id.isalnum():
            raise _no_token()
        live = (INFINITE_TOKEN.c.id == token_id) & INFINITE_TOKEN.c.revoked_at.is_(None)
        with self._database.write() as connection:
            values = {"revoked_at": self._wall.now(), "changed": count_change(self._database, connection)}
            revoked = update(INFINITE_TOKEN).where(live).values(**values).returning(INFINITE_TOKEN.c.account_id)
            account = connection.execute(revoked).scalar_one_or_none()
            if account is None:
                raise _no_token()
            self._audit.record(connection, "token.revoked", account, token_id)

    def close(self) -> None:
        """Ends the threads that compute password hashes."""
        self._passwords.close()

    def _session(self, account_id: int, generation: int) -> SessionToken:
        now = int(self._wall.now().timestamp())
        expires_at = now + SESSION_SECONDS
        claims = Claims(account_id, self._environment, generation, uuid4().hex, now, expires_at)
        return SessionToken(self._tokens.write(claims), expires_at)

    def _change(self, connection: Connection, user: str, event: str, values: dict[str, object]) -> int:
        account = found(connection, user)
        changed = count_change(self._database, connection)
        where = ACCOUNT.c.id == account.account_id
        connection.execute(update(ACCOUNT).where(where).values(**values, changed=changed))
        self._audit.record(connection, event, account.account_id, account.user)
        return account.account_id


def _no_token() -> ServiceError:
    return ServiceError("token-unknown", "No hay un token infinito vigente con ese identificador.")
