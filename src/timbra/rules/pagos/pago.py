"""How, in which currency and how much is paid."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from timbra.cfdi.nodes.pago import BasePago
from timbra.rules.case import Case
from timbra.rules.conditions import key_of
from timbra.rules.exchange import published_limits
from timbra.rules.finding import Breach, Unknown, Verdict
from timbra.rules.instants import local_date

AT: Final = "Complemento/Pagos/Pago"
DOCUMENT_AT: Final = f"{AT}/DoctoRelacionado"
PESOS, NONE = "MXN", "XXX"
TO_BE_DEFINED: Final = "99"


def form_is_known(pago: BasePago) -> Verdict:
    if pago.FormaDePagoP != TO_BE_DEFINED:
        return None
    return Breach(found=TO_BE_DEFINED, expected="una forma de pago distinta de 99")


def form_is_a_key(pago: BasePago, case: Case) -> Verdict:
    return key_of(case, "c_FormaPago", pago.FormaDePagoP)


def is_a_currency(currency: str) -> Verdict:
    return Breach(found=NONE, expected="una moneda distinta de XXX") if currency == NONE else None


def other_currencies_have_a_rate(pago: BasePago) -> Verdict:
    if pago.MonedaP == PESOS or pago.TipoCambioP is not None:
        return None
    return Breach(expected=f"el tipo de cambio de {pago.MonedaP}")


def unusual_rate_is_confirmed(pago: BasePago, case: Case) -> Verdict:
    """The rate published for the day of the payment."""
    if pago.MonedaP in (PESOS, NONE) or pago.TipoCambioP is None or case.comprobante.Confirmacion is not None:
        return None
    limits = published_limits(case, pago.MonedaP, local_date(pago.FechaPago) or case.on)
    if limits is None or isinstance(limits, Unknown) or limits.lower <= pago.tipo_cambio <= limits.upper:
        return limits if isinstance(limits, Unknown) else None
    return Breach(found=pago.TipoCambioP, expected=f"{limits}, o una Confirmacion")


def unusual_amount_is_confirmed(pago: BasePago, case: Case) -> Verdict:
    row = case.row("c_TipoDeComprobante", "P")
    if row is None or case.comprobante.Confirmacion is not None:
        return None
    maximum = Decimal(row["valor_maximo"])
    if pago.monto * pago.tipo_cambio <= maximum:
        return None
    return Breach(found=pago.Monto, expected=f"a lo más {maximum:f} pesos, o una Confirmacion")


def is_positive(text: str | None, amount: Decimal) -> Verdict:
    return None if amount > 0 else Breach(found=text, expected="mayor que cero")
