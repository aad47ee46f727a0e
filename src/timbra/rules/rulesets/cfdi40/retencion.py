"""Retenciones of a Concepto: CFDI40181 to CFDI40186, CFDI140224, CFDI140225."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes import Comprobante, Retencion
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.shared.invoice import taxes
from timbra.rules.shared.predicates import has_rate, in_catalog

ISR = "001"
RESICO = "626"
RESICO_RATE = Decimal("0.0125")
NO_WITHHOLDING, WITHHOLDING = "1", "2"


CFDI40181 = row(
    "CFDI40181",
    Retencion,
    at="Conceptos/Concepto/Impuestos/Retenciones/Retencion/@Base",
    says="Base de la retención debe ser mayor que cero.",
    check=taxes.base_is_positive,
)


CFDI40182 = row(
    "CFDI40182",
    Retencion,
    at="Conceptos/Concepto/Impuestos/Retenciones/Retencion/@Impuesto",
    says="Impuesto de la retención debe ser una clave de c_Impuesto que se pueda retener.",
    check=taxes.is_tax_for_use("retencion", "retener"),
    inseparable=("CFDI40207",),
)


CFDI40183 = row(
    "CFDI40183",
    Retencion,
    at="Conceptos/Concepto/Impuestos/Retenciones/Retencion/@TipoFactor",
    says="TipoFactor de la retención debe ser una clave vigente de c_TipoFactor.",
    check=in_catalog("c_TipoFactor", "TipoFactor"),
)


CFDI40184 = row(
    "CFDI40184",
    Retencion,
    at="Conceptos/Concepto/Impuestos/Retenciones/Retencion/@TipoFactor",
    says="TipoFactor de la retención no debe ser Exento.",
    check=taxes.is_not_exempt,
)


CFDI40185 = row(
    "CFDI40185",
    Retencion,
    at="Conceptos/Concepto/Impuestos/Retenciones/Retencion/@TasaOCuota",
    says="TasaOCuota de la retención debe corresponder a c_TasaOCuota.",
    check=has_rate("withholding"),
)


CFDI40186 = row(
    "CFDI40186",
    Retencion,
    at="Conceptos/Concepto/Impuestos/Retenciones/Retencion/@Importe",
    says="Importe de la retención debe estar entre los límites de Base por TasaOCuota.",
    check=taxes.amount_equals_base_times_rate,
)


def is_resico_to_persona_moral(comprobante: Comprobante, _ctx: EvaluationContext) -> bool:
    """Whether a persona física of regime 626 invoices a persona moral."""
    emisor, receptor = comprobante.emisor, comprobante.receptor
    return emisor.RegimenFiscal == RESICO and len(emisor.Rfc) == 13 and len(receptor.Rfc) == 12


@rule(
    "CFDI140224",
    at="Conceptos/Concepto",
    says="Una persona física del régimen 626 con la marca Retención 1 en l_RFC no debe llevar retención de ISR.",
    note="Solo se evalúa cuando el receptor es una persona moral.",
    applies=is_resico_to_persona_moral,
    needs=(DataRequirement.MARKS,),
)
def marked_issuer_has_no_isr_withheld(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    if _withholding_mark(ctx) != NO_WITHHOLDING:
        return None
    found = next((row for row in comprobante.retenciones if row.Impuesto == ISR), None)
    if found is None:
        return None
    return Violation(found=ISR, expected="que no se retenga ISR a este emisor", at=f"{found.path}/@Impuesto")


@rule(
    "CFDI140225",
    at="Conceptos/Concepto",
    says="Una persona física del régimen 626 con la marca Retención 2 en l_RFC debe llevar ISR retenido de 1.25 %.",
    note="Solo se evalúa cuando el receptor es una persona moral.",
    applies=is_resico_to_persona_moral,
    needs=(DataRequirement.MARKS,),
)
def marked_issuer_has_isr_withheld(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    if _withholding_mark(ctx) != WITHHOLDING:
        return None
    rows = (row for row in comprobante.retenciones if row.Impuesto == ISR)
    if any(ctx.rate(row.TasaOCuota) == RESICO_RATE for row in rows):
        return None
    return Violation(expected="una Retencion con Impuesto 001 y TasaOCuota 0.012500")


def _withholding_mark(ctx: EvaluationContext) -> str | None:
    marks = ctx.reference_data.marks
    return marks.withholding(ctx.comprobante.emisor.Rfc) if marks is not None else None
