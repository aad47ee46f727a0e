"""The only Concepto of a payroll: NOM13 to NOM29."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, Concepto
from timbra.rules.case import Case
from timbra.rules.finding import Verdict
from timbra.rules.invoice.fixed import attribute
from timbra.rules.nomina.concepto import discount_is_withheld, is_paid, stands_alone, without
from timbra.rules.nomina.keys import unwanted, written
from timbra.rules.rule import rule

AT = "Conceptos/Concepto"


@rule("NOM13", at=AT)
def payroll_has_one_concepto(comprobante: Comprobante, _case: Case) -> Verdict:
    """That it holds nothing is NOM24 to NOM29: each of its children has a code of its own."""
    return stands_alone(comprobante)


@rule("NOM14", at=f"{AT}/@ClaveProdServ")
def product_is_wages(concepto: Concepto, _case: Case) -> Verdict:
    return written(concepto.ClaveProdServ, "84111505")


@rule("NOM15", at=f"{AT}/@NoIdentificacion")
def concepto_has_no_number(concepto: Concepto, case: Case) -> Verdict:
    return unwanted(attribute(concepto, case, "NoIdentificacion"))


@rule("NOM16", at=f"{AT}/@Cantidad")
def quantity_is_one(concepto: Concepto, _case: Case) -> Verdict:
    return written(concepto.Cantidad, "1")


@rule("NOM17", at=f"{AT}/@ClaveUnidad")
def unit_is_activity(concepto: Concepto, _case: Case) -> Verdict:
    return written(concepto.ClaveUnidad, "ACT")


@rule("NOM18", at=f"{AT}/@Unidad")
def concepto_has_no_other_unit(concepto: Concepto, case: Case) -> Verdict:
    return unwanted(attribute(concepto, case, "Unidad"))


@rule("NOM19", at=f"{AT}/@Descripcion")
def concepto_is_called_pago_de_nomina(concepto: Concepto, case: Case) -> Verdict:
    return written(attribute(concepto, case, "Descripcion"), "Pago de nómina")


@rule("NOM20", at=f"{AT}/@ValorUnitario")
def price_is_what_is_paid(concepto: Concepto, case: Case) -> Verdict:
    return is_paid(concepto.ValorUnitario, concepto.valor_unitario, case)


@rule("NOM21", at=f"{AT}/@Importe")
def amount_is_what_is_paid(concepto: Concepto, case: Case) -> Verdict:
    return is_paid(concepto.Importe, concepto.importe, case)


@rule("NOM22", at=f"{AT}/@Descuento")
def discount_is_what_is_withheld(concepto: Concepto, case: Case) -> Verdict:
    return discount_is_withheld(concepto, case)


@rule("NOM23", at=f"{AT}/@ObjetoImp")
def wages_are_no_object_of_tax(concepto: Concepto, _case: Case) -> Verdict:
    return written(concepto.ObjetoImp, "01")


@rule("NOM24", at=f"{AT}/Impuestos", inseparable=("CFDI40172",))
def concepto_has_no_taxes(concepto: Concepto, case: Case) -> Verdict:
    return without(concepto, case, "Impuestos")


@rule("NOM25", at=f"{AT}/ACuentaTerceros")
def wages_are_for_nobody_else(concepto: Concepto, case: Case) -> Verdict:
    return without(concepto, case, "ACuentaTerceros")


@rule("NOM26", at=f"{AT}/InformacionAduanera")
def wages_are_not_imported(concepto: Concepto, case: Case) -> Verdict:
    return without(concepto, case, "InformacionAduanera")


@rule("NOM27", at=f"{AT}/CuentaPredial")
def wages_are_no_rent(concepto: Concepto, case: Case) -> Verdict:
    return without(concepto, case, "CuentaPredial")


@rule("NOM28", at=f"{AT}/ComplementoConcepto")
def concepto_has_no_complement(concepto: Concepto, case: Case) -> Verdict:
    return without(concepto, case, "ComplementoConcepto")


@rule("NOM29", at=f"{AT}/Parte")
def wages_have_no_parts(concepto: Concepto, case: Case) -> Verdict:
    return without(concepto, case, "Parte")
