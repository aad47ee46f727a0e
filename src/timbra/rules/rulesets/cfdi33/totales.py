"""SubTotal, Descuento and Total: CFDI33106 to CFDI33111, CFDI33118, CFDI33119."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.base import ZERO
from timbra.core.money import half_up
from timbra.examples.cfdi33 import ingreso33, traslado33
from timbra.examples.codes.cfdi33 import above_maximum, sale_with_discount, with_conceptos
from timbra.examples.codes.comprobante import discounted
from timbra.examples.codes.example import Example, example
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Severity, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cfdi33.sources import MATRIX_2022_01
from timbra.rules.shared.invoice import totals
from timbra.rules.shared.predicates import has_decimals_of_currency

CFDI33106 = row(
    "CFDI33106",
    Comprobante,
    at="@SubTotal",
    says="SubTotal no debe tener más decimales que la moneda.",
    check=has_decimals_of_currency("SubTotal"),
    cites=MATRIX_2022_01,
    fails={"@SubTotal": "200.000"},
)


CFDI33107 = row(
    "CFDI33107",
    Comprobante,
    at="@SubTotal",
    says="SubTotal debe ser la suma de los importes de los conceptos, redondeada a los decimales de la moneda.",
    check=totals.subtotal_equals_sum_of_amounts,
    types="IEN",
    cites=MATRIX_2022_01,
    fails={"@SubTotal": "199.00", "@Total": "231.00"},
)


CFDI33108 = row(
    "CFDI33108",
    Comprobante,
    at="@SubTotal",
    says="SubTotal debe ser cero en comprobantes de tipo T o P.",
    check=totals.subtotal_is_zero,
    types="TP",
    cites=MATRIX_2022_01,
    fails=example(traslado33, {"@SubTotal": "1"}),
)


CFDI33109 = row(
    "CFDI33109",
    Comprobante,
    at="@Descuento",
    says="Descuento no debe ser mayor que SubTotal.",
    check=totals.discount_is_at_most_subtotal,
    inseparable=("CFDI33151",),
    cites=MATRIX_2022_01,
    fails=Example(sale_with_discount, lambda: with_conceptos(discounted("201.00"))),
)


@rule(
    "CFDI33110",
    at="@Descuento",
    says="Descuento debe ser la suma de los descuentos de los conceptos, y solo existir si alguno lo tiene.",
    note="Se timbraron comprobantes con Descuento 0 aunque ningún concepto lo lleve.",
    cites=MATRIX_2022_01,
    fails=example(ingreso33, {"@Descuento": "9.00", "@Total": "223.00"}, passes={"@Descuento": "0.00"}),
)
def discount_equals_sum_of_discounts_or_zero(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    if comprobante.descuento == ZERO and all(concepto.Descuento is None for concepto in comprobante.conceptos):
        return None
    return totals.discount_equals_sum_of_discounts(comprobante, ctx)


CFDI33111 = row(
    "CFDI33111",
    Comprobante,
    at="@Descuento",
    says="Descuento no debe tener más decimales que la moneda.",
    check=has_decimals_of_currency("Descuento"),
    cites=MATRIX_2022_01,
    fails=Example(sale_with_discount, lambda: sale_with_discount({"@Descuento": "10.000"})),
)


@rule(
    "CFDI33118",
    at="@Total",
    says="Total debe ser SubTotal menos descuentos más traslados menos retenciones, o cero en los tipos T y P.",
    note="Se comparan con los decimales de la moneda, porque ninguna regla limita los de Total.",
    cites=MATRIX_2022_01,
    fails=example(ingreso33, {"@Total": "233.00"}, passes={"@Total": "232.004"}),
)
def total_equals_computed_total(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    if ctx.decimals is None:
        return None
    has_amounts = comprobante.TipoDeComprobante not in ("T", "P")
    expected = half_up(totals.computed_total(comprobante), ctx.decimals) if has_amounts else ZERO
    found = half_up(comprobante.total, ctx.decimals) if has_amounts else comprobante.total
    if found == expected:
        return None
    why = totals.computed_total_text(comprobante) if has_amounts else f"por el tipo {comprobante.TipoDeComprobante}"
    return Violation(found=comprobante.Total, expected=f"{expected:f}, {why}")


CFDI33119 = row(
    "CFDI33119",
    Comprobante,
    at="@Total",
    says="Un Total mayor que el límite permitido requiere Confirmacion.",
    check=totals.total_is_within_maximum_or_confirmed,
    types="IEN",
    severity=Severity.SUSPENDED,
    cites=MATRIX_2022_01,
    fails=Example(lambda: above_maximum({"@Confirmacion": "ABCDE"}), above_maximum),
)
