"""Deductions, other payments, the employment subsidy, balances in favor, incapacities: NOM91 to NOM108."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import (
    CompensacionSaldosAFavor,
    Deduccion,
    Deducciones,
    Incapacidad,
    Nomina,
    OtroPago,
    SubsidioAlEmpleo,
)
from timbra.rules.engine.result import Severity
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.nomina12.sources import STANDARD
from timbra.rules.shared.nomina.fechas import is_year_of_balance
from timbra.rules.shared.nomina.otros_pagos import (
    SUBSIDIES,
    balance_covers_remainder,
    deductions_006_equal_incapacidades,
    has_balance_with_004,
    has_incapacidades_with_006,
    has_positive_amount,
    has_positive_amount_unless_002,
    has_subsidy_or_adjustment_with_regime_02,
    has_subsidy_with_002,
    is_no_subsidy_with_other_regime,
    is_within_daily_limit,
    is_within_monthly_limit,
    paid_subsidy_is_within_due_subsidy,
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


NOM97 = row(
    "NOM97",
    OtroPago,
    at="Complemento/Nomina/OtrosPagos/OtroPago/@TipoOtroPago",
    says="TipoOtroPago debe ser una clave vigente de c_TipoOtroPago.",
    check=in_catalog("nomina12:c_TipoOtroPago", "TipoOtroPago"),
)


NOM98 = row(
    "NOM98",
    OtroPago,
    at="Complemento/Nomina/OtrosPagos/OtroPago/CompensacionSaldosAFavor",
    says="CompensacionSaldosAFavor debe existir con TipoOtroPago 004.",
    check=has_balance_with_004,
)


NOM99 = row(
    "NOM99",
    OtroPago,
    at="Complemento/Nomina/OtrosPagos/OtroPago/SubsidioAlEmpleo",
    says="SubsidioAlEmpleo debe existir con TipoOtroPago 002.",
    check=has_subsidy_with_002,
)


NOM100 = row(
    "NOM100",
    OtroPago,
    at="Complemento/Nomina/OtrosPagos/OtroPago/@Importe",
    says="Importe de otro pago debe ser mayor que cero, salvo en el 002.",
    check=has_positive_amount_unless_002,
)


NOM101 = row(
    "NOM101",
    SubsidioAlEmpleo,
    at="Complemento/Nomina/OtrosPagos/OtroPago/SubsidioAlEmpleo/@SubsidioCausado",
    says="Con hasta 31 días pagados, SubsidioCausado no debe pasar del límite mensual.",
    check=is_within_monthly_limit(SUBSIDIES),
)


NOM102 = row(
    "NOM102",
    CompensacionSaldosAFavor,
    at="Complemento/Nomina/OtrosPagos/OtroPago/CompensacionSaldosAFavor/@SaldoAFavor",
    says="SaldoAFavor no debe ser menor que RemanenteSalFav.",
    check=balance_covers_remainder,
)


NOM103 = row(
    "NOM103",
    CompensacionSaldosAFavor,
    at="Complemento/Nomina/OtrosPagos/OtroPago/CompensacionSaldosAFavor/@Año",
    says="Año debe ser el anterior al de FechaPago, o el mismo en una nómina de diciembre.",
    check=is_year_of_balance,
)


NOM104 = row(
    "NOM104",
    Incapacidad,
    at="Complemento/Nomina/Incapacidades/Incapacidad/@TipoIncapacidad",
    says="TipoIncapacidad debe ser una clave vigente de c_TipoIncapacidad.",
    check=in_catalog("nomina12:c_TipoIncapacidad", "TipoIncapacidad"),
)


NOM105 = row(
    "NOM105",
    Nomina,
    at="Complemento/Nomina/OtrosPagos/OtroPago/@TipoOtroPago",
    says="Con TipoRegimen 02 debe existir un pago 002, o en su lugar uno 007 o 008.",
    check=has_subsidy_or_adjustment_with_regime_02,
)


NOM106 = row(
    "NOM106",
    OtroPago,
    at="Complemento/Nomina/OtrosPagos/OtroPago/@TipoOtroPago",
    says="Con un TipoRegimen distinto de 02 no deben existir pagos 002, 007 ni 008.",
    check=is_no_subsidy_with_other_regime,
)


NOM107 = row(
    "NOM107",
    OtroPago,
    at="Complemento/Nomina/OtrosPagos/OtroPago/@Importe",
    says="Importe del subsidio entregado no debe pasar de SubsidioCausado.",
    check=paid_subsidy_is_within_due_subsidy,
)


NOM108 = row(
    "NOM108",
    SubsidioAlEmpleo,
    at="Complemento/Nomina/OtrosPagos/OtroPago/SubsidioAlEmpleo/@SubsidioCausado",
    says="Con más de 31 días pagados, SubsidioCausado no debe pasar del límite diario por NumDiasPagados.",
    check=is_within_daily_limit(SUBSIDIES),
)
