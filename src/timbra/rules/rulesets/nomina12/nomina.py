"""The complement itself, its dates and totals: NOM31, NOM32, NOM35 to NOM40."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import Nomina
from timbra.rules.engine.result import Severity
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.nomina12.sources import STANDARD
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

NOM31 = row(
    "NOM31",
    Nomina,
    at="Complemento/Nomina",
    says="Debe existir TotalPercepciones o TotalOtrosPagos.",
    note="Sin totales no se paga nada: ValorUnitario es 0 e incumple CFDI40166, o se incumplen NOM20 y NOM21.",
    check=has_total,
    inseparable=("CFDI40166",),
)


NOM32 = row(
    "NOM32",
    Nomina,
    at="Complemento/Nomina/@TipoNomina",
    says="TipoNomina debe ser una clave vigente de c_TipoNomina.",
    check=in_catalog("nomina12:c_TipoNomina", "TipoNomina"),
)


NOM35 = row(
    "NOM35",
    Nomina,
    at="Complemento/Nomina/@FechaInicialPago",
    says="FechaInicialPago no debe ser posterior a FechaFinalPago.",
    check=period_is_in_order,
)


NOM36 = row(
    "NOM36",
    Nomina,
    at="Complemento/Nomina/@TotalPercepciones",
    says="TotalPercepciones no debe existir sin el nodo Percepciones.",
    check=is_absent_without("TotalPercepciones", "Percepciones", has_percepciones),
)


NOM37 = row(
    "NOM37",
    Nomina,
    at="Complemento/Nomina/@TotalPercepciones",
    says="TotalPercepciones debe ser la suma de los totales de sueldos, separación y jubilación.",
    check=total_percepciones_equals_sum,
)


NOM38 = row(
    "NOM38",
    Nomina,
    at="Complemento/Nomina/@TotalDeducciones",
    says="TotalDeducciones no debe existir sin el nodo Deducciones.",
    check=is_absent_without("TotalDeducciones", "Deducciones", has_deducciones),
)


NOM39 = row(
    "NOM39",
    Nomina,
    at="Complemento/Nomina/@TotalDeducciones",
    says="TotalDeducciones debe ser la suma de TotalOtrasDeducciones y TotalImpuestosRetenidos.",
    check=total_deducciones_equals_sum,
)


NOM40 = row(
    "NOM40",
    Nomina,
    at="Complemento/Nomina/@TotalOtrosPagos",
    says="Con el nodo OtrosPagos, TotalOtrosPagos debe ser la suma de sus importes.",
    check=total_otros_pagos_equals_sum,
)


NOM111_TotalOtrosPagos = row(
    "NOM111:TotalOtrosPagos",
    Nomina,
    at="Complemento/Nomina/@TotalOtrosPagos",
    says="TotalOtrosPagos no debe existir sin el nodo OtrosPagos.",
    note="Es un aviso: la matriz no tiene un código para esta condición.",
    check=is_absent_without("TotalOtrosPagos", "OtrosPagos", has_otros_pagos),
    severity=Severity.WARNING,
    cites=STANDARD,
)
