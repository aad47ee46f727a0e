"""Retenciones of a Concepto: CFDI40181 to CFDI40186, CFDI140224, CFDI140225."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes import Comprobante, Retencion
from timbra.rules.case import Case
from timbra.rules.conditions import key_of
from timbra.rules.finding import Breach, Need, Verdict
from timbra.rules.invoice import taxes
from timbra.rules.rates import rate_of
from timbra.rules.rule import rule

RETENCION = "Conceptos/Concepto/Impuestos/Retenciones/Retencion"
ISR = "001"
RESICO = "626"
RESICO_RATE = Decimal("0.0125")
NO_WITHHOLDING, WITHHOLDING = "1", "2"


@rule("CFDI40181", at=f"{RETENCION}/@Base")
def withheld_base_is_positive(retencion: Retencion, _case: Case) -> Verdict:
    return taxes.base_is_positive(retencion)


@rule("CFDI40182", at=f"{RETENCION}/@Impuesto", reads=("row",), inseparable=("CFDI40207",))
def tax_may_be_withheld(retencion: Retencion, case: Case) -> Verdict:
    return taxes.tax_is_usable(case, retencion, "retencion", "retener")


@rule("CFDI40183", at=f"{RETENCION}/@TipoFactor", reads=("row",))
def withheld_factor_is_a_key(retencion: Retencion, case: Case) -> Verdict:
    return key_of(case, "c_TipoFactor", retencion.TipoFactor)


@rule("CFDI40184", at=f"{RETENCION}/@TipoFactor", reads=("row",))
def exempt_is_not_withheld(retencion: Retencion, _case: Case) -> Verdict:
    return taxes.exempt_is_not_withheld(retencion)


@rule("CFDI40185", at=f"{RETENCION}/@TasaOCuota", reads=("row",))
def withheld_rate_is_in_its_catalog(retencion: Retencion, case: Case) -> Verdict:
    return rate_of(case, retencion.row, "withholding")


@rule("CFDI40186", at=f"{RETENCION}/@Importe")
def withheld_amount_is_base_times_rate(retencion: Retencion, case: Case) -> Verdict:
    return taxes.amount_is_base_times_rate(case, retencion)


def is_resico_to_a_company(comprobante: Comprobante, _case: Case) -> bool:
    """A persona física of regime 626 who invoices a persona moral."""
    emisor, receptor = comprobante.emisor, comprobante.receptor
    return emisor.RegimenFiscal == RESICO and len(emisor.Rfc) == 13 and len(receptor.Rfc) == 12


@rule("CFDI140224", at="Conceptos/Concepto", needs=(Need.MARKS,), applies=is_resico_to_a_company)
def marked_issuer_has_no_isr_withheld(comprobante: Comprobante, case: Case) -> Verdict:
    if _mark(case) != NO_WITHHOLDING:
        return None
    found = next((row for row in comprobante.retenciones if row.Impuesto == ISR), None)
    if found is None:
        return None
    return Breach(found=ISR, expected="que no se retenga ISR a este emisor", at=f"{found.path}/@Impuesto")


@rule("CFDI140225", at="Conceptos/Concepto", needs=(Need.MARKS,), applies=is_resico_to_a_company)
def marked_issuer_has_isr_withheld(comprobante: Comprobante, case: Case) -> Verdict:
    if _mark(case) != WITHHOLDING:
        return None
    rows = (row for row in comprobante.retenciones if row.Impuesto == ISR)
    if any(case.rate(row.TasaOCuota) == RESICO_RATE for row in rows):
        return None
    return Breach(expected="una Retencion con Impuesto 001 y TasaOCuota 0.012500")


def _mark(case: Case) -> str | None:
    marks = case.world.marks
    return marks.withholding(case.comprobante.emisor.Rfc) if marks is not None else None
