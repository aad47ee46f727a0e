"""Users of an account: several people share it, each with a password and a role of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from timbra.accounts.account_cache import AREA
from timbra.accounts.field_validation import normalize_user, validate_user
from timbra.accounts.login.password_policy import PasswordPolicy
from timbra.accounts.store.account_repository import AccountRepository
from timbra.accounts.store.models import AccountUser, NewAccountUser
from timbra.accounts.store.second_factor_repository import delete_factors
from timbra.accounts.store.token_repository import TokenRepository
from timbra.accounts.store.user_repository import AccountUserRepository
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.core.roles import checked_role
from timbra.database.database import Database
from timbra.database.transaction import Transaction
from timbra.events.audit.audit import Audit


@dataclass(frozen=True, slots=True)
class AccountUserChange:
    """New values of a user; None keeps the stored value."""

    role: str | None = None
    active: bool | None = None


class AccountUsers:
    """Users of the accounts of one database, besides the user of each account itself.

    Methods with a guid argument raise ServiceError("user-unknown") for a user that the account does not have.
    """

    def __init__(
        self, database: Database, policy: PasswordPolicy, hash_password: Callable[[str], str], wall: Clock, audit: Audit
    ) -> None:
        """Manage the users of a database.

        Args:
            policy: The requirements of new passwords.
            hash_password: Returns the argon2id hash of a password; takes about 30 ms.
            audit: Writes the audit log.
        """
        self._database = database
        self._policy = policy
        self._hash_password = hash_password
        self._wall = wall
        self._audit = audit
        self._rows = AccountUserRepository()
        self._accounts = AccountRepository()

    def create(self, account_id: int, user: str, password: str, role: str) -> AccountUser:
        """Create a user; takes about 30 ms.

        Args:
            user: The user name, which no account and no other user has.
            role: A key of `timbra.core.roles.ROLE_SCOPES`.

        Raises:
            ServiceError: "account-exists", "user-invalid", "password-invalid", "user-unknown" for an unknown account,
                "TB4005" for an unknown role.
        """
        user, name = validate_user(user), normalize_user(user)
        checked_role(role)
        self._policy.require(user, password)
        encoded = self._hash_password(password)
        with self._database.write() as transaction:
            changed = self._database.bump(transaction, AREA)
            if self._accounts.find_by_id(transaction, account_id) is None:
                raise ServiceError("user-unknown")
            if self._rows.is_name_taken(transaction, name):
                raise ServiceError("account-exists", f"El usuario {user} ya existe.")
            new = NewAccountUser(account_id, user, name, encoded, role, self._wall.now())
            self._rows.insert(transaction, changed, new)
            self._audit.record(transaction, "user.created", account_id, user, after={"role": role})
            created = self._rows.find_by_name(transaction, name)
        if created is None:
            raise ServiceError("user-unknown")
        return created

    def list_users(self, account_id: int) -> Sequence[AccountUser]:
        """Return the users of an account, oldest first."""
        with self._database.read() as transaction:
            return self._rows.list_for(transaction, account_id)

    def get(self, account_id: int, guid: str) -> AccountUser:
        with self._database.read() as transaction:
            return self._get(transaction, account_id, guid)

    def find(self, account_id: int, user: str) -> AccountUser:
        """Return the user of an account with this name, in any letter case; ServiceError("user-unknown")."""
        with self._database.read() as transaction:
            found = self._rows.find_by_name(transaction, normalize_user(user))
        if found is None or found.account_id != account_id:
            raise ServiceError("user-unknown")
        return found

    def update(self, account_id: int, guid: str, change: AccountUserChange) -> AccountUser:
        """Change role or state of a user; its tokens and sessions have them at once."""
        role = None if change.role is None else checked_role(change.role)
        with self._database.write() as transaction:
            changed = self._database.bump(transaction, AREA)
            user = self._get(transaction, account_id, guid)
            active = user.active if change.active is None else change.active
            before, after = {"role": user.role, "active": user.active}, {"role": role or user.role, "active": active}
            if before != after:
                self._rows.set_role(transaction, user.user_id, changed, role or user.role, active)
                self._audit.record(transaction, "user.changed", account_id, user.user, before=before, after=after)
            return self._get(transaction, account_id, guid)

    def set_password(self, account_id: int, guid: str, password: str) -> None:
        """Store a new password and end the sessions of the old one; infinite tokens stay valid.

        Raises:
            ServiceError: "password-invalid".
        """
        user = self.get(account_id, guid)
        self._policy.require(user.user, password)
        encoded = self._hash_password(password)
        with self._database.write() as transaction:
            changed = self._database.bump(transaction, AREA)
            user = self._get(transaction, account_id, guid)
            self._rows.set_password(transaction, user.user_id, changed, encoded, self._wall.now())
            self._audit.record(transaction, "user.password", account_id, user.user)

    def remove(self, account_id: int, guid: str) -> None:
        """Remove a user permanently: its tokens and sessions end, and its name is free."""
        with self._database.write() as transaction:
            changed = self._database.bump(transaction, AREA)
            user = self._get(transaction, account_id, guid)
            now = self._wall.now()
            self._rows.mark_removed(transaction, user.user_id, changed, now)
            TokenRepository().revoke_all(transaction, changed, account_id, now, user.user_id)
            delete_factors(transaction, account_id, user.user_id)
            self._audit.record(transaction, "user.removed", account_id, user.user, before={"role": user.role})

    def _get(self, transaction: Transaction, account_id: int, guid: str) -> AccountUser:
        user = self._rows.find_by_guid(transaction, account_id, guid) if guid.isprintable() else None
        if user is None:
            raise ServiceError("user-unknown")
        return user
