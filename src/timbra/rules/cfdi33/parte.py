"""Parts of a Concepto: CFDI33172, CFDI33174, CFDI33176."""

from __future__ import annotations

from timbra.cfdi.nodes import Parte
from timbra.rules.case import Case
from timbra.rules.conditions import key_of
from timbra.rules.finding import Severity, Verdict
from timbra.rules.invoice import line
from timbra.rules.rule import rule

PARTE = "Conceptos/Concepto/Parte"


@rule("CFDI33172", at=f"{PARTE}/@ClaveProdServ", reads=("ClaveProdServ",), severity=Severity.WARNING)
def product_of_part_is_a_key(parte: Parte, case: Case) -> Verdict:
    """By the products of CFDI 4.0, the only ones at hand."""
    return key_of(case, "c_ClaveProdServ", parte.ClaveProdServ)


@rule("CFDI33174", at=f"{PARTE}/@ValorUnitario")
def price_of_part_is_positive(parte: Parte, _case: Case) -> Verdict:
    return line.price_of_part_is_positive(parte)


@rule("CFDI33176", at=f"{PARTE}/@Importe")
def amount_of_part_is_quantity_times_price(parte: Parte, _case: Case) -> Verdict:
    return line.amount_is_the_product(parte)
