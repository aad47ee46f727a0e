"""Spanish titles of the elements and attributes of complements, from the table `complement_texts.csv`.

A name that has no text of its own is split into its words ("FechaInicialPago": Fecha inicial pago), whose abbreviations
and accents are completed. Kinds of rows:

- `element`, `attribute`: the text of a name.
- `word`: a word whose abbreviation or accent is completed.
- `preposition`: what stands after a first word when a noun follows; `adjective`: the words that are no nouns.
- `acronym`: a word in capitals.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files

_WORD = re.compile(r"[A-ZÁÉÍÓÚÑ]+(?![a-záéíóúñü])|[A-ZÁÉÍÓÚÑ]?[a-záéíóúñü]+|\d+")
_SUFFIX = re.compile(r"(?<=[a-z])(CCP|VMCCP|DR|P)$")


@cache
def texts() -> Mapping[str, Mapping[str, str]]:
    """Return the texts by kind and name."""
    table = files("timbra.rendering").joinpath("complement_texts.csv").read_text("utf-8")
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for row in csv.DictReader(table.splitlines()):
        found[row["kind"]][row["name"]] = row["text"]
    return found


def element_title(name: str) -> str:
    return texts()["element"].get(name) or _split(name)


def attribute_label(name: str) -> str:
    return texts()["attribute"].get(name) or _split(name)


@lru_cache(maxsize=4096)
def _split(name: str) -> str:
    words = [_word(word) for word in _WORD.findall(_SUFFIX.sub("", name).replace("_", " "))]
    if not words:
        return name
    link = texts()["preposition"].get(words[0])
    following = words[1] if len(words) > 1 else ""
    if link and following and following not in texts()["adjective"] and following not in ("de", "del", "a", "total"):
        words.insert(1, link)
    text = " ".join(words)
    return text[:1].upper() + text[1:]


def _word(word: str) -> str:
    for written in (word, word.capitalize()):
        if written in texts()["word"]:
            return texts()["word"][written]
    if word in texts()["acronym"] or word.upper() in texts()["acronym"]:
        return word.upper()
    lowered = word.lower()
    return f"{lowered[:-2]}ón" if lowered.endswith(("cion", "sion")) else lowered
