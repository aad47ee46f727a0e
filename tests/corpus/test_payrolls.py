"""Public payrolls that assert codes of Nómina: each is found, or the table says what the document lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from tests.corpus.documents import Claim, Sample, samples
from tests.corpus.handling import Handling, handling_of
from tests.corpus.judging import Bench
from tests.support.corpus import corpus_path

ASSERTED = re.compile(r"NOM0*([1-9]\d*)")
UNREADABLE = "NOM10"
"""Its document lacks the required Curp: the structure answers first, with 301."""
REGISTERED = "NOM9"
"""Its document lives among the taxpayers that it tells, its worker too."""

REMEDIES = {
    # Of mixed funds only 0.00 of 1.00 is its own, and an element without content holds a line break.
    "NOM50": (r'MontoRecursoPropio="0\.00">\s*<', 'MontoRecursoPropio="1.00"><'),
    # FechaPago has a year of three digits, which the schema refuses first.
    "NOM55": ('FechaPago="202-', 'FechaPago="2022-'),
    # TotalExento is the sum.
    "NOM74": ('TotalExento="3.00"', 'TotalExento="2.00"'),
    # Neither MontoDiario nor TotalParcialidad is there.
    "NOM89": ('TotalUnaExhibicion="1.0"', 'TotalUnaExhibicion="1.0" MontoDiario="1.0"'),
    # The key 006 is written as Clave, not as TipoDeduccion.
    "NOM94": ('TipoDeduccion="001"', 'TipoDeduccion="006"'),
}
"""By the asserted code: why its document does not break it, and what makes it."""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    corpus_path()
    bench = Bench(tmp_path_factory.mktemp("corpus") / "data")
    yield bench
    bench.close()


def asserted(sample: Sample) -> str:
    """The code that a document asserts, as SAT numbers it; empty for one of another complement."""
    codes = [match for code in sample.codes if (match := ASSERTED.fullmatch(code))]
    return f"NOM{codes[0][1]}" if codes else ""


def payrolls() -> dict[str, Sample]:
    aside = [sample for sample in samples() if sample.claim is Claim.COMPLEMENT]
    return {code: sample for sample in aside if (code := asserted(sample))}


def found(bench: Bench, sample: Sample, *changes: tuple[str, str]) -> frozenset[str]:
    """What validation finds."""
    handling = handling_of(sample).with_all([Handling(changes=changes)])
    judgement = bench.judge(sample, handling)
    return judgement.errors | judgement.warnings


def test_every_asserted_code_is_found_but_where_the_document_is_wrong(bench: Bench) -> None:
    missing = {code for code, sample in payrolls().items() if code not in found(bench, sample)}
    assert missing == {*REMEDIES, UNREADABLE, REGISTERED}
    assert len(payrolls()) == 44


@pytest.mark.parametrize("code", REMEDIES)
def test_what_the_document_lacks_is_what_hides_its_code(bench: Bench, code: str) -> None:
    assert code in found(bench, payrolls()[code], REMEDIES[code])


def test_a_payroll_without_curp_is_no_payroll(bench: Bench) -> None:
    assert "301" in found(bench, payrolls()[UNREADABLE])
