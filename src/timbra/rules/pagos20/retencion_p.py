"""Retenciones of a payment: CRP20262 to CRP20265."""

from __future__ import annotations

from timbra.cfdi.nodes.pagos20 import RetencionP
from timbra.rules.case import Case
from timbra.rules.conditions import key_of
from timbra.rules.finding import Breach, Verdict
from timbra.rules.pagos20.impuesto_p import any_total, is_sum
from timbra.rules.pagos20.sums import WITHHELD, Payments
from timbra.rules.rule import rule

AT = RetencionP.PATH


@rule("CRP20262", at=f"{AT}/@ImpuestoP")
def withheld_tax_is_a_key(retencion: RetencionP, case: Case) -> Verdict:
    return key_of(case, "c_Impuesto", retencion.ImpuestoP)


@rule("CRP20263", at=f"{AT}/@ImpuestoP")
def withheld_tax_appears_once(retencion: RetencionP, case: Case) -> Verdict:
    if case.once(Payments).sums(retencion).is_first(retencion):
        return None
    return Breach(found=retencion.ImpuestoP, expected="una sola RetencionP por ImpuestoP en el pago")


@rule("CRP20264", at=f"{AT}/@ImporteP", inseparable=("CRP20201",))
def withheld_amount_has_a_total(retencion: RetencionP, case: Case) -> Verdict:
    """With ISR or IEPS in place of IVA, CRP20202 or CRP20203 breaks in place of CRP20201."""
    return any_total(retencion, case, WITHHELD.values())


@rule("CRP20265", at=f"{AT}/@ImporteP")
def withheld_amount_is_the_sum_of_documents(retencion: RetencionP, case: Case) -> Verdict:
    total = case.once(Payments).sums(retencion).retencion(retencion.ImpuestoP)
    return is_sum(retencion.ImporteP, retencion.importe, total)
