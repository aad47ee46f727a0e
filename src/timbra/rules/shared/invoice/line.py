"""Checks that Conceptos and their Partes share: products of quantity and price, discounts, required taxes."""

from __future__ import annotations

from timbra.cfdi.nodes import Concepto, Parte
from timbra.money import written_decimals
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.amounts import Factor, product_holds, product_limits

DEMANDED_TAXES = (("iva_trasladado", "002"), ("ieps_trasladado", "003"))
"""Columns of c_ClaveProdServ, and the tax that the value 1 requires."""
DEMANDING_COLUMNS = tuple(("c_ClaveProdServ", column) for column, _ in DEMANDED_TAXES)


def transfers_its_taxes(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    """Check that the Concepto has the traslados that c_ClaveProdServ requires; an unknown product passes."""
    row = ctx.row("c_ClaveProdServ", concepto.ClaveProdServ)
    if row is None:
        return None
    present = {traslado.Impuesto for traslado in concepto.traslados}
    missing = [tax for column, tax in DEMANDED_TAXES if row[column] == "1" and tax not in present]
    if not missing:
        return None
    return Violation(found=concepto.ClaveProdServ, expected=f"un Traslado con Impuesto {' y otro con '.join(missing)}")


def no_price(concepto: Concepto, ctx: EvaluationContext) -> Violation:
    """Return the violation for a ValorUnitario that is not greater than zero."""
    tipo = ctx.comprobante.TipoDeComprobante
    return Violation(found=concepto.ValorUnitario, expected=f"mayor que cero, por el tipo {tipo}")


def amount_is_the_product(line: Concepto | Parte) -> RuleResult:
    """Check Importe = Cantidad * ValorUnitario; passes when price or amount are absent."""
    if line.Importe is None or line.ValorUnitario is None:
        return None
    quantity = Factor(line.Cantidad, line.cantidad)
    price = Factor(line.ValorUnitario, line.valor_unitario)
    amount = Factor(line.Importe, line.importe)
    if product_holds(quantity, price, amount):
        return None
    limits = product_limits(quantity, price, amount.decimals)
    return Violation(found=amount.text, expected=f"{limits}, de {quantity.text} por {price.text}")


def price_of_part_is_positive(parte: Parte) -> RuleResult:
    """Check that ValorUnitario of a Parte, when present, is greater than zero."""
    if parte.ValorUnitario is None or parte.valor_unitario > 0:
        return None
    return Violation(found=parte.ValorUnitario, expected="mayor que cero")


def decimals_of_discount(concepto: Concepto, text: str) -> RuleResult:
    """Check that the discount has no more decimals than the amount of its Concepto."""
    allowed = written_decimals(concepto.Importe)
    if written_decimals(text) <= allowed:
        return None
    return Violation(found=text, expected=f"a lo más {allowed} decimales, los de Importe {concepto.Importe}")


def high_discount(concepto: Concepto) -> Violation:
    """Return the violation for a Descuento above Importe."""
    return Violation(found=concepto.Descuento, expected=f"a lo más {concepto.Importe}, el Importe del concepto")


def tax_node_is_not_empty(concepto: Concepto) -> RuleResult:
    """Check that Impuestos has a Traslado or a Retencion."""
    if concepto.traslados or concepto.retenciones:
        return None
    return Violation(found="Impuestos vacío", expected="al menos un Traslado o una Retencion")
