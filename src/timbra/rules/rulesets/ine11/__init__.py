"""The error matrix of INE 1.1: one function per code, for invoices of both versions."""

from __future__ import annotations

from timbra.cfdi.nodes.ine11 import INE
from timbra.rules.engine.rule import NotImplementedRow, RuleSet
from timbra.rules.rulesets.ine11 import comite, entidad
from timbra.rules.rulesets.ine11.matrix import REVISION, SOURCE, UNCLASSIFIED

MODULES = (comite, entidad)

NOT_IMPLEMENTED = (
    NotImplementedRow(UNCLASSIFIED, at="Complemento/INE", reason="errores sin código propio: no se conoce ninguno"),
)

RULE_SET = RuleSet.from_modules("ine11", REVISION, SOURCE, MODULES, NOT_IMPLEMENTED, complement=INE)
