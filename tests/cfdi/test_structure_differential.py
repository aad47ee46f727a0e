"""The slim schemas and the SAT's have the same result, or a rule covers the difference."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from lxml import etree
from tests.cfdi.mutations import mutants
from tests.cfdi.oracle import Oracle, filled
from tests.support.corpus import CORPUS, corpus_path
from tests.support.effort import rounds

from timbra.cfdi.structure import Structure
from timbra.examples import (
    carta_porte,
    egreso,
    estado_de_cuenta,
    flete,
    gasolina,
    gastos_hidrocarburos,
    global_invoice,
    ine,
    ingreso,
    ingresos_hidrocarburos,
    nomina,
    nomina33,
    pago,
    pago10,
    traslado,
)

MUTANTS = rounds(3, 12)
SMALL = (estado_de_cuenta, gasolina, gastos_hidrocarburos, ine, ingresos_hidrocarburos)
EXAMPLES = {
    kind.__name__: kind
    for kind in (ingreso, egreso, traslado, global_invoice, nomina, nomina33, pago, pago10, carta_porte, flete, *SMALL)
}


@pytest.fixture(scope="module")
def oracle(structure: Structure) -> Oracle:
    return Oracle(structure)


@cache
def corpus_documents() -> tuple[tuple[str, str], ...]:
    """Return file and kind (version and complements) of every CFDI 3.3 and 4.0 of the corpus."""
    if not CORPUS.is_dir():
        return ()
    documents = json.loads((CORPUS / "manifest.json").read_text("utf-8"))["documents"]
    invoices = [document for document in documents if document["version"] in ("3.3", "4.0")]
    return tuple((d["file"], " ".join((d["version"], *d["complements"]))) for d in invoices)


def read(file: Path) -> etree._Element:
    return etree.parse(file, etree.XMLParser(resolve_entities=False)).getroot()


@pytest.mark.parametrize("name", EXAMPLES)
def test_check_agrees_with_full_schemas_on_examples_and_mutants(oracle: Oracle, name: str) -> None:
    root = filled(etree.fromstring(str(EXAMPLES[name]()).encode()))
    assert oracle.accepts(root)
    assert oracle.differences(root) == []
    for what, mutant in mutants(root, 2 * MUTANTS, name):
        assert oracle.differences(mutant) == [], what


def test_check_agrees_with_full_schemas_on_the_corpus(oracle: Oracle) -> None:
    corpus = corpus_path()
    checked = 0
    for file, _ in corpus_documents()[:: rounds(4, 1)]:
        root = read(corpus / file)
        sealed = filled(root)
        assert oracle.differences(root) == [], file
        assert sealed.items() == root.items() or oracle.differences(sealed) == [], file
        checked += 1
    assert checked >= rounds(75, 300)


@pytest.mark.parametrize("kind", sorted({kind for _, kind in corpus_documents()}))
def test_check_agrees_with_full_schemas_on_mutants_of_every_kind(oracle: Oracle, kind: str) -> None:
    corpus = corpus_path()
    roots = [filled(read(corpus / file)) for file, of in corpus_documents() if of == kind]
    root = min(filter(oracle.accepts, roots), key=lambda root: len(etree.tostring(root)), default=roots[0])
    for what, mutant in mutants(root, MUTANTS, kind):
        assert oracle.differences(mutant) == [], what


def test_oracle_detects_a_difference(oracle: Oracle, monkeypatch: pytest.MonkeyPatch) -> None:
    root = filled(etree.fromstring(ingreso({"Emisor/@Rfc": "no"}).encode()))
    assert oracle.differences(root) == []
    monkeypatch.setattr(oracle, "_structure", _Lenient(oracle._structure))
    assert [line.partition(" Place")[0] for line in oracle.differences(root)] == ["only full:"] * 2


class _Lenient(Structure):
    """A structure check that finds nothing."""

    def __init__(self, structure: Structure) -> None:
        self._standards = structure._standards

    def check(self, root: etree._Element) -> list[object]:  # type: ignore[override]
        return []
