"""The sums of taxes: CFDI40201 to CFDI40206, CFDI40209, CFDI40212."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, ImpuestosTotales
from timbra.cfdi.nodes.base import ZERO
from timbra.rules.case import Case
from timbra.rules.conditions import decimals_of
from timbra.rules.finding import Breach, Verdict
from timbra.rules.rule import rule

WITHHELD, TRANSFERRED = "TotalImpuestosRetenidos", "TotalImpuestosTrasladados"


@rule("CFDI40201", at="Impuestos", types="TP")
def no_taxes_are_summed(impuestos: ImpuestosTotales, case: Case) -> Verdict:
    return _no_taxes(impuestos, case)


@rule("CFDI40999:Impuestos-N", at="Impuestos", types="N")
def payroll_sums_no_taxes(impuestos: ImpuestosTotales, case: Case) -> Verdict:
    return _no_taxes(impuestos, case)


def _no_taxes(_impuestos: ImpuestosTotales, case: Case) -> Verdict:
    return Breach(found="Impuestos", expected=f"que no exista, por el tipo {case.comprobante.TipoDeComprobante}")


@rule("CFDI40202", at=f"Impuestos/@{WITHHELD}")
def withheld_total_has_the_decimals_of_its_currency(impuestos: ImpuestosTotales, case: Case) -> Verdict:
    text = impuestos.TotalImpuestosRetenidos
    return None if text is None else decimals_of(case, text)


@rule("CFDI40203", at=f"Impuestos/@{WITHHELD}")
def withheld_total_is_the_sum(impuestos: ImpuestosTotales, _case: Case) -> Verdict:
    if impuestos.TotalImpuestosRetenidos is None:
        return None
    expected = sum([row.importe for row in impuestos.retenciones], ZERO)
    if impuestos.retenidos == expected:
        return None
    return Breach(found=impuestos.TotalImpuestosRetenidos, expected=f"{expected:f}, la suma de las retenciones")


@rule("CFDI40204", at=f"Impuestos/@{TRANSFERRED}")
def transferred_total_has_the_decimals_of_its_currency(impuestos: ImpuestosTotales, case: Case) -> Verdict:
    text = impuestos.TotalImpuestosTrasladados
    return None if text is None else decimals_of(case, text)


@rule("CFDI40205", at=f"Impuestos/@{TRANSFERRED}")
def transferred_total_is_the_sum(impuestos: ImpuestosTotales, _case: Case) -> Verdict:
    if impuestos.TotalImpuestosTrasladados is None:
        return None
    expected = sum([row.importe for row in impuestos.traslados], ZERO)
    if impuestos.trasladados == expected:
        return None
    return Breach(found=impuestos.TotalImpuestosTrasladados, expected=f"{expected:f}, la suma de los traslados")


@rule("CFDI40206", at=f"Impuestos/@{WITHHELD}", inseparable=("CFDI40209",))
def withholdings_have_a_total(impuestos: ImpuestosTotales, _case: Case) -> Verdict:
    if not impuestos.has_retenciones or impuestos.TotalImpuestosRetenidos is not None:
        return None
    return Breach(expected="el total, por el nodo Retenciones")


@rule("CFDI40209", at=f"Impuestos/@{WITHHELD}", inseparable=("CFDI40206",))
def each_withholding_has_a_total(impuestos: ImpuestosTotales, _case: Case) -> Verdict:
    if not impuestos.retenciones or impuestos.TotalImpuestosRetenidos is not None:
        return None
    return Breach(expected="el total, por el nodo Retencion")


@rule("CFDI40212", at=f"Impuestos/@{TRANSFERRED}")
def transfers_have_a_total(comprobante: Comprobante, case: Case) -> Verdict:
    impuestos = comprobante.impuestos
    if not case.sums.some_taxed or (impuestos is not None and impuestos.TotalImpuestosTrasladados is not None):
        return None
    return Breach(expected="el total, por los traslados de los conceptos que no son exentos")
