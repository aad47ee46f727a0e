"""The path for plain invoices: what it issues or stamps gets the same bytes from the ordinary path."""

from __future__ import annotations

import ast
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path
from unittest import mock

import pytest
from tests.support.corpus import corpus_path
from tests.support.effort import rounds
from tests.support.plain_mutants import payments
from tests.support.plain_paths import ISSUE, STAMP, BothPaths, Issued, sealed_of
from tests.support.rule_set_examples import EXAMPLES

from timbra import examples, rules
from timbra._native import STATE
from timbra.stamping.plain.nodes import KeyReader

pytestmark = pytest.mark.skipif(not STATE.active, reason="without native code no document is plain")

SEED = 20
COMPLEMENT = re.compile(r'xmlns:(?!cfdi"?=|xsi=)(\w+)=')
RULES = Path(rules.__file__).parent
CONTEXT = RULES / "engine" / "context.py"


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BothPaths]:
    paths = BothPaths(tmp_path_factory.mktemp("plain") / "data")
    yield paths
    paths.close()


def differing(paths: BothPaths, documents: Iterable[bytes]) -> list[bytes]:
    """Return the documents that are plain and that the ordinary path does not issue, or stamp, with the same bytes.

    What is issued is stamped too, as sealed by its issuer.
    """
    found = []
    for document in documents:
        ordinary, plain = paths.compare(document)
        different = plain is not None and plain != ordinary
        if isinstance(ordinary, Issued):
            stamped, plain = paths.compare(sealed_of(ordinary), STAMP)
            different = different or (plain is not None and plain != stamped)
        if different:
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
    plain, other = examples.ingreso().encode(), examples.nomina().encode()
    assert [found is not None for found in paths.by_plain([plain, other, plain])] == [True, False, True]


def test_plain_batches_leave_what_the_ordinary_path_rejects_for_rule_examples(paths: BothPaths) -> None:
    chosen = list(EXAMPLES.values())[:: rounds(9, 1)]
    assert differing(paths, (each.failing().encode() for each in chosen)) == []


def test_plain_batches_stamp_the_valid_rule_examples(paths: BothPaths) -> None:
    """How many valid documents are plain, by type and complements; all get what the ordinary path gives them.

    A rule that makes documents not plain changes a number: it reads an amount without a form, or what no key has.
    """
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for text in dict.fromkeys(each.passing() for each in EXAMPLES.values()):
        ordinary, plain = paths.compare(text.encode())
        if not isinstance(ordinary, Issued):
            continue
        sealed, stamped = paths.compare(sealed_of(ordinary), STAMP)
        assert plain in (None, ordinary), text
        assert stamped in (None, sealed), text
        assert (plain is None) is (stamped is None), text
        of = [ordinary.claim.record.kind, *COMPLEMENT.findall(text)]
        found[" ".join(dict.fromkeys(of))].update(["valid"] if plain is None else ["valid", "plain"])
    shares = {of: (counts["plain"], counts["valid"]) for of, counts in sorted(found.items())}
    assert shares == {
        "E": (2, 2),
        "E gceh": (0, 6),
        "I": (24, 24),
        "I cartaporte31": (0, 1),
        "I cce20": (0, 7),
        "I consumodecombustibles11": (0, 1),
        "I ecc12": (0, 1),
        "I hidrocarburospetroliferos": (0, 1),
        "I ieeh": (0, 1),
        "I ine": (0, 6),
        "N nomina12": (32, 32),
        "P pago20": (21, 22),
        "T": (0, 2),
        "T cartaporte30": (0, 1),
        "T cartaporte31": (0, 35),
        "T cce20": (0, 14),
    }


def test_plain_batches_issue_what_the_ordinary_path_issues_for_payments_near_their_limits(paths: BothPaths) -> None:
    chance, before, count = random.Random(SEED), paths.plain[ISSUE], rounds(150, 20_000)
    assert differing(paths, (payments(chance).encode() for _ in range(count))) == []
    assert paths.plain[ISSUE] - before > count / 10


def test_plain_batches_evaluate_a_failed_key_once(paths: BothPaths) -> None:
    wrong = examples.ingreso({"Receptor/@UsoCFDI": "D10"}).encode()
    with mock.patch.object(KeyReader, "receiver", autospec=True, side_effect=KeyReader.receiver) as read:
        assert [paths.compare(wrong) for _ in range(3)] == [("CFDI40161", None)] * 3
    assert read.call_count == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [(' Sello="', ' Sello="A'), (' Certificado="', ' Certificado="A'), (' NoCertificado="', ' NoCertificado="1')],
)
def test_plain_batches_leave_another_seal_to_the_ordinary_path(paths: BothPaths, old: str, new: str) -> None:
    issued = paths.compare(examples.ingreso().encode())[0]
    assert isinstance(issued, Issued)
    sealed = sealed_of(issued)
    assert paths.compare(sealed, STAMP)[1] is not None
    ordinary, plain = paths.compare(sealed.replace(old.encode(), new.encode()), STAMP)
    assert isinstance(ordinary, str)
    assert plain is None


def test_plain_batches_check_the_certificate_of_each_sealed_invoice(paths: BothPaths) -> None:
    issued = paths.compare(examples.ingreso().encode())[0]
    assert isinstance(issued, Issued)
    assert paths.compare(sealed_of(issued), STAMP)[1] is not None
    other = paths.app.mint(rfc=examples.ROBOTICA.rfc)
    assert paths.compare(paths.app.sealed(examples.ingreso(), other), STAMP) == ("303", None)


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
