"""Words by which documents are searched: upper case, without accents and punctuation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

MAX_WORD_LENGTH = 40
_SEPARATORS = re.compile(r"[\W_]+")


def normalized(text: str) -> str:
    """Return a text in upper case without accents; Ñ becomes N."""
    if text.isascii():
        return text.upper()
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(each for each in decomposed if not unicodedata.combining(each)).upper()


def search_words(texts: Iterable[str], limit: int) -> list[str]:
    """Return the different words of texts, in their order.

    Args:
        texts: Names, numbers and descriptions.
        limit: Maximum number of words.
    """
    words: dict[str, None] = {}
    for text in texts:
        for word in _SEPARATORS.split(normalized(text)):
            if word:
                words[word[:MAX_WORD_LENGTH]] = None
            if len(words) >= limit:
                return [*words]
    return [*words]
