"""The caller of a request: the account and the user of an authenticated token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from timbra.core.roles import AUDITING_ROLES, OWNER, ROLE_SCOPES

ADMINISTRATOR: Final = "administrator"
ACCOUNT: Final = "account"
ROLES: Final = (ADMINISTRATOR, ACCOUNT)


def named_roles(text: str) -> frozenset[str]:
    """Return comma-separated names of `Caller.role_names`. Raises ValueError for an unknown one."""
    names = frozenset(name for name in (part.strip() for part in text.split(",")) if name)
    if unknown := names - {ADMINISTRATOR, *ROLE_SCOPES}:
        raise ValueError(f"{', '.join(sorted(unknown))}: the roles are {', '.join((ADMINISTRATOR, *ROLE_SCOPES))}")
    return names


@dataclass(frozen=True, slots=True)
class Caller:
    """The account and the user of an authenticated token.

    Attributes:
        user: The user name as it was created.
        role: `administrator` or `account`; `account` for a user of an administrator's account who is not its owner.
        limited: Whether each stamp is taken from the balance of the account.
        scopes: The scopes of the token that the role of the user has too; None for all.
        user_id: The `AccountUser`; None for the user of the account itself.
        user_role: The role within the account, see `timbra.core.roles`.
        is_restricted: Whether the token has scopes of its own.
        audits_all: Whether the user is an auditor of an administrator's account.
        article_69b: The policy of the account, see `timbra.accounts.article_69b`; None for that of the server.
        vendor_leniency: The choice of the account, see `timbra.accounts.vendor_leniency`; None for that of the server.
        has_second_factor: Whether the user has a second factor, which the portal asks for after the password.
        passed_second_factor: Whether the token is of a session whose user gave it.
    """

    account_id: int
    user: str
    role: str
    limited: bool = False
    scopes: frozenset[str] | None = None
    user_id: int | None = None
    user_role: str = OWNER
    is_restricted: bool = False
    audits_all: bool = False
    article_69b: str | None = None
    vendor_leniency: str | None = None
    has_second_factor: bool = False
    passed_second_factor: bool = False

    def may(self, scope: str) -> bool:
        """Whether the token of the caller has this scope, see `timbra.core.scopes`."""
        return self.scopes is None or scope in self.scopes

    @property
    def is_auditor(self) -> bool:
        """Whether this caller may read the audit log: of its account, or of all accounts (`audits_every_account`)."""
        return self.user_role in AUDITING_ROLES and not self.is_restricted

    @property
    def audits_every_account(self) -> bool:
        """Whether the audit log of this caller is that of all accounts."""
        return self.is_administrator or self.audits_all

    @property
    def role_names(self) -> frozenset[str]:
        """The role within the account, and `administrator` for one of the server."""
        return frozenset({self.user_role, ADMINISTRATOR} if self.is_administrator else {self.user_role})

    @property
    def is_administrator(self) -> bool:
        """Whether this caller may manage accounts and the controls of the sandbox."""
        return self.role == ADMINISTRATOR
