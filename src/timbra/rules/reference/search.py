"""Search of codes by words of their sentences, by attribute, by node and by catalog."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from timbra.core.spanish import STOP_WORDS, fold, stem
from timbra.messages.causes import service_codes
from timbra.rules.engine.rule import AnyRule, NotImplementedRow
from timbra.rules.reference.pages import PAGES

MAX_WORDS = 20
"""Words of a query that are searched."""
_WORD = re.compile(r"[@\w]+(?:-\w+)*")
_CAMEL = re.compile(r"[A-ZÁÉÍÓÚÑ]?[a-záéíóúñ]+|[A-Z]+(?![a-z])|\d+")
_CATALOG = re.compile(r"\bc_\w+", re.IGNORECASE)
# Weights of the places in which a word is found.
_NAME, _SENTENCE, _STEP, _PART, _NOTE, _CODE = 6.0, 3.0, 3.2, 1.0, 0.7, 9.0
_SYNONYM = 0.5
_PART_LENGTH = 3
"""Shortest part of a code that a word may be."""
_FORMER = 0.9
"""Factor of the rules that concern CFDI 3.3 only."""
SYNONYMS: tuple[tuple[str, ...], ...] = (
    ("redondeo", "redondear", "redondeada", "redondeado", "decimales"),
    ("folio", "UUID"),
    ("timbre", "timbrado", "TimbreFiscalDigital"),
    ("sello", "firma"),
    ("certificado", "CSD"),
    ("factura", "comprobante", "CFDI"),
    ("receptor", "cliente"),
    ("moneda", "divisa"),
    ("importe", "monto", "cantidad"),
    ("precio", "ValorUnitario"),
    ("descuento", "bonificación", "rebaja"),
    ("combustible", "gasolina", "hidrocarburos", "petrolíferos"),
    ("domicilio", "dirección"),
    ("trabajador", "empleado"),
    ("sueldo", "salario"),
    ("vencido", "caduco", "vigencia", "vigente"),
    ("pedimento", "aduana", "aduanero"),
    ("contraseña", "password"),
    ("cancelación", "cancelar", "cancelado"),
    ("duplicado", "repetido"),
    ("transporte", "transportista", "autotransporte"),
    ("69-B", "EFOS"),
)
"""Groups of words; a search for one of a group also finds the others, after the word itself."""


@dataclass(frozen=True, slots=True)
class SearchEntry:
    """What a search finds.

    Attributes:
        code: the code, with the name after the colon.
        path: path from the root; where a code of the service is answered.
        sentence: the requirement, or the message.
        note: other text that is searched: note of the rule, cause of the code.
        catalogs: catalogs that the rule reads, in lower case: `c_moneda`.
        of_service: whether the code is none of a rule.
        is_former: whether the rule concerns no CFDI 4.0.
        reported_as: code with which messages begin in place of the rule's own; empty for its own.
    """

    code: str
    path: str
    sentence: str
    note: str = field(default="", repr=False)
    catalogs: frozenset[str] = field(default=frozenset(), repr=False)
    of_service: bool = False
    is_former: bool = False
    reported_as: str = ""


@dataclass(frozen=True, slots=True)
class _Indexed:
    """An entry with its codes in lower case and the weight of each stem and name."""

    entry: SearchEntry
    code: str
    weights: Mapping[str, float]


def search(query: str, codes: Iterable[str] | None = None) -> list[SearchEntry]:
    """Return the entries that match the most words of a query, at least more than half of them; the best first.

    Args:
        query: Spanish words, in any form and with or without accents; `@TipoCambio`, `Mercancia`, `c_Moneda`; a part of
            a code.
        codes: codes to search; all codes, those of the service included, when not given.
    """
    words = list(dict.fromkeys(word for word in _WORD.findall(query) if fold(word) not in STOP_WORDS))[:MAX_WORDS]
    if not words:
        return []
    index = _index()
    selected = index.entries
    if codes is not None:
        wanted = frozenset(codes)
        selected = tuple(each for each in index.entries if each.entry.code in wanted)
    terms = [(fold(word), _terms(word)) for word in words]
    scored: list[tuple[int, float, SearchEntry]] = []
    for indexed in selected:
        scores = [_score(indexed, index.rarity, word, keys) for word, keys in terms]
        matched = sum(score > 0 for score in scores)
        if 2 * matched > len(terms):
            scored.append((matched, sum(scores) * (_FORMER if indexed.entry.is_former else 1.0), indexed.entry))
    most = max((matched for matched, _, _ in scored), default=0)
    best = [(score, entry) for matched, score, entry in scored if matched == most]
    return [entry for _, entry in sorted(best, key=lambda pair: -pair[0])]


def _score(indexed: _Indexed, rarity: Mapping[str, float], word: str, terms: Mapping[str, float]) -> float:
    scores = [
        indexed.weights[term] * factor * rarity[term] for term, factor in terms.items() if term in indexed.weights
    ]
    if len(word) >= _PART_LENGTH and word in indexed.code:
        scores.append(_CODE)
    return max(scores, default=0.0)


def _terms(word: str) -> dict[str, float]:
    """Return the keys of the index that a word of a query finds, with a factor for each."""
    folded = fold(word)
    if folded.startswith("@"):
        return {folded: 1.0}
    found = {f"={folded}": 1.0, stem(word): 1.0}
    for group in SYNONYMS:
        if any(stem(each) in found for each in group):
            found.update({stem(each): found.get(stem(each), _SYNONYM) for each in group})
    return found


@dataclass(frozen=True, slots=True)
class _Index:
    entries: tuple[_Indexed, ...]
    rarity: Mapping[str, float]


@cache
def _index() -> _Index:
    entries = tuple(
        _Indexed(entry, fold(f"{entry.code} {entry.reported_as}"), _weights(entry)) for entry in entries_of_all_codes()
    )
    counts: dict[str, int] = {}
    for indexed in entries:
        for term in indexed.weights:
            counts[term] = counts.get(term, 0) + 1
    return _Index(entries, {term: math.log(1 + len(entries) / count) for term, count in counts.items()})


@cache
def entries_of_all_codes() -> tuple[SearchEntry, ...]:
    """Return the entries of all rules, rows and codes of the service."""
    found: dict[str, SearchEntry] = {}
    for page in PAGES.values():
        for row in page.entries:
            found.setdefault(row.code, _rule_entry(row, is_former="4.0" not in page.rule_set.versions))
    service = [
        SearchEntry(each.code, each.context, each.message, each.cause, of_service=True) for each in service_codes()
    ]
    return (*found.values(), *service)


def _rule_entry(row: AnyRule | NotImplementedRow, *, is_former: bool) -> SearchEntry:
    if isinstance(row, NotImplementedRow):
        return SearchEntry(row.code, row.at, row.says, row.reason, is_former=is_former)
    catalogs = {catalog.rpartition(":")[2] for catalog, _ in row.columns}
    catalogs.update(_CATALOG.findall(f"{row.says} {row.note}"))
    needs = " ".join(str(need) for need in row.needs)
    names = frozenset(catalog.casefold() for catalog in catalogs)
    return SearchEntry(
        row.code, row.at, row.says, f"{row.note} {needs}", names, is_former=is_former, reported_as=row.reported_as
    )


def _weights(entry: SearchEntry) -> dict[str, float]:
    """Return the weights by key: a stem, `@attribute`, or `=name` as it is written."""
    found: dict[str, float] = {}

    def add(key: str, weight: float) -> None:
        found[key] = max(found.get(key, 0.0), weight)

    for text, weight in ((entry.sentence, _SENTENCE), (entry.note, _NOTE)):
        for word in _WORD.findall(text):
            for part in {word, *_CAMEL.findall(word)}:
                add(stem(part), weight)
            add(f"={fold(word)}", weight)
    for catalog in entry.catalogs:
        add(f"={catalog}", _NAME)
    if entry.of_service:
        for word in _WORD.findall(entry.path):
            add(stem(word), _PART)
    else:
        _add_path(entry.path, add)
    return found


def _add_path(path: str, add: Callable[[str, float], None]) -> None:
    steps = path.split("/") if path else ["Comprobante"]
    for position, step in enumerate(steps, 1):
        is_last, name = position == len(steps), step.lstrip("@")
        if step.startswith("@"):
            add(fold(step), _NAME)
        add(f"={fold(name)}", _NAME if is_last else _STEP)
        for part in _CAMEL.findall(name):
            add(stem(part), _STEP if is_last else _PART)
