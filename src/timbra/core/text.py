"""Text that every database, log and response can hold: without NUL and lone surrogates."""

from __future__ import annotations

import re

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# PostgreSQL rejects NUL in text; a lone surrogate cannot be encoded in UTF-8.
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_ADDRESS = re.compile(r"[^@\s,;<>\"()]+@[^@\s,;<>\"().]+(?:\.[^@\s,;<>\"().]+)+")


def storable(text: str, max_length: int | None = None) -> str:
    """Replace each character that cannot be stored by U+FFFD.

    Args:
        text: Any text.
        max_length: Maximum number of characters; longer text is truncated and gets an ellipsis. None for no limit.
    """
    if max_length is not None and len(text) > max_length:
        text = f"{text[:max_length]}…"
    return _UNSTORABLE.sub(REPLACEMENT, text)


def find_unstorable(content: object) -> str | None:
    """Search the texts and names of a JSON value for a character that cannot be stored.

    A value that was parsed from JSON text without `\\u` has none.

    Returns:
        The code point of the first one found, such as "U+0000"; None if there is none.
    """
    pending = [content]
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            if match := _UNSTORABLE.search(value):
                return f"U+{ord(match[0]):04X}"
        elif isinstance(value, dict):
            pending += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            pending += value
    return None


def is_email_address(text: str) -> bool:
    """Whether a text has the form of an e-mail address."""
    return _ADDRESS.fullmatch(text) is not None
