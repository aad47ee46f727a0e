"""The error matrix of Estado de Cuenta de Combustibles 1.2: one function per code, for invoices of both versions."""

from __future__ import annotations

from timbra.cfdi.nodes.ecc12 import EstadoDeCuentaCombustible
from timbra.rules.engine.rule import RuleSet
from timbra.rules.rulesets.ecc12 import carga, cuenta
from timbra.rules.rulesets.ecc12.matrix import REVISION, SOURCE

MODULES = (cuenta, carga)

RULE_SET = RuleSet.from_modules("ecc12", REVISION, SOURCE, MODULES, complement=EstadoDeCuentaCombustible)
