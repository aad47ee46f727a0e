"""The sums of all payments in pesos: CRP20201 to CRP20211."""

from __future__ import annotations

from timbra.cfdi.nodes.base import number
from timbra.cfdi.nodes.pagos20 import Totales
from timbra.money import half_up, written_decimals
from timbra.rules.case import Case
from timbra.rules.finding import Breach, Verdict
from timbra.rules.pagos20.sums import Payments
from timbra.rules.rule import rule

AT = "Complemento/Pagos/Totales"
PESO_DECIMALS = 2


def _is_sum(totales: Totales, case: Case, name: str) -> Verdict:
    """It is there exactly when there is something to sum; rounded once, at the decimals that it writes, at most 2."""
    text = totales.texts.get(name)
    total = case.once(Payments).totals(totales).get(name)
    if total is None:
        return None if text is None else Breach(found=text, expected="que no exista: ningún pago tiene ese impuesto")
    decimals = PESO_DECIMALS if text is None else min(written_decimals(text), PESO_DECIMALS)
    expected = half_up(total, decimals)
    if text is not None and number(text) == expected:
        return None
    return Breach(found=text, expected=f"{expected:f}, de la suma {total.normalize():f} de los pagos en pesos")


@rule("CRP20201", at=f"{AT}/@TotalRetencionesIVA")
def withheld_iva_is_summed(totales: Totales, case: Case) -> Verdict:
    return _is_sum(totales, case, "TotalRetencionesIVA")


@rule("CRP20202", at=f"{AT}/@TotalRetencionesISR")
def withheld_isr_is_summed(totales: Totales, case: Case) -> Verdict:
    return _is_sum(totales, case, "TotalRetencionesISR")


@rule("CRP20203", at=f"{AT}/@TotalRetencionesIEPS")
def withheld_ieps_is_summed(totales: Totales, case: Case) -> Verdict:
    return _is_sum(totales, case, "TotalRetencionesIEPS")


@rule("CRP20204", at=f"{AT}/@TotalTrasladosBaseIVA16")
def bases_at_16_are_summed(totales: Totales, case: Case) -> Verdict:
    return _is_sum(totales, case, "TotalTrasladosBaseIVA16")


@rule("CRP20205", at=f"{AT}/@TotalTrasladosImpuestoIVA16")
def iva_at_16_is_summed(totales: Totales, case: Case) -> Verdict:
    return _is_sum(totales, case, "TotalTrasladosImpuestoIVA16")


@rule("CRP20206", at=f"{AT}/@TotalTrasladosBaseIVA8")
def bases_at_8_are_summed(totales: Totales, case: Case) -> Verdict:
    return _is_sum(totales, case, "TotalTrasladosBaseIVA8")


@rule("CRP20207", at=f"{AT}/@TotalTrasladosImpuestoIVA8")
def iva_at_8_is_summed(totales: Totales, case: Case) -> Verdict:
    return _is_sum(totales, case, "TotalTrasladosImpuestoIVA8")


@rule("CRP20208", at=f"{AT}/@TotalTrasladosBaseIVA0")
def bases_at_0_are_summed(totales: Totales, case: Case) -> Verdict:
    return _is_sum(totales, case, "TotalTrasladosBaseIVA0")


@rule("CRP20209", at=f"{AT}/@TotalTrasladosImpuestoIVA0")
def iva_at_0_is_summed(totales: Totales, case: Case) -> Verdict:
    return _is_sum(totales, case, "TotalTrasladosImpuestoIVA0")


@rule("CRP20210", at=f"{AT}/@TotalTrasladosBaseIVAExento")
def exempt_bases_are_summed(totales: Totales, case: Case) -> Verdict:
    return _is_sum(totales, case, "TotalTrasladosBaseIVAExento")


@rule("CRP20211", at=f"{AT}/@MontoTotalPagos")
def payments_are_summed(totales: Totales, case: Case) -> Verdict:
    return _is_sum(totales, case, "MontoTotalPagos")
