"""Sentences that the service answers with, by code; those of rules are part of the rules' records.

`literal` has the texts that clients compare literally; all other texts are the project's own.
"""

from __future__ import annotations

from timbra.messages.service import SERVICE

__all__ = ["SERVICE", "sentence"]


def sentence(code: str) -> str:
    """Return the sentence of a code of the service, without the code.

    Raises:
        KeyError: the code is unknown; this is a programming error.
    """
    return SERVICE[code]
