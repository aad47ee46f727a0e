"""SubTotal, Descuento and Total: CFDI40107 to CFDI40112, CFDI40119, CFDI40120."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.base import ZERO
from timbra.core.money import half_up
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Severity, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.shared.conditions import decimals_of
from timbra.rules.shared.invoice import totals
from timbra.rules.shared.predicates import has_decimals_of_currency

CFDI40107 = row(
    "CFDI40107",
    Comprobante,
    at="@SubTotal",
    says="SubTotal no debe tener más decimales que la moneda.",
    check=has_decimals_of_currency("SubTotal"),
)


CFDI40108 = row(
    "CFDI40108",
    Comprobante,
    at="@SubTotal",
    says="SubTotal debe ser la suma de los importes de los conceptos, redondeada a los decimales de la moneda.",
    check=totals.subtotal_equals_sum_of_amounts,
    types="IEN",
)


CFDI40109 = row(
    "CFDI40109",
    Comprobante,
    at="@SubTotal",
    says="SubTotal debe ser cero en comprobantes de tipo T o P.",
    check=totals.subtotal_is_zero,
    types="TP",
)


CFDI40110 = row(
    "CFDI40110",
    Comprobante,
    at="@Descuento",
    says="Descuento no debe ser mayor que SubTotal.",
    check=totals.discount_is_at_most_subtotal,
    inseparable=("CFDI40169",),
)


CFDI40111 = row(
    "CFDI40111",
    Comprobante,
    at="@Descuento",
    says="Descuento debe ser la suma de los descuentos de los conceptos, y solo existir si alguno lo tiene.",
    check=totals.discount_equals_sum_of_discounts,
)


CFDI40112 = row(
    "CFDI40112",
    Comprobante,
    at="@Descuento",
    says="Descuento no debe tener más decimales que la moneda.",
    check=has_decimals_of_currency("Descuento"),
)


@rule(
    "CFDI40119",
    at="@Total",
    says="Total debe ser SubTotal menos descuentos más impuestos trasladados menos impuestos retenidos.",
    note="Suma también los impuestos locales; en los tipos T y P es cero. No tiene más decimales que la moneda.",
)
def total_equals_computed_total(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    if ctx.decimals is None:
        return None
    violation = decimals_of(ctx, comprobante.Total)
    if violation is not None:
        return violation
    has_amounts = comprobante.TipoDeComprobante not in ("T", "P")
    expected = half_up(totals.computed_total(comprobante), ctx.decimals) if has_amounts else ZERO
    if comprobante.total == expected:
        return None
    why = totals.computed_total_text(comprobante) if has_amounts else f"por el tipo {comprobante.TipoDeComprobante}"
    return Violation(found=comprobante.Total, expected=f"{expected:f}, {why}")


CFDI40120 = row(
    "CFDI40120",
    Comprobante,
    at="@Total",
    says="Un Total mayor que el límite permitido requiere Confirmacion.",
    check=totals.total_is_within_maximum_or_confirmed,
    types="IEN",
    severity=Severity.SUSPENDED,
)
