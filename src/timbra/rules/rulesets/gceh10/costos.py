"""Campo, Yacimiento and Pozo: GCEH126 to GCEH131."""

from __future__ import annotations

from timbra.cfdi.nodes.gceh10 import CentroCostos, Pozos, Yacimientos
from timbra.examples.codes.example import example
from timbra.examples.codes.hidrocarburos10 import costs
from timbra.examples.hidrocarburos10 import gastos_hidrocarburos
from timbra.examples.tree import ExampleNode
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.gceh10.niveles import others_are_absent_without_value, others_are_present_with_value

GCEH126 = row(
    "GCEH126",
    CentroCostos,
    at="Complemento/GastosHidrocarburos/Erogacion/CentroCostos/@Campo",
    says="Sin Campo no deben existir Yacimiento ni Pozo.",
    check=others_are_absent_without_value,
    inseparable=("GCEH129", "GCEH131"),
    fails=costs(None, "Y", "P"),
)


GCEH127 = row(
    "GCEH127",
    CentroCostos,
    at="Complemento/GastosHidrocarburos/Erogacion/CentroCostos/@Campo",
    says="Con Campo deben existir también Yacimiento y Pozo.",
    check=others_are_present_with_value,
    fails=example(
        gastos_hidrocarburos,
        {"Complemento/GastosHidrocarburos/Erogacion/CentroCostos": ExampleNode("gceh:CentroCostos", {"Campo": "C"})},
        passes={
            "Complemento/GastosHidrocarburos/Erogacion/CentroCostos": ExampleNode(
                "gceh:CentroCostos",
                {"Campo": "C"},
                [ExampleNode("gceh:Yacimientos", {"Yacimiento": "Y"}, [ExampleNode("gceh:Pozos", {"Pozo": "P"})])],
            )
        },
    ),
)


GCEH128 = row(
    "GCEH128",
    Yacimientos,
    at="Complemento/GastosHidrocarburos/Erogacion/CentroCostos/Yacimientos/@Yacimiento",
    says="Sin Yacimiento no deben existir Campo ni Pozo.",
    check=others_are_absent_without_value,
    inseparable=("GCEH127",),
    fails=costs("C", None),
)


GCEH129 = row(
    "GCEH129",
    Yacimientos,
    at="Complemento/GastosHidrocarburos/Erogacion/CentroCostos/Yacimientos/@Yacimiento",
    says="Con Yacimiento deben existir también Campo y Pozo.",
    check=others_are_present_with_value,
    inseparable=("GCEH127",),
    fails=costs("C", "Y"),
)


GCEH130 = row(
    "GCEH130",
    Pozos,
    at="Complemento/GastosHidrocarburos/Erogacion/CentroCostos/Yacimientos/Pozos/@Pozo",
    says="Sin Pozo no deben existir Campo ni Yacimiento.",
    check=others_are_absent_without_value,
    inseparable=("GCEH127", "GCEH129"),
    fails=costs("C", "Y", None),
)


GCEH131 = row(
    "GCEH131",
    Pozos,
    at="Complemento/GastosHidrocarburos/Erogacion/CentroCostos/Yacimientos/Pozos/@Pozo",
    says="Con Pozo deben existir también Campo y Yacimiento.",
    check=others_are_present_with_value,
    inseparable=("GCEH126", "GCEH128"),
    fails=costs(None, None, "P"),
)
