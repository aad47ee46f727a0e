"""Findings: the violations of rules with their places in the document."""

from __future__ import annotations

import re

from timbra.cfdi.nodes import Node
from timbra.core.errors import PRESENT
from timbra.rules.engine.bound_rules import BoundRule, Failures
from timbra.rules.engine.result import (
    EvaluationResult,
    Finding,
    Indeterminate,
    NotEvaluated,
    Violation,
    leading_value,
)

_STEP = re.compile(r"\[\d+\]$")


def result_of(failures: Failures, records: list[NotEvaluated], root: str) -> EvaluationResult:
    """Turn violations into findings, and indeterminate results into one record for each rule.

    The findings of the document's matrix precede those of the complements; each group is in document order.
    """
    sortable = []
    for entry, node, result in failures:
        if isinstance(result, Indeterminate):
            records.append(NotEvaluated(entry.rule.display_code, result.missing, entry.rule_set))
        else:
            path = path_of(entry, result)
            finding = finding_of(entry, node, result, path, root)
            sortable.append((entry.of_complement, node.order_of(path), entry.rule.finding_key, finding))
    sortable.sort(key=lambda found: found[:3])
    return EvaluationResult(tuple(finding for *_, finding in sortable), tuple(dict.fromkeys(records)))


def path_of(entry: BoundRule, violation: Violation) -> str:
    """Return the path below the node that a violation concerns."""
    return entry.rule.relative_path if violation.at is None else violation.at


def finding_of(entry: BoundRule, node: Node, violation: Violation, path: str, root: str) -> Finding:
    """Turn a violation into a finding.

    Args:
        node: the node that violates it.
        violation: the result of the predicate.
        path: path below the node.
        root: name of the root element.
    """
    rule = entry.rule
    base = node.path
    full_path = f"{base}/{path}" if base and path else base or path
    return Finding(
        code=rule.display_code,
        reported_as=rule.reported_as or None,
        path=full_path,
        severity=entry.severity,
        rule_set=entry.rule_set,
        found=_found(violation.found, full_path),
        expected=violation.expected,
        hint=violation.hint,
        literal=violation.detail,
        rests_on=frozenset() if violation.proven else rule.needs | violation.rests_on,
        root=root,
        expected_value=leading_value(violation.expected),
    )


def _found(found: str | None, path: str) -> str | None:
    """Return the found value; an element that must not exist is found by its name, which the path already has."""
    name = path.rpartition("/")[2].partition("[")[0]
    if found is None or not name or name.startswith("@") or _STEP.sub("", found.partition(" ")[0]).rstrip(",") != name:
        return found
    return found.partition(" ")[2] or PRESENT
