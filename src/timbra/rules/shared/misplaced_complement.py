"""The predicate of rules about a complement of the invoice that is inside a Concepto."""

from __future__ import annotations

from timbra.cfdi.nodes.complement import MisplacedComplement
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation


def is_in_comprobante_complemento(complement: MisplacedComplement, _ctx: EvaluationContext) -> RuleResult:
    """Report the complement; rules on the content of its Conceptos may be violated too."""
    return Violation(found=complement.TAG.partition("}")[2], expected="el complemento en Comprobante/Complemento")
