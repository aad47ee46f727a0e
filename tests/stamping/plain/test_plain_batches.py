"""The path for plain invoices: every document that it issues is issued by the ordinary path, with equal bytes."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.support.corpus import corpus_path
from tests.support.effort import rounds
from tests.support.plain_mutants import base_documents, mutant, values_of
from tests.support.plain_paths import BothPaths
from tests.support.rule_set_examples import EXAMPLES

from timbra import examples, rules
from timbra._native import STATE

pytestmark = pytest.mark.skipif(not STATE.active, reason="without native code no document is plain")

SEED = 20
RULES = Path(rules.__file__).parent
CONTEXT = RULES / "engine" / "context.py"


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BothPaths]:
    paths = BothPaths(tmp_path_factory.mktemp("plain") / "data")
    yield paths
    paths.close()


def differing(paths: BothPaths, documents: Iterator[bytes]) -> list[bytes]:
    """Return the documents that are plain and that the ordinary path does not issue with the same bytes."""
    found = []
    for document in documents:
        ordinary, plain = paths.compare(document)
        if plain is not None and plain != ordinary:
            found.append(document)
    return found


class NoTaxpayers:
    """Lists without rows."""

    def taxpayer(self, _rfc: str) -> None:
        return None

    def obligations(self, _rfc: str) -> None:
        return None

    def certificate(self, _rfc: str, _number: str) -> None:
        return None


@pytest.mark.parametrize(("name", "code"), [("taxpayers", "CFDI40143"), ("obligations", "402")])
def test_plain_batches_read_the_lists_again_when_they_change(paths: BothPaths, name: str, code: str) -> None:
    xml = examples.ingreso().encode()
    assert paths.compare(xml)[1] is not None
    assert paths.compare(xml, changes={name: NoTaxpayers()}) == (code, None)
    assert paths.compare(xml)[1] is not None


@pytest.mark.parametrize("age", [timedelta(hours=73), timedelta(minutes=-6)])
def test_plain_batches_read_the_time_for_each_document(paths: BothPaths, age: timedelta) -> None:
    xml = examples.ingreso().encode()
    assert paths.compare(xml)[1] is not None
    assert paths.compare(xml, age=age) == ("401", None)


def test_plain_batches_leave_documents_to_the_ordinary_path_one_by_one(paths: BothPaths) -> None:
    plain, other = examples.ingreso().encode(), examples.pago().encode()
    assert [found is not None for found in paths.by_plain([plain, other, plain])] == [True, False, True]


def test_plain_batches_issue_what_the_ordinary_path_issues_for_rule_examples(paths: BothPaths) -> None:
    chosen = list(EXAMPLES.values())[:: rounds(9, 1)]
    before = paths.plain
    assert differing(paths, (text().encode() for each in chosen for text in (each.passing, each.failing))) == []
    assert paths.plain - before >= rounds(10, 130)


def test_plain_batches_issue_what_the_ordinary_path_issues_for_mutants(paths: BothPaths) -> None:
    chance, documents, before = random.Random(SEED), base_documents(), paths.plain
    pool, count = values_of(documents), rounds(400, 40_000)
    mutants = (mutant(chance.choice(documents), pool, chance).encode() for _ in range(count))
    assert differing(paths, mutants) == []
    assert paths.plain - before > count / 20


def test_plain_batches_issue_what_the_ordinary_path_issues_for_the_corpus(paths: BothPaths) -> None:
    files = list(corpus_path().rglob("*.xml"))[:: rounds(4, 1)]
    assert differing(paths, (file.read_bytes() for file in files)) == []


def test_rules_read_no_attribute_with_a_default() -> None:
    """A key raises an error for what it does not have; a default would hide that, and the rule would be settled."""
    files = [CONTEXT, *(path for folder in ("shared", "rulesets") for path in (RULES / folder).rglob("*.py"))]
    assert len(files) > 100
    found = [
        f"{path.relative_to(RULES)}:{node.lineno}"
        for path in files
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if node.func.id == "hasattr" or (node.func.id == "getattr" and len(node.args) == 3)
    ]
    assert found == []
