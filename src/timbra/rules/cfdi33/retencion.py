"""Retenciones of a Concepto: CFDI33163 to CFDI33167, CFDI33169."""

from __future__ import annotations

from timbra.cfdi.nodes import Retencion
from timbra.rules.case import Case
from timbra.rules.conditions import key_of
from timbra.rules.finding import Verdict
from timbra.rules.invoice import taxes
from timbra.rules.rates import rate_of
from timbra.rules.rule import rule

RETENCION = "Conceptos/Concepto/Impuestos/Retenciones/Retencion"


@rule("CFDI33163", at=f"{RETENCION}/@Base")
def withheld_base_is_positive(retencion: Retencion, _case: Case) -> Verdict:
    return taxes.base_is_positive(retencion)


@rule("CFDI33164", at=f"{RETENCION}/@Impuesto", reads=("row",), inseparable=("CFDI33185",))
def withheld_tax_is_a_key(retencion: Retencion, case: Case) -> Verdict:
    return key_of(case, "c_Impuesto", retencion.Impuesto)


@rule("CFDI33165", at=f"{RETENCION}/@TipoFactor", reads=("row",))
def withheld_factor_is_a_key(retencion: Retencion, case: Case) -> Verdict:
    return key_of(case, "c_TipoFactor", retencion.TipoFactor)


@rule("CFDI33166", at=f"{RETENCION}/@TipoFactor", reads=("row",))
def exempt_is_not_withheld(retencion: Retencion, _case: Case) -> Verdict:
    return taxes.exempt_is_not_withheld(retencion)


@rule("CFDI33167", at=f"{RETENCION}/@TasaOCuota", reads=("row",))
def withheld_rate_is_in_its_catalog(retencion: Retencion, case: Case) -> Verdict:
    return rate_of(case, retencion.row, "withholding", every_tax=True)


@rule("CFDI33169", at=f"{RETENCION}/@Importe")
def withheld_amount_is_base_times_rate(retencion: Retencion, case: Case) -> Verdict:
    return taxes.amount_is_base_times_rate(case, retencion)
