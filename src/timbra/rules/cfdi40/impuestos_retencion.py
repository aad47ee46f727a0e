"""Each withheld tax of the document: CFDI40207, CFDI40208, CFDI40210, CFDI40211."""

from __future__ import annotations

from timbra.cfdi.nodes import RetencionTotal
from timbra.money import half_up
from timbra.rules.case import Case
from timbra.rules.conditions import decimals_of, key_of
from timbra.rules.finding import Breach, Verdict
from timbra.rules.rule import rule

AT = "Impuestos/Retenciones/Retencion"


@rule("CFDI40207", at=f"{AT}/@Impuesto")
def withheld_tax_is_a_key(retencion: RetencionTotal, case: Case) -> Verdict:
    return key_of(case, "c_Impuesto", retencion.Impuesto)


@rule("CFDI40208", at=f"{AT}/@Impuesto")
def withheld_tax_appears_once(retencion: RetencionTotal, case: Case) -> Verdict:
    if case.sums.is_first(retencion):
        return None
    return Breach(found=retencion.Impuesto, expected="una sola Retencion por impuesto")


@rule("CFDI40210", at=f"{AT}/@Importe")
def withheld_amount_has_the_decimals_of_its_currency(retencion: RetencionTotal, case: Case) -> Verdict:
    return decimals_of(case, retencion.Importe)


@rule("CFDI40211", at=f"{AT}/@Importe")
def withheld_amount_is_the_sum_of_conceptos(retencion: RetencionTotal, case: Case) -> Verdict:
    if case.decimals is None:
        return None
    total = case.sums.retencion(retencion.Impuesto)
    expected = half_up(total, case.decimals)
    if retencion.importe == expected:
        return None
    return Breach(found=retencion.Importe, expected=f"{expected:f}, de la suma {total:f} de los conceptos")
