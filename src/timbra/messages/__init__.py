"""Every sentence that a caller may read, keyed by code.

Texts that clients compare literally stand in `literal`; the others are our own wording.
"""

from __future__ import annotations

from timbra.messages.literal import LITERAL
from timbra.messages.rules import RULES
from timbra.messages.service import SERVICE

MESSAGES: dict[str, str] = {**SERVICE, **RULES}


def sentence(code: str) -> str:
    """The bare sentence of a code, without the code. KeyError for an unknown code: a bug, found by tests."""
    return MESSAGES[code]


def full_message(code: str) -> str:
    """The `message` of an envelope: the literal text where clients compare it, `CODE - sentence` otherwise."""
    return LITERAL.get(code) or f"{code} - {MESSAGES[code]}"
