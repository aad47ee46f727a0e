"""The invoice that carries the complement: CRP20101 to CRP20110, CRP20123, UsoCFDI, one Pagos."""

from __future__ import annotations

from typing import Final

from lxml import etree

from timbra.cfdi.nodes import Comprobante, ImpuestosTotales, Receptor
from timbra.cfdi.nodes.pagos20 import TAG, Pagos
from timbra.rules.case import Case
from timbra.rules.conditions import absent
from timbra.rules.finding import Breach, Severity, Verdict
from timbra.rules.pagos.comprobante import WHY, is_of_a_payment, no_taxes, written
from timbra.rules.pagos20.matrix import STANDARD
from timbra.rules.rule import rule

COMPANIONS: Final = frozenset(
    {
        TAG,
        "{http://www.sat.gob.mx/TimbreFiscalDigital}TimbreFiscalDigital",
        "{http://www.sat.gob.mx/registrofiscal}CFDIRegistroFiscal",
    }
)
"""What may stand beside the complement."""


@rule("CRP20101", at="@TipoDeComprobante")
def complement_is_of_a_payment(comprobante: Comprobante, _case: Case) -> Verdict:
    return is_of_a_payment(comprobante)


@rule("CRP20102", at="@Exportacion")
def payment_is_no_export(comprobante: Comprobante, _case: Case) -> Verdict:
    return written(comprobante.Exportacion, "01")


@rule("CRP20103", at="@SubTotal", inseparable=("CFDI40109",))
def subtotal_is_written_zero(comprobante: Comprobante, _case: Case) -> Verdict:
    return written(comprobante.SubTotal, "0")


@rule("CRP20104", at="@Moneda")
def invoice_has_no_currency(comprobante: Comprobante, _case: Case) -> Verdict:
    return written(comprobante.Moneda, "XXX")


@rule("CRP20105", at="@FormaPago", inseparable=("CFDI40103",))
def form_of_payment_is_that_of_the_payment(comprobante: Comprobante, _case: Case) -> Verdict:
    return absent(comprobante.FormaPago, WHY)


@rule("CRP20106", at="@MetodoPago", inseparable=("CFDI40125",))
def payment_has_no_method(comprobante: Comprobante, _case: Case) -> Verdict:
    return absent(comprobante.MetodoPago, WHY)


@rule("CRP20107", at="@CondicionesDePago", inseparable=("CFDI40999:CondicionesDePago",))
def payment_has_no_terms(comprobante: Comprobante, _case: Case) -> Verdict:
    return absent(comprobante.CondicionesDePago, WHY)


@rule("CRP20108", at="@Descuento", inseparable=("CFDI40111",))
def payment_has_no_discount(comprobante: Comprobante, _case: Case) -> Verdict:
    return absent(comprobante.Descuento, WHY)


@rule("CRP20109", at="@TipoCambio", inseparable=("CFDI40116",))
def invoice_has_no_rate(comprobante: Comprobante, _case: Case) -> Verdict:
    return absent(comprobante.TipoCambio, WHY)


@rule("CRP20110", at="@Total", inseparable=("CFDI40119",))
def total_is_written_zero(comprobante: Comprobante, _case: Case) -> Verdict:
    return written(comprobante.Total, "0")


@rule("CRP20123", at="Impuestos", inseparable=("CFDI40201",))
def invoice_has_no_taxes(_impuestos: ImpuestosTotales, _case: Case) -> Verdict:
    return no_taxes()


@rule("CRP20999:UsoCFDI", at="Receptor/@UsoCFDI", source=STANDARD, types="P", severity=Severity.WARNING)
def use_is_payments(receptor: Receptor, _case: Case) -> Verdict:
    """A warning: the matrix has no code for it, and a provider stamps payments with other uses."""
    return written(receptor.UsoCFDI, "CP01")


@rule("CRP20999:Pagos-unique", at="Complemento/Pagos", source=STANDARD)
def complement_stands_alone(pagos: Pagos, case: Case) -> Verdict:
    """One node Pagos, and beside it only the stamp and Registro Fiscal."""
    if pagos.index > 1:
        return Breach(found=f"Pagos[{pagos.index}]", expected="un solo nodo Pagos")
    others = [element for element in case.comprobante.complementos if element.tag not in COMPANIONS]
    if not others:
        return None
    names = ", ".join(sorted({etree.QName(element).localname for element in others}))
    return Breach(found=names, expected="ningún otro complemento que Timbre Fiscal Digital o CFDI Registro Fiscal")
