"""The only Concepto of a payment: CRP111 to CRP121."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, Concepto
from timbra.rules.case import Case
from timbra.rules.conditions import absent
from timbra.rules.finding import Breach, Verdict
from timbra.rules.invoice.fixed import attribute, children
from timbra.rules.pagos.comprobante import AT, WHY, has_one_concepto, written
from timbra.rules.rule import rule


@rule("CRP111", at=AT)
def payment_has_one_concepto(comprobante: Comprobante, _case: Case) -> Verdict:
    return has_one_concepto(comprobante)


@rule("CRP112", at=AT)
def concepto_holds_nothing(concepto: Concepto, case: Case) -> Verdict:
    names = children(concepto, case)
    if not names:
        return None
    return Breach(found=", ".join(names), expected=f"ningún nodo dentro del concepto {WHY}")


@rule("CRP113", at=f"{AT}/@ClaveProdServ")
def product_is_invoicing(concepto: Concepto, _case: Case) -> Verdict:
    return written(concepto.ClaveProdServ, "84111506")


@rule("CRP114", at=f"{AT}/@NoIdentificacion")
def concepto_has_no_number(concepto: Concepto, case: Case) -> Verdict:
    return absent(attribute(concepto, case, "NoIdentificacion"), WHY)


@rule("CRP115", at=f"{AT}/@Cantidad")
def quantity_is_one(concepto: Concepto, _case: Case) -> Verdict:
    return written(concepto.Cantidad, "1")


@rule("CRP116", at=f"{AT}/@ClaveUnidad")
def unit_is_activity(concepto: Concepto, _case: Case) -> Verdict:
    return written(concepto.ClaveUnidad, "ACT")


@rule("CRP117", at=f"{AT}/@Unidad")
def concepto_has_no_other_unit(concepto: Concepto, case: Case) -> Verdict:
    return absent(attribute(concepto, case, "Unidad"), WHY)


@rule("CRP118", at=f"{AT}/@Descripcion")
def concepto_is_called_pago(concepto: Concepto, case: Case) -> Verdict:
    return written(attribute(concepto, case, "Descripcion"), "Pago")


@rule("CRP119", at=f"{AT}/@ValorUnitario")
def price_is_zero(concepto: Concepto, _case: Case) -> Verdict:
    return written(concepto.ValorUnitario, "0")


@rule("CRP120", at=f"{AT}/@Importe")
def amount_is_zero(concepto: Concepto, _case: Case) -> Verdict:
    return written(concepto.Importe, "0")


@rule("CRP121", at=f"{AT}/@Descuento")
def concepto_has_no_discount(concepto: Concepto, _case: Case) -> Verdict:
    return absent(concepto.Descuento, WHY)
