"""What is withheld, and incapacities: NOM211 to NOM216, NOM224."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import Deduccion, Deducciones, Incapacidad, Nomina
from timbra.rules.case import Case
from timbra.rules.finding import Severity, Verdict
from timbra.rules.nomina import deducciones, totales
from timbra.rules.nomina.keys import key
from timbra.rules.nomina12b.matrix import STANDARD
from timbra.rules.rule import rule

AT = Deducciones.PATH
ROW_AT = Deduccion.PATH


@rule("NOM211", at=f"{AT}/@TotalImpuestosRetenidos")
def withheld_tax_is_summed(rows: Deducciones, _case: Case) -> Verdict:
    return totales.retenidos_total(rows)


@rule("NOM212", at=f"{AT}/@TotalImpuestosRetenidos")
def no_tax_has_no_total(rows: Deducciones, _case: Case) -> Verdict:
    return totales.no_retenidos(rows)


@rule("NOM225:TotalOtrasDeducciones", at=f"{AT}/@TotalOtrasDeducciones", source=STANDARD, severity=Severity.WARNING)
def other_deductions_are_summed(rows: Deducciones, _case: Case) -> Verdict:
    """A warning: the matrix has no code for it."""
    return totales.otras_deducciones_total(rows)


@rule("NOM213", at=f"{ROW_AT}/@TipoDeduccion", reads=("TipoDeduccion",))
def kind_is_a_key(row: Deduccion, case: Case) -> Verdict:
    return key(case, "c_TipoDeduccion", row.TipoDeduccion)


@rule("NOM214", at="Complemento/Nomina/Incapacidades")
def withheld_incapacity_is_told(nomina: Nomina, _case: Case) -> Verdict:
    return deducciones.withheld_incapacity_is_told(nomina)


@rule("NOM215", at=f"{ROW_AT}/@Importe")
def withheld_incapacity_adds_up(nomina: Nomina, _case: Case) -> Verdict:
    return deducciones.withheld_incapacity_adds_up(nomina)


@rule("NOM216", at=f"{ROW_AT}/@Importe")
def something_is_withheld(row: Deduccion, _case: Case) -> Verdict:
    return deducciones.is_positive(row)


@rule("NOM224", at=f"{Incapacidad.PATH}/@TipoIncapacidad", reads=("TipoIncapacidad",))
def incapacity_is_a_key(row: Incapacidad, case: Case) -> Verdict:
    return key(case, "c_TipoIncapacidad", row.TipoIncapacidad)
