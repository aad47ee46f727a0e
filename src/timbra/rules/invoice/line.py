"""What Conceptos and their Partes share: products of quantity and price, discounts, demanded taxes."""

from __future__ import annotations

from timbra.cfdi.nodes import Concepto, Parte
from timbra.money import written_decimals
from timbra.rules.amounts import Factor, product_holds, product_limits
from timbra.rules.case import Case
from timbra.rules.finding import Breach, Verdict

DEMANDED_TAXES = (("iva_trasladado", "002"), ("ieps_trasladado", "003"))
"""Columns of c_ClaveProdServ and the tax that they demand when they say 1."""
DEMANDING_COLUMNS = tuple(("c_ClaveProdServ", column) for column, _ in DEMANDED_TAXES)


def transfers_its_taxes(concepto: Concepto, case: Case) -> Verdict:
    """Nothing to say about an unknown product."""
    row = case.row("c_ClaveProdServ", concepto.ClaveProdServ)
    if row is None:
        return None
    present = {traslado.Impuesto for traslado in concepto.traslados}
    missing = [tax for column, tax in DEMANDED_TAXES if row[column] == "1" and tax not in present]
    if not missing:
        return None
    return Breach(found=concepto.ClaveProdServ, expected=f"un Traslado con Impuesto {' y otro con '.join(missing)}")


def no_price(concepto: Concepto, case: Case) -> Breach:
    """That ValorUnitario is not above zero."""
    tipo = case.comprobante.TipoDeComprobante
    return Breach(found=concepto.ValorUnitario, expected=f"mayor que cero, por el tipo {tipo}")


def amount_is_the_product(line: Concepto | Parte) -> Verdict:
    """Nothing to say where price or amount are absent."""
    if line.Importe is None or line.ValorUnitario is None:
        return None
    quantity = Factor(line.Cantidad, line.cantidad)
    price = Factor(line.ValorUnitario, line.valor_unitario)
    amount = Factor(line.Importe, line.importe)
    if product_holds(quantity, price, amount):
        return None
    limits = product_limits(quantity, price, amount.decimals)
    return Breach(found=amount.text, expected=f"{limits}, de {quantity.text} por {price.text}")


def price_of_part_is_positive(parte: Parte) -> Verdict:
    if parte.ValorUnitario is None or parte.valor_unitario > 0:
        return None
    return Breach(found=parte.ValorUnitario, expected="mayor que cero")


def decimals_of_discount(concepto: Concepto, text: str) -> Verdict:
    """Holds when the discount writes no more decimals than the amount of its Concepto."""
    allowed = written_decimals(concepto.Importe)
    if written_decimals(text) <= allowed:
        return None
    return Breach(found=text, expected=f"a lo más {allowed} decimales, los de Importe {concepto.Importe}")


def high_discount(concepto: Concepto) -> Breach:
    """That Descuento is above Importe."""
    return Breach(found=concepto.Descuento, expected=f"a lo más {concepto.Importe}, el Importe del concepto")


def tax_node_is_not_empty(concepto: Concepto) -> Verdict:
    if concepto.traslados or concepto.retenciones:
        return None
    return Breach(found="Impuestos vacío", expected="al menos un Traslado o una Retencion")
