"""Operations that a second person may have to confirm, by the group under which the settings name them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class ProtectedAction(StrEnum):
    """Operations that `TIMBRA_TWO_PERSON_ACTIONS` can protect."""

    ROTATE_MASTER_KEY = "vault.rotate"
    ROTATE_TOKEN_SECRET = "token.rotate-secret"  # noqa: S105
    INSTALL_PROVIDER = "provider.install"
    DISABLE_CERTIFICATE = "certificate.disable"
    FORCE_LISTS = "lists.force"
    FORCE_CATALOGS = "catalogs.force"
    PRUNE = "archive.prune"


GROUPS: Final[Mapping[str, frozenset[ProtectedAction]]] = {
    "keys": frozenset(
        {
            ProtectedAction.ROTATE_MASTER_KEY,
            ProtectedAction.ROTATE_TOKEN_SECRET,
            ProtectedAction.INSTALL_PROVIDER,
            ProtectedAction.DISABLE_CERTIFICATE,
        }
    ),
    "lists": frozenset({ProtectedAction.FORCE_LISTS, ProtectedAction.FORCE_CATALOGS}),
    "prune": frozenset({ProtectedAction.PRUNE}),
}


def named_actions(text: str) -> frozenset[ProtectedAction]:
    """Return the operations of comma-separated groups. Raises ValueError for an unknown one."""
    names = frozenset(name for name in (part.strip() for part in text.split(",")) if name)
    if unknown := names - GROUPS.keys():
        raise ValueError(f"{', '.join(sorted(unknown))}: the groups are {', '.join(GROUPS)}")
    return frozenset(action for name in names for action in GROUPS[name])
