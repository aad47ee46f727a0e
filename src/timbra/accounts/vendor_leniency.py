"""What the vendor of the contract stamps although a rule rejects it, as an account chooses it."""

from __future__ import annotations

from typing import Final

from timbra.accounts.article_69b import SERVER_DEFAULT
from timbra.core.errors import ServiceError
from timbra.core.leniencies import ALL, LENIENCIES, named_leniencies, unknown_leniencies

NONE: Final = "none"
"""The name of the choice of no difference, whatever the server has."""


def stored_leniency(choice: str) -> str | None:
    """Return the value that the account stores for a choice; None for that of the server.

    Args:
        choice: Comma separated names of differences, `all`, `none` or `default`.

    Raises:
        ServiceError: "TB4005" for another choice.
    """
    text = choice.strip()
    if text in (SERVER_DEFAULT, NONE, ALL):
        return None if text == SERVER_DEFAULT else text
    names = named_leniencies(text)
    if not names or unknown_leniencies(text) or ALL in text.split(","):
        known = ", ".join(LENIENCIES)
        raise ServiceError(
            "TB4005", f"Lo que el proveedor timbra es {SERVER_DEFAULT}, {NONE}, {ALL} o nombres: {known}."
        )
    return ",".join(names)
