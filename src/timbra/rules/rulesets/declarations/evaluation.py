"""Evaluation of the rules about declarations.

The SAT stamps documents that violate most of these rules, and some programs reject such documents: a violation in a
stamped document is a warning, except of the rules in `NEVER_ACCEPTED`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from lxml import etree

from timbra.cfdi.namespaces import Declarations, DeclaredComplement, declared_complements
from timbra.cfdi.nodes import Node
from timbra.core.errors import ServiceError
from timbra.rules.engine.result import EvaluationResult, Finding, Severity, Violation
from timbra.rules.engine.rule import AnyRule
from timbra.rules.rulesets.declarations import RULE_SET
from timbra.rules.rulesets.declarations.declarations import DeclarationsContext, by_namespace

if TYPE_CHECKING:
    from timbra.cfdi.cadena import CadenaOriginal
    from timbra.cfdi.structure import Structure

NEVER_ACCEPTED = frozenset({"TFD-LUGAR", "VERSION-FECHA", "COMPLEMENTO-FECHA"})
"""Codes of rules whose violation is an error in a stamped document too."""
AT_STAMPING = tuple(RULE_SET.rule(code) for code in ("CO1001", "CO1002", "CO1003", "CO1004", "CO1005", "CC3001"))
"""Rules that reject a document at stamping; of several violations, the first in this order is reported.

The order is that of the vendor's list of codes. TFD-LUGAR is not here: stamping rejects any stamp with 307.
"""
RulesByKind = Mapping[type[Node], tuple[AnyRule, ...]]


def _by_kind(rules: Iterable[AnyRule]) -> RulesByKind:
    found: dict[type[Node], tuple[AnyRule, ...]] = {Declarations: (), DeclaredComplement: ()}
    for rule in rules:
        found[rule.kind] = (*found[rule.kind], rule)
    return found


_ALL, _STAMPING = _by_kind(RULE_SET.rules), _by_kind(AT_STAMPING)
_NOTHING = EvaluationResult()
_ORDER = {rule.display_code: position for position, rule in enumerate(AT_STAMPING)}


def examine(
    root: etree._Element, context: DeclarationsContext, rules: Iterable[AnyRule] | None = None
) -> EvaluationResult:
    """Evaluate rules.

    Args:
        root: the document.
        context: what the rules read besides.
        rules: some rules of the set; None for all.

    Returns:
        All findings: those of the root, then those of each complement.
    """
    findings = _findings(root, context, _ALL if rules is None else _by_kind(rules))
    return EvaluationResult(tuple(findings)) if findings else _NOTHING


def _findings(root: etree._Element, context: DeclarationsContext, rules: RulesByKind) -> list[Finding]:
    findings: list[Finding] = []
    for node in (Declarations(root), *declared_complements(root)):
        for rule in rules[type(node)]:
            result = rule.predicate(node, context)
            if isinstance(result, Violation):
                findings.append(_with_severity(_finding(rule, node, result), rule, context))
    return findings


def reject(root: etree._Element, context: DeclarationsContext) -> None:
    """Evaluate the rules of stamping.

    Raises:
        ServiceError: code, detail and place of the first violation in the order of `AT_STAMPING`.
    """
    findings = _findings(root, context, _STAMPING)
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


class DeclarationChecks:
    """Evaluates namespaces, schema locations and places of complements. Create one per process and share it.

    Args:
        structure: has the standards of the snapshot.
        cadena: has the complements that the stylesheets include.
    """

    def __init__(self, structure: Structure, cadena: CadenaOriginal) -> None:
        self._standards = by_namespace(structure.supported)
        self._cadena = cadena
        self._contexts: dict[tuple[str, bool], DeclarationsContext] = {}

    def examine(self, root: etree._Element, version: str, *, stamped: bool) -> EvaluationResult:
        """Return every finding about a Comprobante.

        Args:
            root: the Comprobante.
            stamped: whether it has a stamp; most violations are then warnings.
        """
        return examine(root, self._context(version, stamped=stamped))

    def reject(self, root: etree._Element, version: str) -> None:
        """Reject a Comprobante that is to be stamped.

        Args:
            root: the Comprobante.

        Raises:
            ServiceError: as `reject`.
        """
        reject(root, self._context(version, stamped=False))

    def _context(self, version: str, *, stamped: bool) -> DeclarationsContext:
        context = self._contexts.get((version, stamped))
        if context is None:
            context = DeclarationsContext(version, self._standards, self._cadena.complements(version), stamped)
            self._contexts[version, stamped] = context
        return context
