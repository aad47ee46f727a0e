"""What is withheld: NOM91 to NOM96."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import Deduccion, Deducciones, Nomina
from timbra.rules.case import Case
from timbra.rules.finding import Severity, Verdict
from timbra.rules.nomina import deducciones as demands
from timbra.rules.nomina import totales
from timbra.rules.nomina.keys import key
from timbra.rules.nomina12.matrix import STANDARD
from timbra.rules.nomina12.nomina import AT as NOMINA
from timbra.rules.rule import rule

AT = f"{NOMINA}/Deducciones"
ROW = f"{AT}/Deduccion"


@rule("NOM91", at=f"{AT}/@TotalImpuestosRetenidos")
def withheld_tax_adds_up(deducciones: Deducciones, _case: Case) -> Verdict:
    return totales.retenidos_total(deducciones)


@rule("NOM92", at=f"{AT}/@TotalImpuestosRetenidos")
def no_tax_means_no_total(deducciones: Deducciones, _case: Case) -> Verdict:
    return totales.no_retenidos(deducciones)


@rule("NOM111:TotalOtrasDeducciones", at=f"{AT}/@TotalOtrasDeducciones", source=STANDARD, severity=Severity.WARNING)
def other_deductions_add_up(deducciones: Deducciones, _case: Case) -> Verdict:
    """A warning: the matrix has no code for it."""
    return totales.otras_deducciones_total(deducciones)


@rule("NOM93", at=f"{ROW}/@TipoDeduccion", reads=("TipoDeduccion",))
def kind_is_a_key(deduccion: Deduccion, case: Case) -> Verdict:
    return key(case, "c_TipoDeduccion", deduccion.TipoDeduccion)


@rule("NOM94", at=f"{NOMINA}/Incapacidades")
def withheld_incapacity_is_told(nomina: Nomina, _case: Case) -> Verdict:
    return demands.withheld_incapacity_is_told(nomina)


@rule("NOM95", at=f"{ROW}/@Importe")
def withheld_incapacity_adds_up(nomina: Nomina, _case: Case) -> Verdict:
    return demands.withheld_incapacity_adds_up(nomina)


@rule("NOM96", at=f"{ROW}/@Importe")
def deduction_is_positive(deduccion: Deduccion, _case: Case) -> Verdict:
    return demands.is_positive(deduccion)
