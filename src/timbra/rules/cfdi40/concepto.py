"""Conceptos, product and amounts: CFDI40162 to CFDI40169."""

from __future__ import annotations

from timbra.cfdi.nodes import Concepto
from timbra.cfdi.nodes.base import ZERO
from timbra.money import written_decimals
from timbra.rules.amounts import Factor, is_near, product_holds, product_limits
from timbra.rules.case import Case
from timbra.rules.conditions import key_of
from timbra.rules.finding import Breach, Verdict
from timbra.rules.rule import rule

DEMANDED_TAXES = (("iva_trasladado", "002"), ("ieps_trasladado", "003"))
"""Columns of c_ClaveProdServ and the tax that they demand when they say 1."""


@rule("CFDI40162", at="Conceptos/Concepto/@ClaveProdServ", reads=("ClaveProdServ",))
def product_is_a_key(concepto: Concepto, case: Case) -> Verdict:
    return key_of(case, "c_ClaveProdServ", concepto.ClaveProdServ)


@rule(
    "CFDI40164",
    at="Conceptos/Concepto/@ClaveProdServ",
    columns=tuple(("c_ClaveProdServ", column) for column, _ in DEMANDED_TAXES),
)
def product_transfers_its_taxes(concepto: Concepto, case: Case) -> Verdict:
    row = case.row("c_ClaveProdServ", concepto.ClaveProdServ)
    if row is None:
        return None
    present = {traslado.Impuesto for traslado in concepto.traslados}
    missing = [tax for column, tax in DEMANDED_TAXES if row[column] == "1" and tax not in present]
    if not missing:
        return None
    return Breach(found=concepto.ClaveProdServ, expected=f"un Traslado con Impuesto {' y otro con '.join(missing)}")


@rule("CFDI40165", at="Conceptos/Concepto/@ClaveUnidad", reads=("ClaveUnidad",))
def unit_is_a_key(concepto: Concepto, case: Case) -> Verdict:
    return key_of(case, "c_ClaveUnidad", concepto.ClaveUnidad)


@rule("CFDI40166", at="Conceptos/Concepto/@ValorUnitario", types="IEN")
def price_is_positive(concepto: Concepto, case: Case) -> Verdict:
    if concepto.valor_unitario > ZERO:
        return None
    tipo = case.comprobante.TipoDeComprobante
    return Breach(found=concepto.ValorUnitario, expected=f"mayor que cero, por el tipo {tipo}")


@rule("CFDI40167", at="Conceptos/Concepto/@Importe")
def amount_is_quantity_times_price(concepto: Concepto, _case: Case) -> Verdict:
    if is_near(concepto.cantidad * concepto.valor_unitario, concepto.importe, concepto.Importe):
        return None
    quantity = Factor(concepto.Cantidad, concepto.cantidad)
    price = Factor(concepto.ValorUnitario, concepto.valor_unitario)
    amount = Factor(concepto.Importe, concepto.importe)
    if product_holds(quantity, price, amount):
        return None
    limits = product_limits(quantity, price, amount.decimals)
    return Breach(found=amount.text, expected=f"{limits}, de {quantity.text} por {price.text}")


@rule("CFDI40168", at="Conceptos/Concepto/@Descuento")
def discount_has_the_decimals_of_its_amount(concepto: Concepto, _case: Case) -> Verdict:
    if concepto.Descuento is None:
        return None
    allowed = written_decimals(concepto.Importe)
    if written_decimals(concepto.Descuento) <= allowed:
        return None
    return Breach(found=concepto.Descuento, expected=f"a lo más {allowed} decimales, los de Importe {concepto.Importe}")


@rule("CFDI40169", at="Conceptos/Concepto/@Descuento")
def discount_is_at_most_the_amount(concepto: Concepto, _case: Case) -> Verdict:
    if concepto.Descuento is None or concepto.descuento <= concepto.importe:
        return None
    return Breach(found=concepto.Descuento, expected=f"a lo más {concepto.Importe}, el Importe del concepto")


@rule("CFDI40999:Concepto-Descuento", at="Conceptos/Concepto/@Descuento", types="TP")
def discount_is_absent(concepto: Concepto, case: Case) -> Verdict:
    if concepto.Descuento is None:
        return None
    tipo = case.comprobante.TipoDeComprobante
    return Breach(found=concepto.Descuento, expected=f"que no exista en un comprobante de tipo {tipo}")
