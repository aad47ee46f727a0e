"""Who asks: the account behind a checked token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

ADMINISTRATOR: Final = "administrator"
ACCOUNT: Final = "account"
ROLES: Final = (ADMINISTRATOR, ACCOUNT)


@dataclass(frozen=True, slots=True)
class Caller:
    """The account behind a checked token. user: as it was created. role: `administrator` or `account`.

    limited: each of its stamps takes one from its balance.
    """

    account_id: int
    user: str
    role: str
    limited: bool = False

    @property
    def is_administrator(self) -> bool:
        """Whether the sandbox's own controls obey this caller."""
        return self.role == ADMINISTRATOR
