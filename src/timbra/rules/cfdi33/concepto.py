"""Conceptos, taxes apart: CFDI33142, CFDI33144, CFDI33145, CFDI33147, CFDI33149 to CFDI33152."""

from __future__ import annotations

from timbra.cfdi.nodes import Concepto
from timbra.cfdi.nodes.base import ZERO
from timbra.rules.amounts import is_near
from timbra.rules.case import Case
from timbra.rules.conditions import key_of
from timbra.rules.finding import Severity, Verdict
from timbra.rules.invoice import line
from timbra.rules.rule import rule

CONCEPTO = "Conceptos/Concepto"


@rule("CFDI33142", at=f"{CONCEPTO}/@ClaveProdServ", reads=("ClaveProdServ",), severity=Severity.WARNING)
def product_is_a_key(concepto: Concepto, case: Case) -> Verdict:
    """By the products of CFDI 4.0, the only ones at hand."""
    return key_of(case, "c_ClaveProdServ", concepto.ClaveProdServ)


@rule("CFDI33144", at=f"{CONCEPTO}/@ClaveProdServ", columns=line.DEMANDING_COLUMNS, severity=Severity.WARNING)
def product_transfers_its_taxes(concepto: Concepto, case: Case) -> Verdict:
    """By the products of CFDI 4.0, the only ones at hand."""
    return line.transfers_its_taxes(concepto, case)


@rule("CFDI33145", at=f"{CONCEPTO}/@ClaveUnidad", reads=("ClaveUnidad",))
def unit_is_a_key(concepto: Concepto, case: Case) -> Verdict:
    return key_of(case, "c_ClaveUnidad", concepto.ClaveUnidad)


@rule("CFDI33147", at=f"{CONCEPTO}/@ValorUnitario", types="IEN")
def price_is_positive(concepto: Concepto, case: Case) -> Verdict:
    return None if concepto.valor_unitario > ZERO else line.no_price(concepto, case)


@rule("CFDI33149", at=f"{CONCEPTO}/@Importe")
def amount_is_quantity_times_price(concepto: Concepto, _case: Case) -> Verdict:
    if is_near(concepto.cantidad * concepto.valor_unitario, concepto.importe, concepto.Importe):
        return None
    return line.amount_is_the_product(concepto)


@rule("CFDI33150", at=f"{CONCEPTO}/@Descuento")
def discount_has_the_decimals_of_its_amount(concepto: Concepto, _case: Case) -> Verdict:
    return None if concepto.Descuento is None else line.decimals_of_discount(concepto, concepto.Descuento)


@rule("CFDI33151", at=f"{CONCEPTO}/@Descuento")
def discount_is_at_most_the_amount(concepto: Concepto, _case: Case) -> Verdict:
    return None if concepto.descuento <= concepto.importe else line.high_discount(concepto)


def has_tax_node(concepto: Concepto, _case: Case) -> bool:
    return concepto.has_impuestos


@rule("CFDI33152", at=f"{CONCEPTO}/Impuestos", applies=has_tax_node, applies_reads=("has_impuestos",))
def tax_node_is_not_empty(concepto: Concepto, _case: Case) -> Verdict:
    return line.tax_node_is_not_empty(concepto)
