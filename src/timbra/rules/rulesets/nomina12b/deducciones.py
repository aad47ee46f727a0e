"""Deductions, and incapacities: NOM211 to NOM216, NOM224."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import Deduccion, Deducciones, Incapacidad, Nomina
from timbra.examples.codes.nomina12 import (
    invoice_discount,
    receipt_of,
    with_incapacity,
    with_incapacity_deduction,
    with_isr,
    with_other_deduction,
)
from timbra.examples.codes.receipt import ReceiptPair
from timbra.examples.nomina12 import deduction
from timbra.rules.engine.result import Severity
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.nomina12b.sources import MATRIX_B, STANDARD
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

NOM211 = row(
    "NOM211",
    Deducciones,
    at="Complemento/Nomina/Deducciones/@TotalImpuestosRetenidos",
    says="TotalImpuestosRetenidos debe ser la suma de las deducciones 002.",
    check=total_retenidos_equals_sum,
    cites=MATRIX_B,
    fails=with_isr.example(
        {
            "Complemento/Nomina/Deducciones/@TotalImpuestosRetenidos": "30.00",
            "Complemento/Nomina/@TotalDeducciones": "30.00",
            **invoice_discount("30.00", total="170.00"),
        }
    ),
)


NOM212 = row(
    "NOM212",
    Deducciones,
    at="Complemento/Nomina/Deducciones/@TotalImpuestosRetenidos",
    says="TotalImpuestosRetenidos no debe existir sin deducciones 002.",
    check=has_no_total_retenidos_without_002,
    cites=MATRIX_B,
    fails=with_other_deduction.example({"Complemento/Nomina/Deducciones/@TotalImpuestosRetenidos": "0.00"}),
)


NOM225_TotalOtrasDeducciones = row(
    "NOM225:TotalOtrasDeducciones",
    Deducciones,
    at="Complemento/Nomina/Deducciones/@TotalOtrasDeducciones",
    says="TotalOtrasDeducciones debe ser la suma de las deducciones distintas de 002.",
    note="Es un aviso: la matriz no tiene un código para esta condición.",
    check=total_otras_deducciones_equals_sum,
    severity=Severity.WARNING,
    cites=STANDARD,
    fails=with_other_deduction.example(
        {
            "Complemento/Nomina/Deducciones/@TotalOtrasDeducciones": "30.00",
            "Complemento/Nomina/@TotalDeducciones": "30.00",
            **invoice_discount("30.00", total="170.00"),
        }
    ),
)


NOM213 = row(
    "NOM213",
    Deduccion,
    at="Complemento/Nomina/Deducciones/Deduccion/@TipoDeduccion",
    says="TipoDeduccion debe ser una clave vigente de c_TipoDeduccion.",
    check=in_catalog("nomina12:c_TipoDeduccion", "TipoDeduccion"),
    cites=MATRIX_B,
    fails=with_other_deduction.example({"Complemento/Nomina/Deducciones/Deduccion/@TipoDeduccion": "999"}),
)


NOM214 = row(
    "NOM214",
    Nomina,
    at="Complemento/Nomina/Incapacidades",
    says="Incapacidades debe existir con la deducción 006.",
    check=has_incapacidades_with_006,
    cites=MATRIX_B,
    fails=with_incapacity_deduction.example({"Complemento/Nomina/Incapacidades": None}),
)


NOM215 = row(
    "NOM215",
    Nomina,
    at="Complemento/Nomina/Deducciones/Deduccion/@Importe",
    says="El importe de la deducción 006 debe ser la suma de ImporteMonetario de las incapacidades.",
    check=deductions_006_equal_incapacidades,
    cites=MATRIX_B,
    fails=with_incapacity_deduction.example(
        {"Complemento/Nomina/Incapacidades/Incapacidad/@ImporteMonetario": "10.00"}
    ),
)


NOM216 = row(
    "NOM216",
    Deduccion,
    at="Complemento/Nomina/Deducciones/Deduccion/@Importe",
    says="Importe de una deducción debe ser mayor que cero.",
    check=has_positive_amount,
    cites=MATRIX_B,
    fails=ReceiptPair(with_other_deduction, receipt_of(withheld=(deduction("004", "20.00"), deduction("001", "0.00")))),
)


NOM224 = row(
    "NOM224",
    Incapacidad,
    at="Complemento/Nomina/Incapacidades/Incapacidad/@TipoIncapacidad",
    says="TipoIncapacidad debe ser una clave vigente de c_TipoIncapacidad.",
    check=in_catalog("nomina12:c_TipoIncapacidad", "TipoIncapacidad"),
    cites=MATRIX_B,
    fails=with_incapacity.example({"Complemento/Nomina/Incapacidades/Incapacidad/@TipoIncapacidad": "09"}),
)
