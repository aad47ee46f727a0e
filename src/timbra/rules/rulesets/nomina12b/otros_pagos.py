"""Other payments, the employment subsidy, balances in favor: NOM217 to NOM223, NOM226 to NOM229."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.nomina12 import CompensacionSaldosAFavor, Nomina, OtroPago, SubsidioAlEmpleo
from timbra.examples.codes.nomina12 import plain, receipt_of, with_subsidy, with_travel_expenses, worker
from timbra.examples.codes.nomina12b import with_balance_of_2021
from timbra.examples.codes.receipt import ReceiptPair
from timbra.examples.nomina12 import other, subsidy
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.nomina12b.sources import MATRIX_B, REVISION_B
from timbra.rules.shared.nomina.fechas import is_year_of_balance
from timbra.rules.shared.nomina.otros_pagos import (
    SUBSIDIES,
    balance_covers_remainder,
    has_balance_with_004,
    has_positive_amount_unless_002,
    has_subsidy_or_adjustment_with_regime_02,
    has_subsidy_with_002,
    is_no_subsidy_with_other_regime,
    is_within_daily_limit,
    is_within_monthly_limit,
    paid_subsidy_is_within_due_subsidy,
)
from timbra.rules.shared.predicates import in_catalog

LIMITS: Final = SUBSIDIES[:1]
"""Limits of the subsidy of revision B, the last revision for CFDI 3.3."""


NOM217 = row(
    "NOM217",
    OtroPago,
    at="Complemento/Nomina/OtrosPagos/OtroPago/@TipoOtroPago",
    says="TipoOtroPago debe ser una clave vigente de c_TipoOtroPago.",
    check=in_catalog("nomina12:c_TipoOtroPago", "TipoOtroPago"),
    cites=MATRIX_B,
    fails=with_travel_expenses.example({"Complemento/Nomina/OtrosPagos/OtroPago/@TipoOtroPago": "998"}),
)


NOM218 = row(
    "NOM218",
    OtroPago,
    at="Complemento/Nomina/OtrosPagos/OtroPago/CompensacionSaldosAFavor",
    says="CompensacionSaldosAFavor debe existir con TipoOtroPago 004.",
    check=has_balance_with_004,
    cites=MATRIX_B,
    fails=with_balance_of_2021.example({"Complemento/Nomina/OtrosPagos/OtroPago/CompensacionSaldosAFavor": None}),
)


NOM219 = row(
    "NOM219",
    OtroPago,
    at="Complemento/Nomina/OtrosPagos/OtroPago/SubsidioAlEmpleo",
    says="SubsidioAlEmpleo debe existir con TipoOtroPago 002.",
    check=has_subsidy_with_002,
    cites=MATRIX_B,
    fails=worker.example({"Complemento/Nomina/OtrosPagos/OtroPago/SubsidioAlEmpleo": None}),
)


NOM220 = row(
    "NOM220",
    OtroPago,
    at="Complemento/Nomina/OtrosPagos/OtroPago/@Importe",
    says="Importe de otro pago debe ser mayor que cero, salvo en el 002.",
    check=has_positive_amount_unless_002,
    cites=MATRIX_B,
    fails=ReceiptPair(with_travel_expenses, receipt_of(others=(other("003", "0.00"),))),
)


NOM221 = row(
    "NOM221",
    SubsidioAlEmpleo,
    at="Complemento/Nomina/OtrosPagos/OtroPago/SubsidioAlEmpleo/@SubsidioCausado",
    says="Con hasta 31 días pagados, SubsidioCausado no debe pasar del límite mensual.",
    check=is_within_monthly_limit(LIMITS),
    cites=MATRIX_B,
    fails=ReceiptPair(with_subsidy("0.00", "407.02"), with_subsidy("0.00", "407.03")),
)


NOM222 = row(
    "NOM222",
    CompensacionSaldosAFavor,
    at="Complemento/Nomina/OtrosPagos/OtroPago/CompensacionSaldosAFavor/@SaldoAFavor",
    says="SaldoAFavor no debe ser menor que RemanenteSalFav.",
    check=balance_covers_remainder,
    cites=MATRIX_B,
    fails=with_balance_of_2021.example(
        {"Complemento/Nomina/OtrosPagos/OtroPago/CompensacionSaldosAFavor/@RemanenteSalFav": "200.01"}
    ),
)


NOM223 = row(
    "NOM223",
    CompensacionSaldosAFavor,
    at="Complemento/Nomina/OtrosPagos/OtroPago/CompensacionSaldosAFavor/@Año",
    says="Año debe ser el anterior al de FechaPago, o el mismo en una nómina de diciembre.",
    check=is_year_of_balance,
    cites=MATRIX_B,
    fails=with_balance_of_2021.example(
        {"Complemento/Nomina/OtrosPagos/OtroPago/CompensacionSaldosAFavor/@Año": "2022"}
    ),
)


NOM226 = row(
    "NOM226",
    Nomina,
    at="Complemento/Nomina/OtrosPagos/OtroPago/@TipoOtroPago",
    says="Con TipoRegimen 02 debe existir un pago 002, o en su lugar uno 007 o 008.",
    check=has_subsidy_or_adjustment_with_regime_02,
    since=REVISION_B,
    cites=MATRIX_B,
    fails=worker.example({"Complemento/Nomina/OtrosPagos": None, "Complemento/Nomina/@TotalOtrosPagos": None}),
)


NOM227 = row(
    "NOM227",
    OtroPago,
    at="Complemento/Nomina/OtrosPagos/OtroPago/@TipoOtroPago",
    says="Con un TipoRegimen distinto de 02 no deben existir pagos 002, 007 ni 008.",
    check=is_no_subsidy_with_other_regime,
    since=REVISION_B,
    cites=MATRIX_B,
    fails=ReceiptPair(plain, receipt_of(others=(other("002", "0.00", subsidy("0.00")),))),
)


NOM228 = row(
    "NOM228",
    OtroPago,
    at="Complemento/Nomina/OtrosPagos/OtroPago/@Importe",
    says="Importe del subsidio entregado no debe pasar de SubsidioCausado.",
    check=paid_subsidy_is_within_due_subsidy,
    since=REVISION_B,
    cites=MATRIX_B,
    fails=ReceiptPair(with_subsidy("10.00", "10.00"), with_subsidy("10.01", "10.00")),
)


NOM229 = row(
    "NOM229",
    SubsidioAlEmpleo,
    at="Complemento/Nomina/OtrosPagos/OtroPago/SubsidioAlEmpleo/@SubsidioCausado",
    says="Con más de 31 días pagados, SubsidioCausado no debe pasar del límite diario por NumDiasPagados.",
    check=is_within_daily_limit(LIMITS),
    since=REVISION_B,
    cites=MATRIX_B,
    fails=ReceiptPair(with_subsidy("0.00", "535.60", days="40"), with_subsidy("0.00", "535.61", days="40")),
)
