"""The caller of a request: the account of an authenticated token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

ADMINISTRATOR: Final = "administrator"
ACCOUNT: Final = "account"
ROLES: Final = (ADMINISTRATOR, ACCOUNT)


@dataclass(frozen=True, slots=True)
class Caller:
    """The account of an authenticated token.

    Attributes:
        user: The user name as it was created.
        role: `administrator` or `account`.
        limited: Whether each stamp is taken from the balance of the account.
        scopes: The scopes of the token; None for all.
    """

    account_id: int
    user: str
    role: str
    limited: bool = False
    scopes: frozenset[str] | None = None

    def may(self, scope: str) -> bool:
        """Whether the token of the caller has this scope, see `timbra.accounts.tokens.scopes`."""
        return self.scopes is None or scope in self.scopes

    @property
    def is_administrator(self) -> bool:
        """Whether this caller may manage accounts and the controls of the sandbox."""
        return self.role == ADMINISTRATOR
