"""The only Concepto of a payment: CRP20111 to CRP20122."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, Concepto
from timbra.rules.case import Case
from timbra.rules.conditions import absent
from timbra.rules.finding import Breach, Verdict
from timbra.rules.invoice.fixed import attribute, children
from timbra.rules.pagos.comprobante import AT, WHY, has_one_concepto, written
from timbra.rules.rule import rule

ALLOWED = "ACuentaTerceros"


@rule("CRP20111", at=AT)
def payment_has_one_concepto(comprobante: Comprobante, _case: Case) -> Verdict:
    return has_one_concepto(comprobante)


@rule("CRP20112", at=AT)
def concepto_holds_nothing(concepto: Concepto, case: Case) -> Verdict:
    names = [name for name in children(concepto, case) if name != ALLOWED]
    if not names:
        return None
    return Breach(found=", ".join(names), expected=f"a lo más ACuentaTerceros {WHY}")


@rule("CRP20113", at=f"{AT}/@ClaveProdServ")
def product_is_invoicing(concepto: Concepto, _case: Case) -> Verdict:
    return written(concepto.ClaveProdServ, "84111506")


@rule("CRP20114", at=f"{AT}/@NoIdentificacion")
def concepto_has_no_number(concepto: Concepto, case: Case) -> Verdict:
    return absent(attribute(concepto, case, "NoIdentificacion"), WHY)


@rule("CRP20115", at=f"{AT}/@Cantidad")
def quantity_is_one(concepto: Concepto, _case: Case) -> Verdict:
    return written(concepto.Cantidad, "1")


@rule("CRP20116", at=f"{AT}/@ClaveUnidad")
def unit_is_activity(concepto: Concepto, _case: Case) -> Verdict:
    return written(concepto.ClaveUnidad, "ACT")


@rule("CRP20117", at=f"{AT}/@Unidad")
def concepto_has_no_other_unit(concepto: Concepto, case: Case) -> Verdict:
    return absent(attribute(concepto, case, "Unidad"), WHY)


@rule("CRP20118", at=f"{AT}/@Descripcion")
def concepto_is_called_pago(concepto: Concepto, case: Case) -> Verdict:
    return written(attribute(concepto, case, "Descripcion"), "Pago")


@rule("CRP20119", at=f"{AT}/@ValorUnitario")
def price_is_zero(concepto: Concepto, _case: Case) -> Verdict:
    return written(concepto.ValorUnitario, "0")


@rule("CRP20120", at=f"{AT}/@Importe")
def amount_is_zero(concepto: Concepto, _case: Case) -> Verdict:
    return written(concepto.Importe, "0")


@rule("CRP20121", at=f"{AT}/@Descuento", inseparable=("CFDI40999:Concepto-Descuento",))
def concepto_has_no_discount(concepto: Concepto, _case: Case) -> Verdict:
    return absent(concepto.Descuento, WHY)


@rule("CRP20122", at=f"{AT}/@ObjetoImp")
def concepto_is_no_object_of_tax(concepto: Concepto, _case: Case) -> Verdict:
    return written(concepto.ObjetoImp, "01")
