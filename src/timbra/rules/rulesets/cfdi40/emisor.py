"""The issuer: CFDI40138 to CFDI40142."""

from __future__ import annotations

from timbra.cfdi.nodes import Emisor
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.shared.invoice.parties import has_registered_name, is_registered_name, issuer_regime_matches_person
from timbra.rules.shared.predicates import in_catalog

TAXPAYERS = (DataRequirement.TAXPAYERS,)


def has_acquirer_operation(emisor: Emisor, _ctx: EvaluationContext) -> bool:
    """Whether the issuer has FacAtrAdquirente."""
    return emisor.FacAtrAdquirente is not None


CFDI40138 = row(
    "CFDI40138",
    Emisor,
    at="Emisor/@Nombre",
    says="El nombre del emisor debe estar en la lista de RFC inscritos y no cancelados.",
    note="Se busca el nombre en toda la lista: sin un índice de nombres, otro nombre no se puede evaluar.",
    check=has_registered_name("Nombre", "Rfc"),
    needs=TAXPAYERS,
    inseparable=("CFDI40139",),
    reported_after="CFDI40139",
)


CFDI40139 = row(
    "CFDI40139",
    Emisor,
    at="Emisor/@Nombre",
    says="El nombre del emisor debe ser el registrado para su RFC.",
    check=is_registered_name("Nombre", "Rfc"),
    needs=TAXPAYERS,
)


CFDI40140 = row(
    "CFDI40140",
    Emisor,
    at="Emisor/@RegimenFiscal",
    says="El régimen del emisor debe ser una clave vigente de c_RegimenFiscal.",
    check=in_catalog("c_RegimenFiscal", "RegimenFiscal"),
)


CFDI40141 = row(
    "CFDI40141",
    Emisor,
    at="Emisor/@RegimenFiscal",
    says="El régimen del emisor debe corresponder a su tipo de persona.",
    check=issuer_regime_matches_person,
)


@rule(
    "CFDI40142",
    at="Emisor/@FacAtrAdquirente",
    says="FacAtrAdquirente debe ser el número de operación que dio el servicio de validación de RFC.",
    note="El esquema exige diez dígitos.",
    applies=has_acquirer_operation,
    needs=(DataRequirement.ACQUIRERS,),
)
def acquirer_operation_has_positive_answer(emisor: Emisor, ctx: EvaluationContext) -> RuleResult:
    number, operations = emisor.FacAtrAdquirente, ctx.reference_data.acquirers
    if number is None or operations is None or operations.answered(number, emisor.Rfc):
        return None
    return Violation(found=number, expected="un número de operación con respuesta positiva del servicio del SAT")
