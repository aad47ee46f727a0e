"""Receivers who reside abroad: CFDI40150 to CFDI40156."""

from __future__ import annotations

from timbra.cfdi.nodes import Receptor
from timbra.rules.engine.rule import row
from timbra.rules.shared.invoice import abroad
from timbra.rules.shared.invoice.parties import is_generic
from timbra.rules.shared.predicates import in_catalog

CFDI40150 = row(
    "CFDI40150",
    Receptor,
    at="Receptor/@ResidenciaFiscal",
    says="ResidenciaFiscal debe ser una clave vigente de c_Pais.",
    check=in_catalog("c_Pais", "ResidenciaFiscal"),
    applies=abroad.has_residence,
)


CFDI40151 = row(
    "CFDI40151",
    Receptor,
    at="Receptor/@ResidenciaFiscal",
    says="ResidenciaFiscal no debe existir si el receptor está inscrito o es XAXX010101000.",
    check=abroad.is_absent_when_national("ResidenciaFiscal"),
    applies=abroad.has_residence,
)


CFDI40152 = row(
    "CFDI40152",
    Receptor,
    at="Receptor/@ResidenciaFiscal",
    says="ResidenciaFiscal no debe ser MEX.",
    check=abroad.residence_is_not_mexico,
    applies=abroad.has_residence,
)


CFDI40153 = row(
    "CFDI40153",
    Receptor,
    at="Receptor/@ResidenciaFiscal",
    says="ResidenciaFiscal debe existir para un receptor extranjero con Comercio Exterior o NumRegIdTrib.",
    check=abroad.has_residence_when_foreign,
    applies=is_generic,
)


CFDI40154 = row(
    "CFDI40154",
    Receptor,
    at="Receptor/@NumRegIdTrib",
    says="NumRegIdTrib no debe existir si el receptor está inscrito o es XAXX010101000.",
    check=abroad.is_absent_when_national("NumRegIdTrib"),
    applies=abroad.has_foreign_id,
)


CFDI40155 = row(
    "CFDI40155",
    Receptor,
    at="Receptor/@NumRegIdTrib",
    says="NumRegIdTrib debe existir para un receptor extranjero con Comercio Exterior.",
    check=abroad.has_foreign_id_in_exports,
    applies=is_generic,
)


CFDI40156 = row(
    "CFDI40156",
    Receptor,
    at="Receptor/@NumRegIdTrib",
    says="NumRegIdTrib debe cumplir el formato o estar en el registro del país de residencia.",
    check=abroad.foreign_id_matches_country,
    applies=abroad.has_foreign_id,
)
