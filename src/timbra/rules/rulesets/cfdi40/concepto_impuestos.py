"""Taxes of Conceptos: CFDI40174 to CFDI40186, CFDI140224, CFDI140225, and the 8 % IVA of the border region."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes import Comprobante, Retencion, Traslado
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cfdi40.sources import ANEXO_29_BORDER
from timbra.rules.shared.invoice.impuestos import (
    amount_equals_base_times_rate,
    base_is_positive,
    has_no_rate_nor_amount,
    has_rate_and_amount,
    is_border_iva,
    is_exempt,
    is_not_exempt,
    is_tax_for_use,
    is_taxed,
    issuer_has_border_stimulus,
    place_is_in_region_of_issuer,
    product_has_border_stimulus,
    states_rate,
    transfers_border_iva,
)
from timbra.rules.shared.predicates import has_rate, in_catalog

ISR = "001"
RESICO = "626"
RESICO_RATE = Decimal("0.0125")
NO_WITHHOLDING, WITHHOLDING = "1", "2"


CFDI40174 = row(
    "CFDI40174",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@Base",
    says="Base del traslado debe ser mayor que cero.",
    check=base_is_positive,
)


CFDI40175 = row(
    "CFDI40175",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@Impuesto",
    says="Impuesto del traslado debe ser una clave de c_Impuesto que se pueda trasladar.",
    check=is_tax_for_use("traslado", "trasladar"),
)


CFDI40176 = row(
    "CFDI40176",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@TipoFactor",
    says="TipoFactor del traslado debe ser una clave vigente de c_TipoFactor.",
    check=in_catalog("c_TipoFactor", "TipoFactor"),
)


CFDI40177 = row(
    "CFDI40177",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@TipoFactor",
    says="Un traslado Exento no debe tener TasaOCuota ni Importe.",
    check=has_no_rate_nor_amount,
    applies=is_exempt,
)


CFDI40178 = row(
    "CFDI40178",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@TipoFactor",
    says="Un traslado con Tasa o Cuota debe tener TasaOCuota e Importe.",
    check=has_rate_and_amount,
    applies=is_taxed,
)


CFDI40179 = row(
    "CFDI40179",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@TasaOCuota",
    says="TasaOCuota del traslado debe corresponder a c_TasaOCuota.",
    check=has_rate("transfer"),
    inseparable=("CFDI40219",),
)


CFDI40180 = row(
    "CFDI40180",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@Importe",
    says="Importe del traslado debe estar entre los límites de Base por TasaOCuota.",
    check=amount_equals_base_times_rate,
    applies=states_rate,
)


CFDI40181 = row(
    "CFDI40181",
    Retencion,
    at="Conceptos/Concepto/Impuestos/Retenciones/Retencion/@Base",
    says="Base de la retención debe ser mayor que cero.",
    check=base_is_positive,
)


CFDI40182 = row(
    "CFDI40182",
    Retencion,
    at="Conceptos/Concepto/Impuestos/Retenciones/Retencion/@Impuesto",
    says="Impuesto de la retención debe ser una clave de c_Impuesto que se pueda retener.",
    check=is_tax_for_use("retencion", "retener"),
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
    check=is_not_exempt,
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
    check=amount_equals_base_times_rate,
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


CFDI40999_IVA8_RFC = row(
    "CFDI40999:IVA8-RFC",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@TasaOCuota",
    says="Con IVA de 8 %, el RFC del emisor debe estar en la LCO con ValidezObligaciones 2, 3 o 4.",
    check=issuer_has_border_stimulus,
    applies=is_border_iva,
    needs=(DataRequirement.OBLIGATIONS,),
    cites=ANEXO_29_BORDER,
)


CFDI40999_IVA8_LugarExpedicion = row(
    "CFDI40999:IVA8-LugarExpedicion",
    Comprobante,
    at="@LugarExpedicion",
    says="Con IVA de 8 %, LugarExpedicion debe estar en la franja fronteriza de ValidezObligaciones del emisor.",
    note="Con 2 es la franja norte, con 3 la sur, y con 4 cualquiera de las dos.",
    check=place_is_in_region_of_issuer,
    applies=transfers_border_iva,
    needs=(DataRequirement.OBLIGATIONS,),
    cites=ANEXO_29_BORDER,
)


CFDI40999_IVA8_ClaveProdServ = row(
    "CFDI40999:IVA8-ClaveProdServ",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@TasaOCuota",
    says="Con IVA de 8 %, ClaveProdServ debe tener el estímulo de la franja fronteriza en c_ClaveProdServ.",
    note="Se admite la clave 01010101 con ClaveUnidad ACT, la de las facturas globales.",
    check=product_has_border_stimulus,
    applies=is_border_iva,
    columns=(("c_ClaveProdServ", "estimulo_frontera"),),
    cites=ANEXO_29_BORDER,
)
