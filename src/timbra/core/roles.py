"""Roles of the users of an account, and the scopes that each role has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from timbra.core.errors import ServiceError
from timbra.core.scopes import CANCEL, READ, STAMP, Scopes

OWNER: Final = "owner"
OPERATOR: Final = "operator"
READER: Final = "reader"
AUDITOR: Final = "auditor"
ROLE_SCOPES: Final[Mapping[str, Scopes | None]] = {
    OWNER: None,
    OPERATOR: frozenset({STAMP, CANCEL, READ}),
    READER: frozenset({READ}),
    AUDITOR: frozenset({READ}),
}
"""None for all scopes. An auditor reads the audit log of the account too, as an owner does."""
AUDITING_ROLES: Final = frozenset({OWNER, AUDITOR})


def checked_role(role: str) -> str:
    """Return the role. Raises ServiceError: "TB4005" for an unknown role."""
    if role not in ROLE_SCOPES:
        raise ServiceError("TB4005", f"El rol debe ser uno de estos: {', '.join(ROLE_SCOPES)}.")
    return role


def common_scopes(first: Scopes | None, second: Scopes | None) -> Scopes | None:
    """Return the scopes that both have; None for all."""
    if first is None or second is None:
        return second if first is None else first
    return first & second
