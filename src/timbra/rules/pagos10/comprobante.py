"""The invoice that carries the complement: CRP101 to CRP110, CRP122."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, ImpuestosTotales, Receptor
from timbra.rules.case import Case
from timbra.rules.conditions import absent
from timbra.rules.finding import Verdict
from timbra.rules.pagos.comprobante import WHY, is_of_a_payment, no_taxes, written
from timbra.rules.rule import rule


@rule("CRP101", at="@TipoDeComprobante")
def complement_is_of_a_payment(comprobante: Comprobante, _case: Case) -> Verdict:
    return is_of_a_payment(comprobante)


@rule("CRP102", at="@SubTotal", inseparable=("CFDI33108",))
def subtotal_is_written_zero(comprobante: Comprobante, _case: Case) -> Verdict:
    return written(comprobante.SubTotal, "0")


@rule("CRP103", at="@Moneda")
def invoice_has_no_currency(comprobante: Comprobante, _case: Case) -> Verdict:
    return written(comprobante.Moneda, "XXX")


@rule("CRP104", at="@FormaPago", inseparable=("CFDI33103",))
def form_of_payment_is_that_of_the_payment(comprobante: Comprobante, _case: Case) -> Verdict:
    return absent(comprobante.FormaPago, WHY)


@rule("CRP105", at="@MetodoPago", inseparable=("CFDI33123", "CFDI33124"))
def payment_has_no_method(comprobante: Comprobante, _case: Case) -> Verdict:
    return absent(comprobante.MetodoPago, WHY)


@rule("CRP106", at="@CondicionesDePago")
def payment_has_no_terms(comprobante: Comprobante, _case: Case) -> Verdict:
    return absent(comprobante.CondicionesDePago, WHY)


@rule("CRP107", at="@Descuento")
def payment_has_no_discount(comprobante: Comprobante, _case: Case) -> Verdict:
    return absent(comprobante.Descuento, WHY)


@rule("CRP108", at="@TipoCambio", inseparable=("CFDI33115",))
def invoice_has_no_rate(comprobante: Comprobante, _case: Case) -> Verdict:
    return absent(comprobante.TipoCambio, WHY)


@rule("CRP109", at="@Total", inseparable=("CFDI33118",))
def total_is_written_zero(comprobante: Comprobante, _case: Case) -> Verdict:
    return written(comprobante.Total, "0")


@rule("CRP110", at="Receptor/@UsoCFDI")
def use_is_to_be_defined(receptor: Receptor, _case: Case) -> Verdict:
    return written(receptor.UsoCFDI, "P01")


@rule("CRP122", at="Impuestos", inseparable=("CFDI33179",))
def invoice_has_no_taxes(_impuestos: ImpuestosTotales, _case: Case) -> Verdict:
    return no_taxes()
