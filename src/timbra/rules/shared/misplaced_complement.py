"""A complement of the invoice that stands in a Concepto: a book of one rule, asked where that is so."""

from __future__ import annotations

from timbra.cfdi.nodes.complement import MisplacedComplement
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import Rule, RuleSet


def misplaced(
    code: str, kind: type[MisplacedComplement], like: RuleSet, versions: tuple[str, ...] | None = None
) -> RuleSet:
    """The book that says with `code` that such a complement is misplaced.

    like: the complement's own book, whose name, revision, source and, unless they are told, versions it has.
    """
    source = like.rules[0].source
    rule = Rule(code, kind, kind.PATH, stands_in_the_invoice, source)
    return RuleSet(like.name, like.revision, (rule,), complement=kind, versions=versions or like.versions)


def stands_in_the_invoice(complement: MisplacedComplement, _ctx: EvaluationContext) -> RuleResult:
    """Beside one at its place, rules about what its Conceptos hold may break too."""
    return Violation(found=complement.TAG.partition("}")[2], expected="el complemento en Comprobante/Complemento")
