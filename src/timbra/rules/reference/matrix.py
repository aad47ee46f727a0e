"""Differences between an error matrix that the SAT publishes and the rules: rows added, ended and reworded.

`rulesets/<rule set>/matrix.csv` has a digest of each row of the matrix that was transcribed: it shows that the SAT
changed the text of a row. The texts themselves are not part of Timbra.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType

from timbra.catalogs.differences import Change, Difference
from timbra.catalogs.workbook import Cells, Sheet, normalize
from timbra.rules.engine.rule_set import RuleSet
from timbra.rules.registry import RULE_SETS

DIGESTS = "matrix.csv"
DIGEST_DIGITS = 16
_HEADINGS = ("elemento", "atributo", "validacion", "descripcion")
_CODE = ("codigo", "code")


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A row of an error matrix. digest: of element, attribute, requirement and message; blanks do not count."""

    code: str
    element: str
    attribute: str
    digest: str


def read_matrix(sheets: Sequence[Sheet]) -> list[MatrixRow]:
    """Return the rows of the error matrices among the sheets; empty when there is none."""
    return [row for sheet in sheets for row in _read_sheet(sheet)]


def _read_sheet(sheet: Sheet) -> Iterator[MatrixRow]:
    for number, row in enumerate(sheet.rows):
        headings = [*map(normalize, row)]
        code = next((i for i, heading in enumerate(headings) if heading.startswith(_CODE)), None)
        if code is not None and any(heading.startswith("validacion") for heading in headings):
            texts = [i for i, heading in enumerate(headings) if heading.startswith(_HEADINGS)]
            element, attribute = (
                next((i for i, heading in enumerate(headings) if heading.startswith(name)), None)
                for name in ("elemento", "atributo")
            )
            yield from (
                MatrixRow(line[code], _cell(line, element), _cell(line, attribute), digest(line[i] for i in texts))
                for line in sheet.rows[number + 1 :]
                if len(line) > max(texts) and line[code]
            )
            return


def _cell(line: Cells, index: int | None) -> str:
    return "" if index is None else line[index]


def digest(texts: Iterable[str]) -> str:
    """Return the digest of the texts of a row, separated by line feeds, with single blanks."""
    text = "\n".join(" ".join(each.split()) for each in texts)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_DIGITS]


def rule_set_of(rows: Sequence[MatrixRow]) -> RuleSet | None:
    """Return the rule set with the prefix of most codes; None when no rule set has any."""
    counted = {
        each.name: sum(row.code.startswith(each.prefixes) for row in rows) for each in RULE_SETS if each.prefixes
    }
    best = max(counted, key=lambda name: counted[name])
    return next(each for each in RULE_SETS if each.name == best) if counted[best] else None


def digests(rule_set: RuleSet) -> Mapping[str, str]:
    """Return the digest of each row of the transcribed matrix by code; empty when the rule set has no such file."""
    file = files(rule_set.package).joinpath(DIGESTS)
    if not file.is_file():
        return MappingProxyType({})
    return MappingProxyType(
        {row["code"]: row["digest"] for row in csv.DictReader(file.read_text("utf-8").splitlines())}
    )


def compare_matrix(rows: Sequence[MatrixRow], rule_set: RuleSet) -> list[Difference]:
    """Compare the rows of a matrix with the coverage of a rule set, and their texts with the digests.

    Args:
        rows: rows of the newer matrix; a code may have several.
    """
    published: dict[str, list[MatrixRow]] = {}
    for row in rows:
        published.setdefault(row.code, []).append(row)
    known, texts = {code for code in rule_set.coverage if ":" not in code}, digests(rule_set)
    name = rule_set.name
    differences = []
    for code, found in published.items():
        place = f"{found[0].element} {found[0].attribute}".strip()
        if code not in known:
            differences.append(Difference(name, Change.ADDED, code, place))
        elif code in texts and texts[code] != joined_digest(found):
            differences.append(Difference(name, Change.REWORDED, code, place))
    differences += [Difference(name, Change.ENDED, code) for code in sorted(known - published.keys())]
    return differences


def joined_digest(rows: Sequence[MatrixRow]) -> str:
    """Return the digest of a code: that of its row, or of the digests of its rows."""
    return rows[0].digest if len(rows) == 1 else digest(row.digest for row in rows)
