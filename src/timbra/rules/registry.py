"""The rule sets of all standards, discovered in `timbra.rules.rulesets`, and the engine that evaluates them."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from timbra.rules import rulesets
from timbra.rules.engine.engine import Engine
from timbra.rules.engine.rule_set import VERSIONS, RuleSet


def discover_rule_sets() -> tuple[RuleSet, ...]:
    """Return the rule sets of all packages: invoices before complements, the newest invoice first, then by name."""
    found: list[RuleSet] = []
    for module in iter_modules(rulesets.__path__):
        package = import_module(f"{rulesets.__name__}.{module.name}")
        if not hasattr(package, "RULE_SETS"):
            raise TypeError(f"{package.__name__}/__init__.py has no RULE_SETS = (RULE_SET,)")
        found += package.RULE_SETS
    return tuple(sorted(found, key=_order))


def _order(rule_set: RuleSet) -> tuple[bool, bool, bool, str]:
    is_older = rule_set.complement is None and VERSIONS[0] not in rule_set.versions
    return not rule_set.by_engine, rule_set.complement is not None, is_older, rule_set.name


RULE_SETS = discover_rule_sets()
ENGINE = Engine(each for each in RULE_SETS if each.by_engine)

check = ENGINE.check
validate_for_stamping = ENGINE.validate_for_stamping
