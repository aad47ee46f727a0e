"""Causes of findings: one wrong value violates several rules, of which one is about the value itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from timbra.cfdi.nodes import Node
from timbra.cfdi.nodes.base import number
from timbra.cfdi.nodes.unsound import UnsoundPartError, concealed, slots_of
from timbra.rules.engine.bound_rules import BoundRule
from timbra.rules.engine.context import AnyContext
from timbra.rules.engine.result import Finding, FindingCause, Severity

DOCUMENT_TYPE = "@TipoDeComprobante"


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A finding with the rule and the node that it is of."""

    entry: BoundRule
    node: Node
    finding: Finding


Causes = Mapping[Finding, Finding]
"""Primary finding by secondary finding."""


def causes_of(
    violations: Sequence[Evaluated], context: Callable[[], AnyContext], complements: Collection[str]
) -> Causes:
    """Determine which findings follow from others.

    Args:
        violations: all findings of a document.
        context: returns a context of the document without cached values.
        complements: names of the rule sets of complements.
    """
    ordered = sorted(violations, key=lambda each: each.node.order)
    readers = {cause.finding: _readers(cause, ordered, context) for cause in ordered}
    causes: dict[Finding, Finding] = {}
    for other in ordered:
        for cause in ordered:
            if cause.finding not in causes and _follows(other.finding, cause.finding, readers, complements):
                causes[other.finding] = cause.finding
                break
    return {secondary: _primary(secondary, causes) for secondary in causes}


def _primary(finding: Finding, causes: Causes) -> Finding:
    seen = {finding}
    while finding in causes and causes[finding] not in seen:
        finding = causes[finding]
        seen.add(finding)
    return finding


def _follows(
    finding: Finding, cause: Finding, readers: Mapping[Finding, Collection[Finding]], complements: Collection[str]
) -> bool:
    if finding is cause or (finding.severity is Severity.ERROR and cause.severity is not Severity.ERROR):
        return False
    if cause.rule_set in complements and cause.path == DOCUMENT_TYPE:
        return finding.rule_set == cause.rule_set and not finding.path.startswith("Complemento/")
    if finding.path == cause.path:
        return next(each for each in readers if each.path == finding.path) is cause
    return finding in readers[cause] and cause not in readers[finding]


def _readers(
    cause: Evaluated, violations: Sequence[Evaluated], context: Callable[[], AnyContext]
) -> frozenset[Finding]:
    """Return the findings whose rules read the attribute that a finding is about."""
    base, _, attribute = cause.finding.path.rpartition("@")
    if not attribute or base.rstrip("/") != cause.node.path:
        return frozenset()
    ctx = context()
    with concealed(cause.node, _names_of(cause.node, attribute)):
        return frozenset(each.finding for each in violations if _reads_concealed(each, ctx))


def _reads_concealed(violation: Evaluated, ctx: AnyContext) -> bool:
    rule = violation.entry.rule
    try:
        if rule.applies is None or rule.applies(violation.node, ctx):
            rule.predicate(violation.node, ctx)
    except UnsoundPartError:
        return True
    return False


def _names_of(node: Node, attribute: str) -> list[str]:
    """Return the attribute of a node and what it derives from it: its number, and the tuples that contain it."""
    text = getattr(node, attribute, None)
    written = attribute.lower()
    numbers, names = [], [attribute]
    for name in slots_of(type(node)):
        value = getattr(node, name, None)
        if isinstance(value, Decimal) and name.replace("_", "") in written and value == number(text):
            numbers.append(name)
        elif isinstance(value, tuple) and text is not None and text in value:
            names.append(name)
    return names + sorted(numbers, key=len)[-1:]


def mark_causes(findings: Sequence[Finding], causes: Causes) -> tuple[Finding, ...]:
    """Return all findings in their order; those that follow from another one have it as their cause."""
    return tuple(_marked(finding, causes.get(finding)) for finding in findings)


def _marked(finding: Finding, cause: Finding | None) -> Finding:
    return finding if cause is None else replace(finding, cause=FindingCause(cause.code, cause.path))
