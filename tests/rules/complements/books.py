"""The rule sets of the table `others.csv`."""

from __future__ import annotations

from timbra.rules.engine.rule_set import RuleSet
from timbra.rules.rulesets import ecc12, gceh10, hidroypetro10, ieeh10, ine11

MODULES = (ecc12, gceh10, hidroypetro10, ieeh10, ine11)
RULE_SETS: tuple[RuleSet, ...] = tuple(module.RULE_SET for module in MODULES)
