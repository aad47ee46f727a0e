"""What a document declares about itself: namespaces, schemaLocation, the places of complements and stamp.

SAT stamps documents with such mistakes, and tools refuse them: in a stamped document they warn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from lxml import etree

from timbra.cfdi.namespaces import Declarations, declared_complements
from timbra.cfdi.nodes import Node
from timbra.rules.engine.result import EvaluationResult, Finding, Severity, Violation
from timbra.rules.engine.rule import AnyRule, RuleSet
from timbra.rules.rulesets.declarations import complement, comprobante
from timbra.rules.rulesets.declarations.context import PROVIDERS, ShapeContext

RULE_SET = RuleSet.from_modules("forma", "2026-11-21", PROVIDERS, (comprobante, complement))


def examine(root: etree._Element, context: ShapeContext, rules: Iterable[AnyRule] = RULE_SET.rules) -> EvaluationResult:
    """Every finding: the root's, then those of each complement."""
    asked = tuple(rules)
    nodes: list[Node] = [Declarations(root), *declared_complements(root)]
    return EvaluationResult(tuple(finding for node in nodes for finding in _findings(node, context, asked)))


def _findings(node: Node, context: ShapeContext, rules: Iterable[AnyRule]) -> Iterator[Finding]:
    for rule in rules:
        if not isinstance(node, rule.kind):
            continue
        result = rule.predicate(node, context)
        if isinstance(result, Violation):
            yield _downgrade_stale(_finding(rule, node, result), rule, context)


def _finding(rule: AnyRule, node: Node, violation: Violation) -> Finding:
    tail = rule.relative_path if violation.at is None else violation.at
    path = f"{node.path}/{tail}" if node.path and tail else node.path or tail
    return Finding(
        rule.display_code, path, rule.severity, RULE_SET.name, violation.found, violation.expected, violation.hint
    )


def _downgrade_stale(finding: Finding, rule: AnyRule, context: ShapeContext) -> Finding:
    accepted = context.stamped and rule.code not in comprobante.NEVER_ACCEPTED
    return replace(finding, severity=Severity.WARNING) if accepted else finding
