"""Three levels of which all are told or none: what each of them demands of the other two."""

from __future__ import annotations

from timbra.cfdi.nodes.gceh10 import Level
from timbra.rules.engine.result import RuleResult, Violation


def absent_alone(level: Level) -> RuleResult:
    """Where the level tells nothing, neither do the other two."""
    told = [name for name, there in level.others.items() if there]
    if level.value is not None or not told:
        return None
    return Violation(expected=f"un valor, como {' y '.join(told)}")


def present_together(level: Level) -> RuleResult:
    """Where the level tells something, so do the other two."""
    missing = [name for name, there in level.others.items() if not there]
    if level.value is None or not missing:
        return None
    return Violation(found=level.value, expected=f"que existan también {' y '.join(missing)}")
