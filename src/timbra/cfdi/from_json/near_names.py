"""Names that a key of a JSON document nearly is: one edit away, or in another grammatical number."""

from __future__ import annotations

import re
from collections.abc import Iterable

MAX_NAME = 128
"""Characters of a name; no schema declares a longer one."""
_WORD = re.compile(r"[^\W\d_]?[^\WA-Z\d_]+|[A-Z]+|\d+")
_PLURAL_ENDINGS = ("s", "es")


def near_name(name: str, declared: Iterable[str]) -> str | None:
    """Return the first declared name that a name nearly is, in any letter case; None when it is near none.

    A name is near another by one letter that is missing, added or different, by two neighbours that are exchanged, or
    by words that are singular in one and plural in the other.

    Args:
        name: a local name that is not declared itself.
        declared: names, in the order of the schema.
    """
    if len(name) > MAX_NAME:
        return None
    folded = name.casefold()
    return next((each for each in declared if _is_one_edit(folded, each.casefold()) or _is_plural(name, each)), None)


def _is_one_edit(name: str, other: str) -> bool:
    if abs(len(name) - len(other)) > 1 or not name:
        return False
    start = next((at for at, (a, b) in enumerate(zip(name, other, strict=False)) if a != b), min(len(name), len(other)))
    rest, expected = name[start:], other[start:]
    is_exchanged = rest[1::-1] == expected[:2] and rest[2:] == expected[2:]
    return is_exchanged or rest[1:] == expected[1:] or rest[1:] == expected or rest == expected[1:]


def _is_plural(name: str, other: str) -> bool:
    if _differ_in_number(name, other):
        return True
    words, expected = _WORD.findall(name), _WORD.findall(other)
    return len(words) == len(expected) and all(map(_differ_in_number, words, expected))


def _differ_in_number(word: str, other: str) -> bool:
    short, long = sorted((word.casefold(), other.casefold()), key=len)
    return short == long or (long.startswith(short) and long[len(short) :] in _PLURAL_ENDINGS)
