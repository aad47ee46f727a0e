"""Types of related CFDI: evaluated for available documents, not evaluated for missing ones."""

from __future__ import annotations

import pytest
from tests.support.rules import checked

from timbra.examples import ingreso, relation
from timbra.rules.engine.result import DataRequirement, EvaluationResult, NotEvaluated

INVOICE, PAYMENT, UNKNOWN = (f"{digit}d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d11" for digit in "123")
NOT_EVALUATED = NotEvaluated("CFDI40999", DataRequirement.RELATED, "cfdi40")


class TwoDocuments:
    """A source with an invoice and a payment."""

    def type_of(self, folio: str) -> str | None:
        return {INVOICE: "I", PAYMENT: "P"}.get(folio)


def related(*folios: str, tipo: str = "01") -> EvaluationResult:
    return checked(ingreso({"CfdiRelacionados": relation(tipo, *folios)}), related=TwoDocuments())


@pytest.mark.parametrize("tipo", ["01", "02", "03", "04", "07"])
@pytest.mark.parametrize("folios", [(UNKNOWN,), (INVOICE, UNKNOWN), (UNKNOWN, INVOICE)])
def test_relation_is_not_evaluated_when_a_related_cfdi_is_unknown(folios: tuple[str, ...], tipo: str) -> None:
    outcome = related(*folios, tipo=tipo)
    assert outcome.findings == ()
    assert NOT_EVALUATED in outcome.not_evaluated


def test_relation_is_evaluated_when_every_related_cfdi_is_known() -> None:
    outcome = related(INVOICE, INVOICE)
    assert outcome.findings == ()
    assert NOT_EVALUATED not in outcome.not_evaluated


def test_relation_is_violated_by_a_known_cfdi_although_another_is_unknown() -> None:
    [finding] = related(UNKNOWN, PAYMENT).findings
    assert (finding.code, finding.found) == ("CFDI40999", f"{PAYMENT}, de tipo P")
