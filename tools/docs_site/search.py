"""The search of the built site: Spanish words without accents and endings, and a small index without code blocks."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

INDEX = "search.json"
RULES = "rules/"
WORKERS = "assets/javascripts/workers"
SHORTEST_STEM = 4
"""Letters that a word keeps at least when its endings are removed."""
ENDINGS = (
    *("aciones", "ación", "ando", "ados", "adas", "ado", "ada", "ar", "as", "a"),
    *("iendo", "idos", "idas", "ido", "ida", "ir", "er", "es", "e"),
    *("ciones", "ción", "os", "o", "s"),
)
"""Endings of Spanish words. The beginning of one is removed too, so that a word is found while it is typed."""

_ACCENTS = str.maketrans("áéíóú", "aeiou")
_NORMALIZATION = 't.normalize("NFKD").toLowerCase()'
"""What the search of the theme does with each word, of the index and of a query."""
_CODE_BLOCK = re.compile(r"<pre\b.*?</pre>", re.DOTALL)
_INLINE_TAG = re.compile(r"</?(?:code|em|strong)>")
_RULE_COLUMNS = re.compile(r"SAT, matriz de errores de [^,]+, revisión [^,]+, fila \S+|\b(?:rulesets|shared)\.[\w.]+")
"""Columns of the pages of rule sets that repeat in each row: the source, and the function in the code."""


class SearchError(Exception):
    """The theme has another search than the one that is adapted here."""


def adapt_search(site: Path) -> None:
    """Change the search of a built site in place.

    Raises:
        SearchError: The script of the theme does not have the part that is changed.
    """
    index = json.loads((site / INDEX).read_text("utf-8"))
    for item in index["items"]:
        item["text"] = _searched_text(item["text"], is_rules=item["location"].startswith(RULES))
    (site / INDEX).write_text(json.dumps(index, ensure_ascii=False, separators=(",", ":")), "utf-8")
    _adapt_worker(site)


def _searched_text(text: str, *, is_rules: bool) -> str:
    text = _INLINE_TAG.sub("", _CODE_BLOCK.sub("", text))
    return _RULE_COLUMNS.sub("", text) if is_rules else text


def stem_pattern() -> str:
    """Return the pattern of a word with an ending: JavaScript and Python read it alike."""
    plain = {ending.translate(_ACCENTS) for ending in ENDINGS}
    beginnings = {ending[:length] for ending in plain for length in range(1, len(ending) + 1)}
    return f"^(.{{{SHORTEST_STEM},}}?)(?:{'|'.join(sorted(beginnings))})$"


def _adapt_worker(site: Path) -> None:
    """Change the script that searches; its name has the digest of its content, because browsers keep it."""
    [worker] = (site / WORKERS).glob("search.*.min.js")
    code = worker.read_text("utf-8")
    if code.count(_NORMALIZATION) != 1:
        raise SearchError(f"{worker.name}: {_NORMALIZATION} is not there once")
    accents = r't.normalize("NFKD").replace(/[\u0300-\u036f]/g,"").toLowerCase()'
    code = code.replace(_NORMALIZATION, f"stem({accents})")
    stem = f"function stem(t){{for(let r;(r=t.replace(/{stem_pattern()}/,'$1'))!==t;)t=r;return t}}"
    code = code.replace('"use strict";', f'"use strict";{stem}', 1)
    name = f"search.{hashlib.sha256(code.encode()).hexdigest()[:8]}.min.js"
    worker.unlink()
    (worker.parent / name).write_text(code, "utf-8")
    for page in site.rglob("*.html"):
        page.write_text(page.read_text("utf-8").replace(worker.name, name), "utf-8")
