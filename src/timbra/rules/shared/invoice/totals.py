"""SubTotal, Descuento and Total."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.base import ZERO, number
from timbra.core.money import half_up
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation

IMPLOCAL = "{http://www.sat.gob.mx/implocal}ImpuestosLocales"


def subtotal_equals_sum_of_amounts(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """SubTotal is the sum of Importe of all Conceptos, rounded once, after the sum; without tolerance."""
    if ctx.decimals is None:
        return None
    total = sum([concepto.importe for concepto in comprobante.conceptos], ZERO)
    expected = half_up(total, ctx.decimals)
    if comprobante.subtotal == expected:
        return None
    return Violation(found=comprobante.SubTotal, expected=f"{expected:f}, de la suma {total:f} de los importes")


def subtotal_is_zero(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    if comprobante.subtotal == 0:
        return None
    return Violation(found=comprobante.SubTotal, expected=f"0, por el tipo {comprobante.TipoDeComprobante}")


def discount_is_at_most_subtotal(comprobante: Comprobante, _ctx: EvaluationContext) -> RuleResult:
    """Descuento is not greater than SubTotal."""
    if comprobante.descuento <= comprobante.subtotal:
        return None
    return Violation(found=comprobante.Descuento, expected=f"a lo más {comprobante.SubTotal}, el SubTotal")


def discount_equals_sum_of_discounts(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """Descuento is the rounded sum of those of the Conceptos in types I, E and N, and absent in every other case."""
    discounted = [concepto.descuento for concepto in comprobante.conceptos if concepto.Descuento is not None]
    found = comprobante.Descuento
    if not discounted or comprobante.TipoDeComprobante not in ("I", "E", "N"):
        why = "sin descuentos en los conceptos" if not discounted else f"tipo {comprobante.TipoDeComprobante}"
        return None if found is None else Violation(found=found, expected=f"que no exista: {why}")
    if ctx.decimals is None:
        return None
    total = sum(discounted, ZERO)
    expected = half_up(total, ctx.decimals)
    if found is not None and comprobante.descuento == expected:
        return None
    return Violation(found=found, expected=f"{expected:f}, de la suma {total:f} de los descuentos")


def computed_total(comprobante: Comprobante) -> Decimal:
    """Return SubTotal - Descuento + traslados - retenciones, with the local taxes of the complement."""
    taxes = comprobante.impuestos
    local = comprobante.complement(IMPLOCAL)
    total = comprobante.subtotal - comprobante.descuento
    if taxes is not None:
        total += taxes.trasladados - taxes.retenidos
    if local is not None:
        total += number(local.get("TotaldeTraslados")) - number(local.get("TotaldeRetenciones"))
    return total


def computed_total_text(comprobante: Comprobante) -> str:
    """Return the Spanish text of the terms of `computed_total`."""
    taxes = comprobante.impuestos
    transferred = taxes.TotalImpuestosTrasladados if taxes is not None else None
    withheld = taxes.TotalImpuestosRetenidos if taxes is not None else None
    parts = f"{comprobante.SubTotal} - {comprobante.Descuento or 0} + {transferred or 0} - {withheld or 0}"
    local = comprobante.complement(IMPLOCAL)
    if local is not None:
        parts += f" + {local.get('TotaldeTraslados', '0')} - {local.get('TotaldeRetenciones', '0')}"
    return f"que resulta de {parts}"


def is_within_maximum(comprobante: Comprobante, ctx: EvaluationContext) -> bool:
    """Whether the total, in pesos, is at most the maximum of its type."""
    row = ctx.row("c_TipoDeComprobante", comprobante.TipoDeComprobante)
    rate = comprobante.tipo_cambio if comprobante.TipoCambio is not None else Decimal(1)
    return row is None or comprobante.total * rate <= Decimal(row["valor_maximo"])


def total_is_within_maximum_or_confirmed(comprobante: Comprobante, ctx: EvaluationContext) -> RuleResult:
    """Total is at most the maximum of c_TipoDeComprobante, or the document has Confirmacion.

    The personal maximum of l_RFC and the two columns of type N are not published.
    """
    if comprobante.Confirmacion is not None or is_within_maximum(comprobante, ctx):
        return None
    return Violation(found=comprobante.Total, expected="a lo más el valor máximo de su tipo, o una Confirmacion")
