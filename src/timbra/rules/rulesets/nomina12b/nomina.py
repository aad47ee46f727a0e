"""The complement itself, its dates and totals: NOM151, NOM152, NOM155 to NOM160."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import Nomina
from timbra.examples.codes.nomina12 import invoice_amount, invoice_discount, with_other_deduction, with_travel_expenses
from timbra.rules.engine.result import Severity
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.nomina12b.sources import MATRIX_B, STANDARD
from timbra.rules.shared.nomina.fechas import period_is_in_order
from timbra.rules.shared.nomina.totales import (
    has_deducciones,
    has_otros_pagos,
    has_percepciones,
    has_total,
    is_absent_without,
    total_deducciones_equals_sum,
    total_otros_pagos_equals_sum,
    total_percepciones_equals_sum,
)
from timbra.rules.shared.predicates import in_catalog

NOM151 = row(
    "NOM151",
    Nomina,
    at="Complemento/Nomina",
    says="Debe existir TotalPercepciones o TotalOtrosPagos.",
    check=has_total,
    inseparable=("CFDI33147",),
    cites=MATRIX_B,
    fails={
        "Complemento/Nomina/Percepciones": None,
        "Complemento/Nomina/@TotalPercepciones": None,
        **invoice_amount("0"),
    },
)


NOM152 = row(
    "NOM152",
    Nomina,
    at="Complemento/Nomina/@TipoNomina",
    says="TipoNomina debe ser una clave vigente de c_TipoNomina.",
    check=in_catalog("nomina12:c_TipoNomina", "TipoNomina"),
    cites=MATRIX_B,
    fails={"Complemento/Nomina/@TipoNomina": "X"},
)


NOM155 = row(
    "NOM155",
    Nomina,
    at="Complemento/Nomina/@FechaInicialPago",
    says="FechaInicialPago no debe ser posterior a FechaFinalPago.",
    check=period_is_in_order,
    cites=MATRIX_B,
    fails={"Complemento/Nomina/@FechaInicialPago": "2022-11-18"},
)


NOM156 = row(
    "NOM156",
    Nomina,
    at="Complemento/Nomina/@TotalPercepciones",
    says="TotalPercepciones no debe existir sin el nodo Percepciones.",
    check=is_absent_without("TotalPercepciones", "Percepciones", has_percepciones),
    cites=MATRIX_B,
    fails={"Complemento/Nomina/Percepciones": None},
)


NOM157 = row(
    "NOM157",
    Nomina,
    at="Complemento/Nomina/@TotalPercepciones",
    says="TotalPercepciones debe ser la suma de los totales de sueldos, separación y jubilación.",
    check=total_percepciones_equals_sum,
    cites=MATRIX_B,
    fails={
        "Complemento/Nomina/@TotalPercepciones": "210.00",
        **invoice_amount("210.00"),
    },
)


NOM158 = row(
    "NOM158",
    Nomina,
    at="Complemento/Nomina/@TotalDeducciones",
    says="TotalDeducciones no debe existir sin el nodo Deducciones.",
    check=is_absent_without("TotalDeducciones", "Deducciones", has_deducciones),
    cites=MATRIX_B,
    fails={
        "Complemento/Nomina/@TotalDeducciones": "10.00",
        **invoice_discount("10.00", total="190.00"),
    },
)


NOM159 = row(
    "NOM159",
    Nomina,
    at="Complemento/Nomina/@TotalDeducciones",
    says="TotalDeducciones debe ser la suma de TotalOtrasDeducciones y TotalImpuestosRetenidos.",
    check=total_deducciones_equals_sum,
    cites=MATRIX_B,
    fails=with_other_deduction.example(
        {
            "Complemento/Nomina/@TotalDeducciones": "30.00",
            **invoice_discount("30.00", total="170.00"),
        }
    ),
)


NOM160 = row(
    "NOM160",
    Nomina,
    at="Complemento/Nomina/@TotalOtrosPagos",
    says="Con el nodo OtrosPagos, TotalOtrosPagos debe ser la suma de sus importes.",
    check=total_otros_pagos_equals_sum,
    cites=MATRIX_B,
    fails=with_travel_expenses.example(
        {
            "Complemento/Nomina/@TotalOtrosPagos": "60.00",
            **invoice_amount("260.00"),
        }
    ),
)


NOM225_TotalOtrosPagos = row(
    "NOM225:TotalOtrosPagos",
    Nomina,
    at="Complemento/Nomina/@TotalOtrosPagos",
    says="TotalOtrosPagos no debe existir sin el nodo OtrosPagos.",
    note="Es un aviso: la matriz no tiene un código para esta condición.",
    check=is_absent_without("TotalOtrosPagos", "OtrosPagos", has_otros_pagos),
    severity=Severity.WARNING,
    cites=STANDARD,
    fails={
        "Complemento/Nomina/@TotalOtrosPagos": "10.00",
        **invoice_amount("210.00"),
    },
)
