"""The error matrix of Gastos de Hidrocarburos 1.0 for CFDI 4.0: one function per code."""

from __future__ import annotations

from timbra.cfdi.nodes.gceh10 import GastosHidrocarburos
from timbra.rules.engine.rule import NotImplementedRow, RuleSet
from timbra.rules.rulesets.gceh10 import actividad, comprobante, concepto, costos, documento, pedimento
from timbra.rules.rulesets.gceh10.matrix import REVISION, SOURCE, UNCLASSIFIED

MODULES = (comprobante, concepto, documento, pedimento, actividad, costos)

NOT_IMPLEMENTED = (
    NotImplementedRow(
        UNCLASSIFIED, at="Complemento/GastosHidrocarburos", reason="errores sin código propio: no se conoce ninguno"
    ),
)

RULE_SET = RuleSet.from_modules(
    "gceh10", REVISION, SOURCE, MODULES, NOT_IMPLEMENTED, complement=GastosHidrocarburos, versions=("4.0",)
)
