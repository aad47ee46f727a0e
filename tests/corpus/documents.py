"""The invoices of the corpus whose sources assert a result of validation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from tests.support.corpus import CORPUS

CODES = re.compile(r"CFDI4\d{4}|CFDI14\d{4}|30[1-8]|40[12]")
"""Codes of the CFDI 4.0 matrix and of the provider."""
NAMED = re.compile(r"/(CFDI4\d{4})\.xml$")
VERSIONS = ("4.0", "3.3")
SCHEMA_SAMPLES = re.compile(r"SAT-CFDI_python-satcfdi/cfdv(40|-?33)-")
"""Documents that only exercise a schema and are no realistic invoices."""


class Claim(StrEnum):
    """The assertion of a source about its document."""

    CODES = "refused with codes of CFDI 4.0"
    COMPLEMENT = "refused with codes of a complement"
    VALID = "good"
    EXAMPLE = "an example"


@dataclass(frozen=True)
class Sample:
    """One document. name: its path below docs/ of the corpus; codes: the codes that its source asserts."""

    name: str
    version: str
    claim: Claim
    codes: frozenset[str]
    source: str
    xml: bytes = field(repr=False)

    def __str__(self) -> str:
        return self.name


def samples() -> list[Sample]:
    """Return every invoice with a claim by version (latest first) and name; empty without a corpus.

    An example has no assertion: it is an output of its source's software, and the SAT's full schema accepts it.
    """
    return [
        sample for version in VERSIONS for sample in sorted(_claimed(manifest(version)), key=lambda sample: sample.name)
    ]


def whole_manifest() -> list[dict[str, Any]]:
    """Return every row of the corpus; empty without one."""
    path = CORPUS / "manifest.json"
    return list(json.loads(path.read_text("utf-8"))["documents"]) if path.is_file() else []


def manifest(version: str) -> list[dict[str, Any]]:
    """Return the rows of the corpus of a version of the invoice."""
    return [row for row in whole_manifest() if row["version"] == version]


def _claimed(rows: list[dict[str, Any]]) -> Iterator[Sample]:
    for row in rows:
        codes = _codes(row)
        claim = _claim(row, codes)
        if claim is not None:
            name = row["file"].removeprefix("docs/")
            yield Sample(name, row["version"], claim, codes, row["source"], (CORPUS / row["file"]).read_bytes())


def _claim(row: dict[str, Any], codes: frozenset[str]) -> Claim | None:
    if row["expected"] == "valid":
        return Claim.VALID
    if codes:
        return Claim.CODES if all(map(CODES.fullmatch, codes)) else Claim.COMPLEMENT
    good = row["xsd_ok"] or row.get("xsd_ok_filled")
    return Claim.EXAMPLE if good and not SCHEMA_SAMPLES.search(row["file"]) else None


def _codes(row: dict[str, Any]) -> frozenset[str]:
    """Return the asserted codes, else the code in the name of the document."""
    if isinstance(row["expected"], list):
        return frozenset(re.sub("^NOM0+", "NOM", code) for code in row["expected"])
    named = NAMED.search(row["file"]) if row["expected"] is None else None
    return frozenset({named[1]} if named else ())
