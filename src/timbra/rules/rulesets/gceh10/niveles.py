"""Predicates of three nested levels of which all or none have their attribute."""

from __future__ import annotations

from timbra.cfdi.nodes.gceh10 import Level
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation


def others_are_absent_without_value(level: Level, _ctx: EvaluationContext) -> RuleResult:
    """Without the attribute of this level, the attributes of the other two are absent."""
    present = [name for name, exists in level.others.items() if exists]
    if level.value is not None or not present:
        return None
    return Violation(expected=f"un valor, como {' y '.join(present)}")


def others_are_present_with_value(level: Level, _ctx: EvaluationContext) -> RuleResult:
    """With the attribute of this level, the attributes of the other two are present."""
    missing = [name for name, exists in level.others.items() if not exists]
    if level.value is None or not missing:
        return None
    return Violation(found=level.value, expected=f"que existan también {' y '.join(missing)}")
