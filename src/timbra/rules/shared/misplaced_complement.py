"""Rule sets of one rule: a complement of the invoice must not be inside a Concepto."""

from __future__ import annotations

from timbra.cfdi.nodes.complement import MisplacedComplement
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import Rule, RuleSet


def misplaced(
    code: str, kind: type[MisplacedComplement], like: RuleSet, versions: tuple[str, ...] | None = None
) -> RuleSet:
    """Return the rule set that reports such a complement with `code`.

    Args:
        code: code of the rule.
        kind: node class of the misplaced complement.
        like: rule set of the complement, from which name, revision, source and default versions are taken.
        versions: versions of Comprobante that the rule concerns.
    """
    source = like.rules[0].source
    rule = Rule(code, kind, kind.PATH, stands_in_the_invoice, source)
    return RuleSet(like.name, like.revision, (rule,), complement=kind, versions=versions or like.versions)


def stands_in_the_invoice(complement: MisplacedComplement, _ctx: EvaluationContext) -> RuleResult:
    """Report the complement; rules on the content of its Conceptos may be violated too."""
    return Violation(found=complement.TAG.partition("}")[2], expected="el complemento en Comprobante/Complemento")
