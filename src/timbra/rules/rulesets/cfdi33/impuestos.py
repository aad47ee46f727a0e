"""Totals of Comprobante/Impuestos: CFDI33179 to CFDI33184, CFDI33187, CFDI33190."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from timbra.cfdi.nodes import ImpuestosTotales
from timbra.cfdi.nodes.base import ZERO
from timbra.core.money import half_up
from timbra.examples.cfdi33 import ingreso33, traslado33
from timbra.examples.codes.cfdi33 import unrounded, with_isr_withheld
from timbra.examples.codes.example import Example, example
from timbra.examples.tree import ExampleNode
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cfdi33.sources import MATRIX_2022_01
from timbra.rules.shared.invoice import tax_totals
from timbra.rules.shared.invoice.document_type import impuestos_is_absent_in_type
from timbra.rules.shared.predicates import has_decimals_of_currency

CFDI33179 = row(
    "CFDI33179",
    ImpuestosTotales,
    at="Impuestos",
    says="El nodo Impuestos del comprobante no debe existir en los tipos T y P.",
    note="En Nómina, que el Anexo 20 también menciona, se informa NOM149.",
    check=impuestos_is_absent_in_type,
    types="TP",
    cites=MATRIX_2022_01,
    fails=example(traslado33, {"Impuestos": ExampleNode("cfdi:Impuestos")}),
)


CFDI33180 = row(
    "CFDI33180",
    ImpuestosTotales,
    at="Impuestos/@TotalImpuestosRetenidos",
    says="TotalImpuestosRetenidos no debe tener más decimales que la moneda.",
    check=has_decimals_of_currency("TotalImpuestosRetenidos"),
    cites=MATRIX_2022_01,
    fails=example(with_isr_withheld, {"Impuestos/@TotalImpuestosRetenidos": "20.000"}),
)


def _equals_sum(
    ctx: EvaluationContext, text: str | None, value: Decimal, rows: Iterable[Decimal], what: str
) -> RuleResult:
    """Compare at the decimals of the currency: rows may have more, because CFDI33188 and CFDI33194 are not applied."""
    if text is None or ctx.decimals is None:
        return None
    total = sum(rows, ZERO)
    expected = half_up(total, ctx.decimals)
    if half_up(value, ctx.decimals) == expected:
        return None
    return Violation(found=text, expected=f"{expected:f}, la suma {total:f} de {what}")


@rule(
    "CFDI33181",
    at="Impuestos/@TotalImpuestosRetenidos",
    says="TotalImpuestosRetenidos debe ser la suma de las retenciones.",
    note="Ambos lados se comparan con los decimales de la moneda, porque las filas pueden tener más.",
    cites=MATRIX_2022_01,
    fails=example(with_isr_withheld, {"Impuestos/@TotalImpuestosRetenidos": "21.00", "@Total": "211.00"}),
)
def withheld_total_equals_sum_of_rows(impuestos: ImpuestosTotales, ctx: EvaluationContext) -> RuleResult:
    rows = (row.importe for row in impuestos.retenciones)
    return _equals_sum(ctx, impuestos.TotalImpuestosRetenidos, impuestos.retenidos, rows, "las retenciones")


CFDI33182 = row(
    "CFDI33182",
    ImpuestosTotales,
    at="Impuestos/@TotalImpuestosTrasladados",
    says="TotalImpuestosTrasladados no debe tener más decimales que la moneda.",
    check=has_decimals_of_currency("TotalImpuestosTrasladados"),
    cites=MATRIX_2022_01,
    fails={"Impuestos/@TotalImpuestosTrasladados": "32.000"},
)


@rule(
    "CFDI33183",
    at="Impuestos/@TotalImpuestosTrasladados",
    says="TotalImpuestosTrasladados debe ser la suma de los traslados.",
    note="Ambos lados se comparan con los decimales de la moneda, porque las filas pueden tener más.",
    cites=MATRIX_2022_01,
    fails=Example(unrounded, lambda: ingreso33({"Impuestos/@TotalImpuestosTrasladados": "33.00", "@Total": "233.00"})),
)
def transferred_total_equals_sum_of_rows(impuestos: ImpuestosTotales, ctx: EvaluationContext) -> RuleResult:
    rows = (row.importe for row in impuestos.traslados)
    return _equals_sum(ctx, impuestos.TotalImpuestosTrasladados, impuestos.trasladados, rows, "los traslados")


CFDI33184 = row(
    "CFDI33184",
    ImpuestosTotales,
    at="Impuestos/@TotalImpuestosRetenidos",
    says="Con el nodo Retenciones debe existir TotalImpuestosRetenidos.",
    check=tax_totals.has_withheld_total_with_container,
    inseparable=("CFDI33187",),
    cites=MATRIX_2022_01,
    fails=example(with_isr_withheld, {"Impuestos/@TotalImpuestosRetenidos": None, "@Total": "232.00"}),
)


CFDI33187 = row(
    "CFDI33187",
    ImpuestosTotales,
    at="Impuestos/@TotalImpuestosRetenidos",
    says="Con una retención total debe existir TotalImpuestosRetenidos.",
    check=tax_totals.has_withheld_total_with_row,
    inseparable=("CFDI33184",),
    cites=MATRIX_2022_01,
    fails=example(with_isr_withheld, {"Impuestos/@TotalImpuestosRetenidos": None, "@Total": "232.00"}),
)


@rule(
    "CFDI33190",
    at="Impuestos/@TotalImpuestosTrasladados",
    says="Con el nodo Traslados debe existir TotalImpuestosTrasladados.",
    cites=MATRIX_2022_01,
    fails={"Impuestos/@TotalImpuestosTrasladados": None, "@Total": "200.00"},
)
def traslados_have_transferred_total(impuestos: ImpuestosTotales, _ctx: EvaluationContext) -> RuleResult:
    if not impuestos.has_traslados or impuestos.TotalImpuestosTrasladados is not None:
        return None
    return Violation(expected="el total, por el nodo Traslados")
