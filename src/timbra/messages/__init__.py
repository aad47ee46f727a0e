"""Every sentence that a caller may read, by code.

`literal` has the texts that clients compare literally; all other texts are the project's own.
"""

from __future__ import annotations

from timbra.messages.literal import LITERAL
from timbra.messages.rules import RULES
from timbra.messages.service import SERVICE

MESSAGES: dict[str, str] = {**SERVICE, **RULES}


def sentence(code: str) -> str:
    """Return the sentence of a code, without the code.

    Raises:
        KeyError: the code is unknown; this is a programming error.
    """
    return MESSAGES[code]


def full_message(code: str) -> str:
    """Return the `message` of a response: the literal text when clients compare it, `CODE - sentence` otherwise."""
    return LITERAL.get(code) or f"{code} - {MESSAGES[code]}"
