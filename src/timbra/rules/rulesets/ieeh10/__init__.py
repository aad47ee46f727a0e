"""The error matrix of Ingresos de Hidrocarburos 1.0 for CFDI 4.0: one function per code."""

from __future__ import annotations

from timbra.cfdi.nodes.ieeh10 import IngresosHidrocarburos
from timbra.rules.engine.rule import NotImplementedRow, RuleSet
from timbra.rules.rulesets.ieeh10 import comprobante, concepto, ingresos
from timbra.rules.rulesets.ieeh10.matrix import REVISION, SOURCE, UNCLASSIFIED

MODULES = (comprobante, concepto, ingresos)

NOT_IMPLEMENTED = (
    NotImplementedRow(UNCLASSIFIED, at=ingresos.AT, reason="errores sin código propio: no se conoce ninguno"),
)

RULE_SET = RuleSet.from_modules(
    "ieeh10", REVISION, SOURCE, MODULES, NOT_IMPLEMENTED, complement=IngresosHidrocarburos, versions=("4.0",)
)
