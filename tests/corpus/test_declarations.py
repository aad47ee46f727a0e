"""Declarations of namespaces and schemas in public documents of CFDI 3.3 and 4.0."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import Any

import pytest
from lxml import etree
from tests.support.corpus import CORPUS, corpus_path
from tests.support.declarations import context_of

from timbra.cfdi.document import DocumentParser
from timbra.core.errors import ServiceError
from timbra.rules.engine.result import Severity
from timbra.rules.rulesets.declarations import evaluation

PARSER = DocumentParser()


@cache
def found() -> dict[str, frozenset[tuple[str, Severity]]]:
    """Return code and severity of the findings of each document by its name."""
    corpus_path()
    rows: list[dict[str, Any]] = json.loads((CORPUS / "manifest.json").read_text("utf-8"))["documents"]
    evaluated = {}
    for row in rows:
        root = _read((CORPUS / row["file"]).read_bytes())
        if root is not None:
            findings = evaluation.examine(root, context_of(root)).findings
            evaluated[row["file"]] = frozenset((finding.code, finding.severity) for finding in findings)
    return evaluated


def _read(xml: bytes) -> etree._Element | None:
    try:
        document = PARSER.parse(xml)
    except ServiceError:
        return None
    return document.root if document.version in ("3.3", "4.0") else None


def test_examine_evaluates_the_public_documents() -> None:
    assert len(found()) > 250


def test_examine_finds_no_errors_in_stamped_documents_but_a_version_of_the_future() -> None:
    """Libraries date examples of 3.3 and 4.0 before these versions existed."""
    stamped = [name for name in found() if b"<tfd:TimbreFiscalDigital" in (CORPUS / name).read_bytes()]
    assert len(stamped) > 20
    errors = {name: {code for code, severity in found()[name] if severity is Severity.ERROR} for name in stamped}
    early = [name for name in stamped if errors[name] == {"VERSION-FECHA"}]
    assert {name: codes for name, codes in errors.items() if codes and name not in early} == {}
    assert all(_fecha(name) < {"3.3": "2017-07-01", "4.0": "2022-01-01"}[_version(name)] for name in early)
    assert len(early) == 11


def _version(name: str) -> str:
    return PARSER.parse((CORPUS / name).read_bytes()).version


def _fecha(name: str) -> str:
    return PARSER.parse((CORPUS / name).read_bytes()).root.get("Fecha", "")


@pytest.mark.parametrize(
    ("code", "count"),
    [("CC3001", 110), ("CO1002", 24), ("CO1003", 3), ("CO1005", 68), ("NS-SIN-USO", 80), ("SELLO-COMPLEMENTO", 0)],
)
def test_examine_finds_the_stated_counts_in_all_documents(code: str, count: int) -> None:
    """Most findings are schemas with local file names, and complements with their own declarations."""
    counted = Counter(wrong for codes in found().values() for wrong, _ in codes)
    assert counted[code] == count
