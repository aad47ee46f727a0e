"""Evaluation of the rules about declarations.

The SAT stamps documents that violate most of these rules, and some programs reject such documents: a violation in a
stamped document is a warning, except of the rules in `NEVER_ACCEPTED`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lxml import etree

from timbra.cfdi.namespaces import Declarations, declared_complements
from timbra.cfdi.nodes import Node
from timbra.errors import ServiceError
from timbra.rules.engine.result import EvaluationResult, Finding, Severity, Violation
from timbra.rules.engine.rule import AnyRule
from timbra.rules.rulesets.declarations import RULE_SET
from timbra.rules.rulesets.declarations.context import DeclarationsContext

NEVER_ACCEPTED = frozenset({"TFD-LUGAR"})
"""Codes of rules whose violation is an error in a stamped document too."""
AT_STAMPING = tuple(RULE_SET.rule(code) for code in ("CO1001", "CO1002", "CO1003", "CO1004", "CO1005", "CC3001"))
"""Rules that reject a document at stamping; of several violations, the first in this order is reported.

The order is that of the vendor's list of codes. TFD-LUGAR is not here: stamping rejects any stamp with 307.
"""
_NOTHING = EvaluationResult()
_ORDER = {rule.display_code: position for position, rule in enumerate(AT_STAMPING)}


def examine(
    root: etree._Element, context: DeclarationsContext, rules: Sequence[AnyRule] = RULE_SET.rules
) -> EvaluationResult:
    """Evaluate rules.

    Returns:
        All findings: those of the root, then those of each complement.
    """
    findings: list[Finding] = []
    for node in (Declarations(root), *declared_complements(root)):
        for rule in rules:
            if rule.kind is not type(node):
                continue
            result = rule.predicate(node, context)
            if isinstance(result, Violation):
                findings.append(_with_severity(_finding(rule, node, result), rule, context))
    return EvaluationResult(tuple(findings)) if findings else _NOTHING


def reject(root: etree._Element, context: DeclarationsContext) -> None:
    """Evaluate the rules of stamping.

    Raises:
        ServiceError: code, detail and place of the first violation in the order of `AT_STAMPING`.
    """
    findings = examine(root, context, AT_STAMPING).findings
    if findings:
        first = min(findings, key=lambda finding: _ORDER[finding.code])
        raise ServiceError(first.code, first.detail, location=first.location)


def _finding(rule: AnyRule, node: Node, violation: Violation) -> Finding:
    tail = rule.relative_path if violation.at is None else violation.at
    path = f"{node.path}/{tail}" if node.path and tail else node.path or tail
    return Finding(
        rule.display_code, path, rule.severity, RULE_SET.name, violation.found, violation.expected, violation.hint
    )


def _with_severity(finding: Finding, rule: AnyRule, context: DeclarationsContext) -> Finding:
    accepted = context.stamped and rule.code not in NEVER_ACCEPTED
    return replace(finding, severity=Severity.WARNING) if accepted else finding
