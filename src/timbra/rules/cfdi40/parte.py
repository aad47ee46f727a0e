"""Parts of a Concepto: CFDI40196 to CFDI40198."""

from __future__ import annotations

from timbra.cfdi.nodes import Parte
from timbra.rules.amounts import Factor, product_holds, product_limits
from timbra.rules.case import Case
from timbra.rules.conditions import key_of
from timbra.rules.finding import Breach, Verdict
from timbra.rules.rule import rule


@rule("CFDI40196", at="Conceptos/Concepto/Parte/@ClaveProdServ", reads=("ClaveProdServ",))
def product_of_part_is_a_key(parte: Parte, case: Case) -> Verdict:
    return key_of(case, "c_ClaveProdServ", parte.ClaveProdServ)


@rule("CFDI40197", at="Conceptos/Concepto/Parte/@ValorUnitario")
def price_of_part_is_positive(parte: Parte, _case: Case) -> Verdict:
    if parte.ValorUnitario is None or parte.valor_unitario > 0:
        return None
    return Breach(found=parte.ValorUnitario, expected="mayor que cero")


@rule("CFDI40198", at="Conceptos/Concepto/Parte/@Importe")
def amount_of_part_is_quantity_times_price(parte: Parte, _case: Case) -> Verdict:
    """Nothing to say where price or amount are absent."""
    if parte.Importe is None or parte.ValorUnitario is None:
        return None
    quantity = Factor(parte.Cantidad, parte.cantidad)
    price = Factor(parte.ValorUnitario, parte.valor_unitario)
    amount = Factor(parte.Importe, parte.importe)
    if product_holds(quantity, price, amount):
        return None
    limits = product_limits(quantity, price, amount.decimals)
    return Breach(found=amount.text, expected=f"{limits}, de {quantity.text} por {price.text}")
