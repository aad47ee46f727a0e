"""Deductions: NOM91 to NOM96."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import Deduccion, Deducciones, Nomina
from timbra.rules.engine.result import Severity
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.nomina12.sources import STANDARD
from timbra.rules.shared.nomina.deducciones import (
    deductions_006_equal_incapacidades,
    has_incapacidades_with_006,
    has_positive_amount,
)
from timbra.rules.shared.nomina.totales import (
    has_no_total_retenidos_without_002,
    total_otras_deducciones_equals_sum,
    total_retenidos_equals_sum,
)
from timbra.rules.shared.predicates import in_catalog

NOM91 = row(
    "NOM91",
    Deducciones,
    at="Complemento/Nomina/Deducciones/@TotalImpuestosRetenidos",
    says="TotalImpuestosRetenidos debe ser la suma de las deducciones 002.",
    check=total_retenidos_equals_sum,
)


NOM92 = row(
    "NOM92",
    Deducciones,
    at="Complemento/Nomina/Deducciones/@TotalImpuestosRetenidos",
    says="TotalImpuestosRetenidos no debe existir sin deducciones 002.",
    check=has_no_total_retenidos_without_002,
)


NOM111_TotalOtrasDeducciones = row(
    "NOM111:TotalOtrasDeducciones",
    Deducciones,
    at="Complemento/Nomina/Deducciones/@TotalOtrasDeducciones",
    says="TotalOtrasDeducciones debe ser la suma de las deducciones distintas de 002.",
    note="Es un aviso: la matriz no tiene un código para esta condición.",
    check=total_otras_deducciones_equals_sum,
    severity=Severity.WARNING,
    cites=STANDARD,
)


NOM93 = row(
    "NOM93",
    Deduccion,
    at="Complemento/Nomina/Deducciones/Deduccion/@TipoDeduccion",
    says="TipoDeduccion debe ser una clave vigente de c_TipoDeduccion.",
    check=in_catalog("nomina12:c_TipoDeduccion", "TipoDeduccion"),
)


NOM94 = row(
    "NOM94",
    Nomina,
    at="Complemento/Nomina/Incapacidades",
    says="Incapacidades debe existir con la deducción 006.",
    check=has_incapacidades_with_006,
)


NOM95 = row(
    "NOM95",
    Nomina,
    at="Complemento/Nomina/Deducciones/Deduccion/@Importe",
    says="El importe de la deducción 006 debe ser la suma de ImporteMonetario de las incapacidades.",
    check=deductions_006_equal_incapacidades,
)


NOM96 = row(
    "NOM96",
    Deduccion,
    at="Complemento/Nomina/Deducciones/Deduccion/@Importe",
    says="Importe de una deducción debe ser mayor que cero.",
    check=has_positive_amount,
)
