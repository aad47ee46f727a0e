"""Parts of a Concepto: CFDI40196 to CFDI40198."""

from __future__ import annotations

from timbra.cfdi.nodes import Parte
from timbra.rules.case import Case
from timbra.rules.conditions import key_of
from timbra.rules.finding import Verdict
from timbra.rules.invoice import line
from timbra.rules.rule import rule


@rule("CFDI40196", at="Conceptos/Concepto/Parte/@ClaveProdServ", reads=("ClaveProdServ",))
def product_of_part_is_a_key(parte: Parte, case: Case) -> Verdict:
    return key_of(case, "c_ClaveProdServ", parte.ClaveProdServ)


@rule("CFDI40197", at="Conceptos/Concepto/Parte/@ValorUnitario")
def price_of_part_is_positive(parte: Parte, _case: Case) -> Verdict:
    return line.price_of_part_is_positive(parte)


@rule("CFDI40198", at="Conceptos/Concepto/Parte/@Importe")
def amount_of_part_is_quantity_times_price(parte: Parte, _case: Case) -> Verdict:
    return line.amount_is_the_product(parte)
