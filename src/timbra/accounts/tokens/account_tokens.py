"""Tokens of accounts: sessions and their end, infinite tokens, and the secrets that sign both."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from timbra.accounts.account_cache import AREA, SECRET_AREA, AccountCache
from timbra.accounts.field_validation import normalize_user
from timbra.accounts.store.account_repository import AccountRepository
from timbra.accounts.store.models import Account, AccountUser, EndedSession, InfiniteToken
from timbra.accounts.store.token_repository import TokenRepository
from timbra.accounts.store.user_repository import AccountUserRepository
from timbra.accounts.tokens.secrets import replace_token_secret, token_secrets
from timbra.accounts.tokens.tokens import TokenClaims, Tokens
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.core.scopes import Scopes, scopes_text
from timbra.database.database import Database
from timbra.database.transaction import Transaction
from timbra.events.audit.audit import Audit
from timbra.seals.encryption.envelope import EnvelopeEncryption

SESSION_SECONDS = 7200


@dataclass(frozen=True, slots=True)
class SessionToken:
    """A token that is valid for two hours.

    Attributes:
        token: The text of the token.
        expires_at: Unix seconds; the API returns them as `expires_in`.
    """

    token: str = field(repr=False)
    expires_at: int


@dataclass(frozen=True, slots=True)
class UserLogin:
    """Who logs in with a user name.

    Attributes:
        user: None for the user of the account itself.
    """

    account: Account
    user: AccountUser | None

    @property
    def user_id(self) -> int | None:
        """The number of the user; None for the user of the account itself."""
        return None if self.user is None else self.user.user_id

    @property
    def generation(self) -> int:
        """The number of password changes."""
        return self.account.generation if self.user is None else self.user.generation


class AccountTokens:
    """Creates, lists and ends tokens of the accounts of one database and environment."""

    def __init__(
        self, database: Database, envelope: EnvelopeEncryption, environment: str, wall: Clock, audit: Audit
    ) -> None:
        self._database = database
        self._envelope = envelope
        self._environment = environment
        self._wall = wall
        self._audit = audit
        self._accounts = AccountRepository()
        self._user_rows = AccountUserRepository()
        self._token_rows = TokenRepository()
        self._cache = AccountCache(database, self._read_secrets)
        self._tokens = Tokens(*token_secrets(database, envelope))

    def session_token(self, user: str, *, second_factor: bool = False) -> SessionToken:
        """Return a session token of an account or of a user of one without a password.

        Args:
            second_factor: Whether the user gave a second factor.
        """
        with self._database.read() as transaction:
            login = self._find_active_login(transaction, user)
        return self._session(login.account.account_id, login.generation, login.user_id, second_factor=second_factor)

    def open_session(self, account: Account) -> SessionToken:
        """Return a session token of an account whose user was authenticated by other means than a password."""
        return self._session(account.account_id, account.generation)

    def end_session(self, token: str) -> bool:
        """End the session of a token, in all processes; no effect for a token that is not of a session.

        Returns:
            Whether the token is of a session.

        Raises:
            ServiceError: Those of `Tokens.read`.
        """
        claims = self._tokens.read(token)
        if claims.expires_at is None or claims.is_stored or claims.environment != self._environment:
            return False
        expires_at = datetime.fromtimestamp(claims.expires_at, UTC)
        with self._database.write() as transaction:
            self._token_rows.delete_expired_sessions(transaction, self._wall.now())
            changed = self._database.bump(transaction, AREA)
            ended = EndedSession(claims.token_id, claims.account_id, expires_at)
            if self._token_rows.end_session(transaction, self._database, changed, ended):
                self._audit.record(transaction, "session.ended", claims.account_id, claims.token_id)
        return True

    def create_infinite_token(
        self, user: str, label: str = "", scopes: Scopes | None = None, lifetime: timedelta | None = None
    ) -> str:
        """Return a new token that is valid until it is revoked, also after password changes.

        Args:
            user: The user name.
            label: A text that identifies the token in lists.
            scopes: Names of `timbra.core.scopes`; None for all.
            lifetime: Time after which it expires; None for no expiry.
        """
        with self._database.write() as transaction:
            login = self._find_active_login(transaction, user)
            return self.create_infinite_token_within(
                transaction, login.account.account_id, login.generation, label, scopes, lifetime, login.user_id
            )

    def create_infinite_token_within(
        self,
        transaction: Transaction,
        account_id: int,
        generation: int,
        label: str,
        scopes: Scopes | None = None,
        lifetime: timedelta | None = None,
        user_id: int | None = None,
    ) -> str:
        """Return a new infinite token, which is valid after the commit of the caller's write transaction.

        Args:
            transaction: A write transaction.
            generation: The number of its password changes.
            label: A text that identifies the token in lists.
            scopes: As for `create_infinite_token`.
            lifetime: As for `create_infinite_token`.
            user_id: The user of the account; None for the user of the account itself.
        """
        now = self._wall.now().replace(microsecond=0)
        until = None if lifetime is None else now + lifetime
        claims = TokenClaims(
            account_id,
            self._environment,
            generation,
            uuid4().hex,
            int(now.timestamp()),
            None if until is None else int(until.timestamp()),
            is_stored=until is not None,
            scopes=scopes,
            user_id=user_id,
        )
        changed = self._database.bump(transaction, AREA)
        row = InfiniteToken(claims.token_id, account_id, label, self._wall.now(), scopes_text(scopes), until, user_id)
        self._token_rows.insert(transaction, changed, row)
        facts = {"label": label, "scopes": row.scopes or "all", "expires_at": until and until.isoformat()}
        self._audit.record(transaction, "token.created", account_id, claims.token_id, after=facts)
        return self._tokens.write(claims)

    def add_token_alias(self, alias: str, token: str) -> None:
        """Accept another text for a token, in this process only and until it ends; see `Tokens.add_alias`."""
        self._tokens.add_alias(alias, token)

    def list_infinite_tokens(self, user: str | None = None) -> list[InfiniteToken]:
        """Return the tokens that are neither revoked nor expired, oldest first.

        Args:
            user: An account, for its tokens and those of its users; a user of an account, for its own; None for all.
        """
        now = self._wall.now()
        with self._database.read() as transaction:
            if user is None:
                tokens = self._token_rows.list_live(transaction)
            else:
                login = self._find_login(transaction, user)
                tokens = self._token_rows.list_live(transaction, login.account.account_id, login.user_id)
        return [token for token in tokens if token.expires_at is None or now < token.expires_at]

    def revoke(self, token: str) -> None:
        """Revoke an infinite token, given its text or its identifier.

        Raises:
            ServiceError: "token-unknown" when no live token matches.
        """
        token_id = self._tokens.read(token).token_id if "." in token else token
        if not token_id.isalnum():
            raise _no_token()
        with self._database.write() as transaction:
            changed = self._database.bump(transaction, AREA)
            account_id = self._token_rows.revoke(transaction, changed, token_id, self._wall.now())
            if account_id is None:
                raise _no_token()
            self._audit.record(transaction, "token.revoked", account_id, token_id)

    def rotate_token_secret(self, overlap: timedelta) -> datetime:
        """Sign tokens with a new secret from now on.

        Other processes use it within a second; until then they reject tokens that it signed.

        Args:
            overlap: Time for which tokens of the present secret stay valid.

        Returns:
            The end of that time.
        """
        until = self._wall.now() + overlap
        with self._database.write() as transaction:
            self._database.bump(transaction, SECRET_AREA)
            self._database.bump(transaction, AREA)
            replace_token_secret(self._database, transaction, self._envelope, until, self._wall.now())
            self._audit.record(transaction, "token-secret.rotated", None, until.isoformat())
        self._read_secrets()
        return until

    def find_active(self, user: str) -> Account:
        """Return the open account of a user, in any letter case."""
        with self._database.read() as transaction:
            return self._find_active(transaction, user)

    def _read_secrets(self) -> None:
        """Read the secrets of the tokens again: they were rotated, or a restored state has others."""
        self._tokens.replace_secrets(*token_secrets(self._database, self._envelope))

    def _session(
        self, account_id: int, generation: int, user_id: int | None = None, *, second_factor: bool = False
    ) -> SessionToken:
        now = int(self._wall.now().timestamp())
        expires_at = now + SESSION_SECONDS
        claims = TokenClaims(
            account_id,
            self._environment,
            generation,
            uuid4().hex,
            now,
            expires_at,
            user_id=user_id,
            second_factor=second_factor,
        )
        return SessionToken(self._tokens.write(claims), expires_at)

    def _find_login(self, transaction: Transaction, name: str) -> UserLogin:
        """Return the account or the user of an account with this user name."""
        user = self._user_rows.find_by_name(transaction, normalize_user(name))
        account = self._find(transaction, name) if user is None else self._account_of(transaction, user)
        return UserLogin(account, user)

    def _find_active_login(self, transaction: Transaction, name: str) -> UserLogin:
        login = self._find_login(transaction, name)
        if not login.account.active or (login.user is not None and not login.user.active):
            raise ServiceError("account-disabled", f"La cuenta {name} está desactivada.")
        return login

    def _account_of(self, transaction: Transaction, user: AccountUser) -> Account:
        account = self._accounts.find_by_id(transaction, user.account_id)
        if account is None:
            raise ServiceError("account-unknown", "No existe una cuenta con ese usuario.")
        return account

    def _find(self, transaction: Transaction, user: str) -> Account:
        account = self._accounts.find_by_name(transaction, normalize_user(user))
        if account is None:
            raise ServiceError("account-unknown", "No existe una cuenta con ese usuario.")
        return account

    def _find_active(self, transaction: Transaction, user: str) -> Account:
        account = self._find(transaction, user)
        if not account.active:
            raise ServiceError("account-disabled", f"La cuenta {account.user} está desactivada.")
        return account


def _no_token() -> ServiceError:
    return ServiceError("token-unknown", "No hay un token infinito vigente con ese identificador.")
