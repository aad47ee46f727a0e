"""Receivers who reside abroad: CFDI33133 to CFDI33139."""

from __future__ import annotations

from timbra.cfdi.nodes import Receptor
from timbra.examples.cfdi33 import exportacion33
from timbra.examples.codes.cfdi33 import invoice_abroad
from timbra.examples.codes.example import example
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.cfdi33.sources import MATRIX_2022_01
from timbra.rules.shared.invoice import abroad
from timbra.rules.shared.invoice.parties import is_generic
from timbra.rules.shared.predicates import in_catalog

CFDI33133 = row(
    "CFDI33133",
    Receptor,
    at="Receptor/@ResidenciaFiscal",
    says="ResidenciaFiscal debe ser una clave vigente de c_Pais.",
    check=in_catalog("c_Pais", "ResidenciaFiscal"),
    applies=abroad.has_residence,
    cites=MATRIX_2022_01,
    fails=example(invoice_abroad, {"Receptor/@ResidenciaFiscal": "QQQ"}),
)


CFDI33134 = row(
    "CFDI33134",
    Receptor,
    at="Receptor/@ResidenciaFiscal",
    says="ResidenciaFiscal no debe existir si el receptor está inscrito o es XAXX010101000.",
    check=abroad.is_absent_when_national("ResidenciaFiscal"),
    applies=abroad.has_residence,
    cites=MATRIX_2022_01,
    fails={"Receptor/@ResidenciaFiscal": "USA"},
)


CFDI33135 = row(
    "CFDI33135",
    Receptor,
    at="Receptor/@ResidenciaFiscal",
    says="ResidenciaFiscal no debe ser MEX.",
    check=abroad.residence_is_not_mexico,
    applies=abroad.has_residence,
    cites=MATRIX_2022_01,
    fails=example(invoice_abroad, {"Receptor/@ResidenciaFiscal": "MEX"}),
)


CFDI33136 = row(
    "CFDI33136",
    Receptor,
    at="Receptor/@ResidenciaFiscal",
    says="ResidenciaFiscal debe existir para un receptor extranjero con Comercio Exterior o NumRegIdTrib.",
    check=abroad.has_residence_when_foreign,
    applies=is_generic,
    cites=MATRIX_2022_01,
    fails=example(invoice_abroad, {"Receptor/@ResidenciaFiscal": None}),
)


CFDI33137 = row(
    "CFDI33137",
    Receptor,
    at="Receptor/@NumRegIdTrib",
    says="NumRegIdTrib no debe existir si el receptor está inscrito o es XAXX010101000.",
    check=abroad.is_absent_when_national("NumRegIdTrib"),
    applies=abroad.has_foreign_id,
    cites=MATRIX_2022_01,
    fails={"Receptor/@NumRegIdTrib": "123456789"},
)


CFDI33138 = row(
    "CFDI33138",
    Receptor,
    at="Receptor/@NumRegIdTrib",
    says="NumRegIdTrib debe existir para un receptor extranjero con Comercio Exterior.",
    check=abroad.has_foreign_id_in_exports,
    applies=is_generic,
    cites=MATRIX_2022_01,
    fails=example(exportacion33, {"Receptor/@NumRegIdTrib": None}),
)


CFDI33139 = row(
    "CFDI33139",
    Receptor,
    at="Receptor/@NumRegIdTrib",
    says="NumRegIdTrib debe cumplir el formato o estar en el registro del país de residencia.",
    check=abroad.foreign_id_matches_country,
    applies=abroad.has_foreign_id,
    cites=MATRIX_2022_01,
    fails=example(invoice_abroad, {"Receptor/@NumRegIdTrib": "12345"}),
)
