"""Spanish words for searches: without case and accents, and their stems."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

CACHED_STEMS = 16_384
STOP_WORDS = frozenset(
    {
        "a", "al", "con", "cual", "cuando", "de", "del", "e", "el", "en", "es", "esta", "este", "la", "las", "lo",
        "los", "mas", "no", "o", "para", "por", "que", "se", "ser", "si", "sin", "sobre", "son", "su", "sus", "un",
        "una", "uno", "y", "debe", "deben",
    }
)  # fmt: skip
"""Folded words that a search ignores."""
_ACCENTS = re.compile(r"[\u0300-\u036f]+")


def fold(text: str) -> str:
    """Return the text in lower case without accents; Ñ becomes n."""
    folded = text.casefold()
    return folded if folded.isascii() else _ACCENTS.sub("", unicodedata.normalize("NFD", folded))


@lru_cache(maxsize=CACHED_STEMS)
def stem(word: str) -> str:
    """Return the folded stem of a word, with or without its accents."""
    from snowballstemmer.spanish_stemmer import SpanishStemmer  # loaded by the first search

    folded = fold(word)
    accented = f"{folded[:-2]}ón" if folded.endswith("ion") else folded  # the stemmer cuts -ión and not -ion
    return fold(SpanishStemmer().stemWord(accented))  # a stemmer has state; threads must not share it
