"""The error matrix of Hidrocarburos y Petrolíferos 1.0, as far as it is known: one function per code."""

from __future__ import annotations

from timbra.cfdi.nodes.hidroypetro10 import HidroYPetro
from timbra.rules.engine.rule import NotImplementedRow, RuleSet
from timbra.rules.rulesets.hidroypetro10 import permiso, producto
from timbra.rules.rulesets.hidroypetro10.matrix import COMPANIONS, REVISION, SOURCE, UNKNOWN, VERSION

MODULES = (permiso, producto)

NOT_IMPLEMENTED = (
    *(
        NotImplementedRow(code, permiso.AT, "el texto de la matriz, que ninguna fuente trae", HidroYPetro)
        for code in UNKNOWN
    ),
    NotImplementedRow(
        COMPANIONS, permiso.AT, "la lista de complementos admitidos, que ninguna fuente trae", HidroYPetro
    ),
    NotImplementedRow(VERSION, f"{permiso.AT}/@Version", "lo exige el esquema: 301"),
)
"""Rows that are no rules: codes that are known by their number alone, and what the schema demands."""

RULE_SET = RuleSet.from_modules(
    "hidroypetro10", REVISION, SOURCE, MODULES, NOT_IMPLEMENTED, complement=HidroYPetro, versions=("4.0",)
)
