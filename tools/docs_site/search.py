"""The search of the built site: Spanish words without accents and endings, a Spanish dialog, a small index."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path

INDEX = "search.json"
RULES = "rules/"
SCRIPTS = "assets/javascripts"
WORKERS = f"{SCRIPTS}/workers"
SHORTEST_STEM = 4
"""Letters that a word keeps at least when its endings are removed."""
ENDINGS = (
    *("aciones", "ación", "ando", "ados", "adas", "ado", "ada", "ar", "as", "a"),
    *("iendo", "idos", "idas", "ido", "ida", "ir", "er", "es", "e"),
    *("ciones", "ción", "os", "o", "s"),
)
"""Endings of Spanish words. The beginning of one is removed too, so that a word is found while it is typed."""

DIALOG = {
    '"aria-label":"Search","aria-autocomplete"': '"aria-label":"Buscar","aria-autocomplete"',
    '"aria-label":"Search","aria-modal"': '"aria-label":"Buscar","aria-modal"',
    'placeholder:"Search"': 'placeholder:"Buscar"',
    '"Close search"': '"Cerrar la búsqueda"',
    '"Search results"': '"Resultados de la búsqueda"',
    '"No results"': '"Sin resultados"',
    '"Loading search\\u2026"': '"Cargando la búsqueda…"',
    '"Search is unavailable. Reload the page to try again."': (
        '"La búsqueda no está disponible. Cargue la página otra vez."'
    ),
    'Intl.NumberFormat("en-US")': 'Intl.NumberFormat("es-MX")',
    '"result":"results"': '"resultado":"resultados"',
    '"aria-label":"Filters"': '"aria-label":"Filtros"',
    'children:"Filters"': 'children:"Filtros"',
    'children:"Tags"': 'children:"Etiquetas"',
    '"Use Up and Down arrow keys to move between tags. Press Space or Enter to toggle a tag."': (
        '"Las flechas arriba y abajo cambian de etiqueta; espacio o Entrar la marca."'
    ),
}
"""Texts of the dialog in the script of the theme, which has no translations of them, and the Spanish ones."""
MESSAGES = {"Could not copy to clipboard": "No se pudo copiar al portapapeles"}
"""Texts of each page that the Spanish translation of the theme leaves out."""

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
        SearchError: The scripts of the theme do not have the parts that are changed.
    """
    index = json.loads((site / INDEX).read_text("utf-8"))
    for item in index["items"]:
        item["text"] = _searched_text(item["text"], is_rules=item["location"].startswith(RULES))
    (site / INDEX).write_text(json.dumps(index, ensure_ascii=False, separators=(",", ":")), "utf-8")
    [worker] = (site / WORKERS).glob("search.*.min.js")
    [bundle] = (site / SCRIPTS).glob("bundle.*.min.js")
    texts = MESSAGES | {
        worker.name: _store(_with_stems(worker.read_text("utf-8")), worker),
        bundle.name: _store(_replaced(bundle.read_text("utf-8"), DIALOG), bundle),
    }
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        for old, new in texts.items():
            text = text.replace(old, new)
        page.write_text(text, "utf-8")


def _searched_text(text: str, *, is_rules: bool) -> str:
    text = _INLINE_TAG.sub("", _CODE_BLOCK.sub("", text))
    return _RULE_COLUMNS.sub("", text) if is_rules else text


def stem_pattern() -> str:
    """Return the pattern of a word with an ending: JavaScript and Python read it alike."""
    plain = {ending.translate(_ACCENTS) for ending in ENDINGS}
    beginnings = {ending[:length] for ending in plain for length in range(1, len(ending) + 1)}
    return f"^(.{{{SHORTEST_STEM},}}?)(?:{'|'.join(sorted(beginnings))})$"


def _with_stems(worker: str) -> str:
    accents = r't.normalize("NFKD").replace(/[\u0300-\u036f]/g,"").toLowerCase()'
    stem = f"function stem(t){{for(let r;(r=t.replace(/{stem_pattern()}/,'$1'))!==t;)t=r;return t}}"
    replaced = _replaced(worker, {_NORMALIZATION: f"stem({accents})"})
    return replaced.replace('"use strict";', f'"use strict";{stem}', 1)


def _replaced(code: str, texts: Mapping[str, str]) -> str:
    for old, new in texts.items():
        if code.count(old) != 1:
            raise SearchError(f"{old} is not there once")
        code = code.replace(old, new)
    return code


def _store(code: str, script: Path) -> str:
    """Replace a script, and return its name, which has the digest of its content, because browsers keep it."""
    name = f"{script.name.partition('.')[0]}.{hashlib.sha256(code.encode()).hexdigest()[:8]}.min.js"
    script.unlink()
    (script.parent / name).write_text(code, "utf-8")
    return name
