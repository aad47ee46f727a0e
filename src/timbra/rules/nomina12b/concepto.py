"""The only Concepto of a payroll: NOM139 to NOM148."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, Concepto
from timbra.rules.case import Case
from timbra.rules.finding import Breach, Verdict
from timbra.rules.invoice.fixed import attribute, children
from timbra.rules.nomina import concepto as line
from timbra.rules.nomina.keys import WHY, unwanted, written
from timbra.rules.rule import rule

AT = "Conceptos/Concepto"


@rule("NOM139", at=AT)
def payroll_has_one_concepto_without_children(comprobante: Comprobante, case: Case) -> Verdict:
    alone = line.stands_alone(comprobante)
    if alone is not None:
        return alone
    names = children(comprobante.conceptos[0], case)
    return Breach(found=", ".join(names), expected=f"ningún nodo dentro del concepto {WHY}") if names else None


@rule("NOM140", at=f"{AT}/@ClaveProdServ")
def product_is_wages(concepto: Concepto, _case: Case) -> Verdict:
    return written(concepto.ClaveProdServ, "84111505")


@rule("NOM141", at=f"{AT}/@NoIdentificacion")
def concepto_has_no_number(concepto: Concepto, case: Case) -> Verdict:
    return unwanted(attribute(concepto, case, "NoIdentificacion"))


@rule("NOM142", at=f"{AT}/@Cantidad")
def quantity_is_one(concepto: Concepto, _case: Case) -> Verdict:
    return written(concepto.Cantidad, "1")


@rule("NOM143", at=f"{AT}/@ClaveUnidad")
def unit_is_activity(concepto: Concepto, _case: Case) -> Verdict:
    return written(concepto.ClaveUnidad, "ACT")


@rule("NOM144", at=f"{AT}/@Unidad")
def concepto_has_no_other_unit(concepto: Concepto, case: Case) -> Verdict:
    return unwanted(attribute(concepto, case, "Unidad"))


@rule("NOM145", at=f"{AT}/@Descripcion")
def concepto_is_called_payroll(concepto: Concepto, case: Case) -> Verdict:
    return written(attribute(concepto, case, "Descripcion"), "Pago de nómina")


@rule("NOM146", at=f"{AT}/@ValorUnitario")
def price_is_what_is_paid(concepto: Concepto, case: Case) -> Verdict:
    return line.is_paid(concepto.ValorUnitario, concepto.valor_unitario, case)


@rule("NOM147", at=f"{AT}/@Importe")
def amount_is_what_is_paid(concepto: Concepto, case: Case) -> Verdict:
    return line.is_paid(concepto.Importe, concepto.importe, case)


@rule("NOM148", at=f"{AT}/@Descuento")
def discount_is_what_is_withheld(concepto: Concepto, case: Case) -> Verdict:
    return line.discount_is_withheld(concepto, case)
