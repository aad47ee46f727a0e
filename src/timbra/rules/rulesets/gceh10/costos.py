"""Campo, Yacimiento and Pozo: GCEH126 to GCEH131."""

from __future__ import annotations

from timbra.cfdi.nodes.gceh10 import CentroCostos, Pozos, Yacimientos
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.gceh10.niveles import others_are_absent_without_value, others_are_present_with_value

GCEH126 = row(
    "GCEH126",
    CentroCostos,
    at="Complemento/GastosHidrocarburos/Erogacion/CentroCostos/@Campo",
    says="Sin Campo no deben existir Yacimiento ni Pozo.",
    check=others_are_absent_without_value,
    inseparable=("GCEH129", "GCEH131"),
)


GCEH127 = row(
    "GCEH127",
    CentroCostos,
    at="Complemento/GastosHidrocarburos/Erogacion/CentroCostos/@Campo",
    says="Con Campo deben existir también Yacimiento y Pozo.",
    check=others_are_present_with_value,
)


GCEH128 = row(
    "GCEH128",
    Yacimientos,
    at="Complemento/GastosHidrocarburos/Erogacion/CentroCostos/Yacimientos/@Yacimiento",
    says="Sin Yacimiento no deben existir Campo ni Pozo.",
    check=others_are_absent_without_value,
    inseparable=("GCEH127",),
)


GCEH129 = row(
    "GCEH129",
    Yacimientos,
    at="Complemento/GastosHidrocarburos/Erogacion/CentroCostos/Yacimientos/@Yacimiento",
    says="Con Yacimiento deben existir también Campo y Pozo.",
    check=others_are_present_with_value,
    inseparable=("GCEH127",),
)


GCEH130 = row(
    "GCEH130",
    Pozos,
    at="Complemento/GastosHidrocarburos/Erogacion/CentroCostos/Yacimientos/Pozos/@Pozo",
    says="Sin Pozo no deben existir Campo ni Yacimiento.",
    check=others_are_absent_without_value,
    inseparable=("GCEH127", "GCEH129"),
)


GCEH131 = row(
    "GCEH131",
    Pozos,
    at="Complemento/GastosHidrocarburos/Erogacion/CentroCostos/Yacimientos/Pozos/@Pozo",
    says="Con Pozo deben existir también Campo y Yacimiento.",
    check=others_are_present_with_value,
    inseparable=("GCEH126", "GCEH128"),
)
