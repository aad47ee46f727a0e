"""Each withheld tax of the document: CFDI33185, CFDI33186, CFDI33189."""

from __future__ import annotations

from timbra.cfdi.nodes import RetencionTotal
from timbra.money import half_up
from timbra.rules.case import Case
from timbra.rules.conditions import key_of
from timbra.rules.finding import Breach, Verdict
from timbra.rules.rule import rule

RETENCION = "Impuestos/Retenciones/Retencion"


@rule("CFDI33185", at=f"{RETENCION}/@Impuesto")
def summed_withheld_tax_is_a_key(retencion: RetencionTotal, case: Case) -> Verdict:
    return key_of(case, "c_Impuesto", retencion.Impuesto)


@rule("CFDI33186", at=f"{RETENCION}/@Impuesto")
def withheld_tax_appears_once(retencion: RetencionTotal, case: Case) -> Verdict:
    if case.sums.is_first(retencion):
        return None
    return Breach(found=retencion.Impuesto, expected="una sola Retencion por impuesto")


@rule("CFDI33189", at=f"{RETENCION}/@Importe")
def withheld_amount_is_the_sum_of_conceptos(retencion: RetencionTotal, case: Case) -> Verdict:
    """Both sides at the decimals of the currency: an unrounded amount was accepted."""
    if case.decimals is None:
        return None
    total = case.sums.retencion(retencion.Impuesto)
    expected = half_up(total, case.decimals)
    if half_up(retencion.importe, case.decimals) == expected:
        return None
    return Breach(found=retencion.Importe, expected=f"{expected:f}, de la suma {total:f} de los conceptos")
