"""Public documents agree with the rule sets, or the table of explanations has the cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from tests.corpus.comparison import Case, compared, disagreements, remedied, remedies
from tests.corpus.documents import Claim
from tests.corpus.explanations import CARTA_PORTE, EXPLANATIONS
from tests.corpus.handling import Handling, handling_of
from tests.corpus.judging import STAMPED, Bench
from tests.support.corpus import corpus_path
from tests.support.profiles import STRICTER
from tools.agreement import PAGE, page


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    corpus_path()
    bench = Bench(tmp_path_factory.mktemp("corpus") / "data")
    yield bench
    bench.close()


@pytest.fixture(scope="module")
def cases(bench: Bench) -> list[Case]:
    return compared(bench)


def test_disagreements_have_one_explanation_each(cases: list[Case]) -> None:
    unclear = [str(found) for found in disagreements(cases) if len(found.explanations) != 1]
    assert unclear == []


def test_explanations_have_the_stated_counts(cases: list[Case]) -> None:
    """Each row explains exactly its count of disagreements."""
    counted = Counter(row for found in disagreements(cases) for row in found.explanations)
    assert {row: counted[row] for row in EXPLANATIONS} == {row: row.count for row in EXPLANATIONS}


def test_documents_agree_with_their_remedies(bench: Bench, cases: list[Case]) -> None:
    """With the remedies the asserted code is found and a valid document is stamped."""
    curable = [ctx for ctx in cases if ctx.disagreements and None not in remedies(ctx)]
    assert [str(ctx.sample) for ctx in curable if not remedied(bench, ctx).agrees] == []


def test_documents_without_disagreement_agree(cases: list[Case]) -> None:
    """Documents with asserted codes are rejected; valid ones are accepted without a finding."""
    assert [ctx for ctx in cases if not ctx.disagreements and not ctx.agrees] == []


def test_samples_have_the_expected_claims(cases: list[Case]) -> None:
    counted = Counter((ctx.sample.version, ctx.sample.claim) for ctx in cases)
    assert counted == {
        ("4.0", Claim.CODES): 29,
        ("4.0", Claim.COMPLEMENT): 93,
        ("4.0", Claim.VALID): 42,
        ("4.0", Claim.EXAMPLE): 71,
        ("3.3", Claim.EXAMPLE): 13,
    }


def test_documents_asserted_valid_are_stamped_except_the_listed_ones(cases: list[Case]) -> None:
    valid = [ctx for ctx in cases if ctx.sample.claim is Claim.VALID]
    rejected = [ctx.sample.name for ctx in valid if not _stamped(ctx) and not fnmatchcase(ctx.sample.name, CARTA_PORTE)]
    assert rejected == [
        "NTlink_ntlink-ws-sdk/cfdi-global.xml",
        "lunasoft_SW-sdk-NetStandard/CFDI40_ComercioExterior_DiferentesMonedas.xml",
        "lunasoft_SW-sdk-NetStandard/CFDI40_Nomina_SeparacionIndemnizacion.xml",
    ]


def test_vendor_carta_porte_documents_are_stamped_with_the_decision_of_the_vendor(
    cases: list[Case], tmp_path: Path
) -> None:
    vendor = Bench(tmp_path / "data", vendor_leniency="carta-porte")
    compared = 0
    for ctx in cases:
        if fnmatchcase(ctx.sample.name, CARTA_PORTE) and "CP159" in ctx.found:
            compared += 1
            judgement = vendor.predicate(ctx.sample, handling_of(ctx.sample))
            assert (ctx.judgement.answer, ctx.judgement.errors) == ("CP159", frozenset({"CP159"}))
            assert (judgement.answer, judgement.errors, judgement.warnings) == (
                STAMPED,
                frozenset(),
                frozenset({"CP159"}),
            )
    vendor.close()
    assert compared == 8


def test_vendor_document_with_another_use_of_a_foreigner_is_stamped_with_the_decision_of_the_vendor(
    cases: list[Case], tmp_path: Path
) -> None:
    vendor = Bench(tmp_path / "data", vendor_leniency="all")
    name = "lunasoft_SW-sdk-NetStandard/CFDI40_ComercioExterior_DiferentesMonedas.xml"
    (ctx,) = [each for each in cases if each.sample.name == name]
    judgement = vendor.predicate(ctx.sample, Handling(registered=handling_of(ctx.sample).registered))
    vendor.close()
    assert ctx.judgement.answer == "CFDI40161"
    assert (judgement.answer, judgement.errors) == (STAMPED, frozenset())
    assert "CFDI40161" in judgement.warnings


def test_stamping_and_validation_agree_on_public_documents(cases: list[Case]) -> None:
    """A document is stamped exactly when validation has no error, but for codes that the profiles distinguish."""
    differing = [
        (ctx.sample.name, ctx.judgement)
        for ctx in cases
        if ctx.sample.version == "4.0"
        and (ctx.judgement.answer == STAMPED) != (not ctx.judgement.errors)
        and ctx.judgement.answer not in STRICTER & ctx.judgement.warnings
    ]
    assert differing == []


def test_agreement_page_is_up_to_date(cases: list[Case]) -> None:
    assert PAGE.read_text("utf-8") == page(cases), "run python -m tools.agreement"


def _stamped(ctx: Case) -> bool:
    return ctx.judgement.answer == STAMPED
