"""The policies of an account for taxpayers in the definitive list of article 69-B of the CFF."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from timbra.core.errors import ServiceError


class Article69bPolicy(StrEnum):
    """What stamping does when the issuer or the receiver is listed."""

    IGNORE = "ignore"
    WARN = "warn"
    BLOCK = "block"


SERVER_DEFAULT: Final = "default"
"""The name of the choice that follows the policy of the server."""
CHOICES: Final = (SERVER_DEFAULT, *Article69bPolicy)


def stored_policy(choice: str) -> str | None:
    """Return the value that the account stores for a choice; None for the policy of the server.

    Raises:
        ServiceError: "TB4005" for another choice.
    """
    if choice not in CHOICES:
        raise ServiceError("TB4005", f"La política del artículo 69-B es una de: {', '.join(CHOICES)}.")
    return None if choice == SERVER_DEFAULT else choice
