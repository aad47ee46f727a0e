"""Words by which documents are searched: upper case, without accents and punctuation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

MAX_WORD_LENGTH = 40
MAX_REMEMBERED_LENGTH = 300
"""The words of longer texts are not kept in memory."""
_SEPARATORS = re.compile(r"[\W_]+")


def normalized(text: str) -> str:
    """Return a text in upper case without accents; Ñ becomes N."""
    if text.isascii():
        return text.upper()
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(each for each in decomposed if not unicodedata.combining(each)).upper()


def _divided(text: str) -> tuple[str, ...]:
    return tuple(word[:MAX_WORD_LENGTH] for word in _SEPARATORS.split(normalized(text)) if word)


# The names of an account's documents and many of its descriptions repeat.
_words_of = lru_cache(maxsize=1_024)(_divided)


def search_words(texts: Iterable[str], limit: int) -> list[str]:
    """Return the different words of texts, in their order.

    Args:
        texts: Names, numbers and descriptions.
        limit: Maximum number of words.
    """
    words: dict[str, None] = {}
    for text in texts:
        words.update(dict.fromkeys(_words_of(text) if len(text) <= MAX_REMEMBERED_LENGTH else _divided(text)))
        if len(words) >= limit:
            break
    return [*words][:limit]
