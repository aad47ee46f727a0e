"""What a document declares about itself: namespaces, schemaLocation, the places of complements and stamp.

SAT stamps documents with such mistakes, and tools refuse them: in a stamped document they warn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from lxml import etree

from timbra.cfdi.namespaces import Declarations, carried
from timbra.cfdi.nodes import Node
from timbra.rules.finding import Breach, Finding, Outcome, Severity
from timbra.rules.rule import AnyRule, Book
from timbra.rules.shape import complement, comprobante
from timbra.rules.shape.context import PROVIDERS, ShapeContext

BOOK = Book.of("forma", "2026-11-21", PROVIDERS, (comprobante, complement))


def examine(root: etree._Element, context: ShapeContext, rules: Iterable[AnyRule] = BOOK.rules) -> Outcome:
    """Every finding: the root's, then those of each complement."""
    asked = tuple(rules)
    nodes: list[Node] = [Declarations(root), *carried(root)]
    return Outcome(tuple(finding for node in nodes for finding in _findings(node, context, asked)))


def _findings(node: Node, context: ShapeContext, rules: Iterable[AnyRule]) -> Iterator[Finding]:
    for rule in rules:
        if not isinstance(node, rule.kind):
            continue
        verdict = rule.judge(node, context)
        if isinstance(verdict, Breach):
            yield _weighed(_finding(rule, node, verdict), rule, context)


def _finding(rule: AnyRule, node: Node, breach: Breach) -> Finding:
    tail = rule.tail if breach.at is None else breach.at
    path = f"{node.path}/{tail}" if node.path and tail else node.path or tail
    return Finding(rule.shown, path, rule.severity, BOOK.name, breach.found, breach.expected, breach.hint)


def _weighed(finding: Finding, rule: AnyRule, context: ShapeContext) -> Finding:
    accepted = context.stamped and rule.code not in comprobante.NEVER_ACCEPTED
    return replace(finding, severity=Severity.WARNING) if accepted else finding
