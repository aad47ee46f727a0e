"""Totals of Comprobante/Impuestos: CFDI40201 to CFDI40206, CFDI40209, CFDI40212."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, ImpuestosTotales
from timbra.cfdi.nodes.base import ZERO
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cfdi40.sources import ANEXO_20
from timbra.rules.shared.invoice import tax_totals
from timbra.rules.shared.invoice.document_type import impuestos_is_absent_in_type
from timbra.rules.shared.predicates import has_decimals_of_currency

CFDI40201 = row(
    "CFDI40201",
    ImpuestosTotales,
    at="Impuestos",
    says="El nodo Impuestos del comprobante no debe existir en los tipos T y P.",
    check=impuestos_is_absent_in_type,
    types="TP",
)


CFDI40999_Impuestos_N = row(
    "CFDI40999:Impuestos-N",
    ImpuestosTotales,
    at="Impuestos",
    says="El nodo Impuestos del comprobante no debe existir en el tipo N.",
    check=impuestos_is_absent_in_type,
    types="N",
    cites=ANEXO_20,
)


CFDI40202 = row(
    "CFDI40202",
    ImpuestosTotales,
    at="Impuestos/@TotalImpuestosRetenidos",
    says="TotalImpuestosRetenidos no debe tener más decimales que la moneda.",
    check=has_decimals_of_currency("TotalImpuestosRetenidos"),
)


@rule(
    "CFDI40203",
    at="Impuestos/@TotalImpuestosRetenidos",
    says="TotalImpuestosRetenidos debe ser la suma de las retenciones.",
)
def withheld_total_equals_sum_of_rows(impuestos: ImpuestosTotales, _ctx: EvaluationContext) -> RuleResult:
    if impuestos.TotalImpuestosRetenidos is None:
        return None
    expected = sum([row.importe for row in impuestos.retenciones], ZERO)
    if impuestos.retenidos == expected:
        return None
    return Violation(found=impuestos.TotalImpuestosRetenidos, expected=f"{expected:f}, la suma de las retenciones")


CFDI40204 = row(
    "CFDI40204",
    ImpuestosTotales,
    at="Impuestos/@TotalImpuestosTrasladados",
    says="TotalImpuestosTrasladados no debe tener más decimales que la moneda.",
    check=has_decimals_of_currency("TotalImpuestosTrasladados"),
)


@rule(
    "CFDI40205",
    at="Impuestos/@TotalImpuestosTrasladados",
    says="TotalImpuestosTrasladados debe ser la suma de los traslados.",
)
def transferred_total_equals_sum_of_rows(impuestos: ImpuestosTotales, _ctx: EvaluationContext) -> RuleResult:
    if impuestos.TotalImpuestosTrasladados is None:
        return None
    expected = sum([row.importe for row in impuestos.traslados], ZERO)
    if impuestos.trasladados == expected:
        return None
    return Violation(found=impuestos.TotalImpuestosTrasladados, expected=f"{expected:f}, la suma de los traslados")


CFDI40206 = row(
    "CFDI40206",
    ImpuestosTotales,
    at="Impuestos/@TotalImpuestosRetenidos",
    says="Con el nodo Retenciones debe existir TotalImpuestosRetenidos.",
    check=tax_totals.has_withheld_total_with_container,
    inseparable=("CFDI40209",),
)


CFDI40209 = row(
    "CFDI40209",
    ImpuestosTotales,
    at="Impuestos/@TotalImpuestosRetenidos",
    says="Con una retención total debe existir TotalImpuestosRetenidos.",
    check=tax_totals.has_withheld_total_with_row,
    inseparable=("CFDI40206",),
)


@rule(
    "CFDI40212",
    at="Impuestos/@TotalImpuestosTrasladados",
    says="TotalImpuestosTrasladados debe existir si algún traslado no es Exento.",
)
def taxed_conceptos_have_transferred_total(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    impuestos = comprobante.impuestos
    if not ctx.sums.some_taxed or (impuestos is not None and impuestos.TotalImpuestosTrasladados is not None):
        return None
    return Violation(expected="el total, por los traslados de los conceptos que no son exentos")
