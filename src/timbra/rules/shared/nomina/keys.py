"""Words and keys that the rules of Nómina share."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Final

from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Violation
from timbra.rules.shared.predicates import Predicate

WHY: Final = "en un recibo de nómina"
"""Spanish end of the sentences about attributes with a fixed value."""
BY_THE_COMPLEMENT: Final = "por el complemento Nómina"
"""Spanish reason for TipoDeComprobante N."""
TAXPAYERS: Final = (DataRequirement.TAXPAYERS,)
COORDINATED: Final = (DataRequirement.COORDINATED,)


def is_mexican_state(name: str) -> Predicate:
    """The attribute is a key of c_Estado whose country is Mexico.

    Args:
        name: name of the attribute.
    """
    read = attrgetter(name)

    def check(node: Any, ctx: EvaluationContext) -> RuleResult:
        key = read(node)
        row = ctx.row("nomina12:c_Estado", key)
        if row is not None and row["pais"] == "MEX":
            return None
        return Violation(found=key, expected="una clave de c_Estado con c_Pais MEX")

    return check
