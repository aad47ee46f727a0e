"""Evaluation of documents that are older than their version, or than the version of a complement.

The catalogs of a version name no key as valid before its first day: every key of such a document would be a finding of
its own. The rules are evaluated as of the first day, and a rule of the set `forma` reports the date itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import date

from lxml import etree

from timbra.rules.engine.engine import Engine
from timbra.rules.engine.ports import ReferenceData
from timbra.rules.engine.result import EvaluationResult, Finding
from timbra.rules.shared.version_starts import later_starts

Evaluate = Callable[[ReferenceData], EvaluationResult | None]


def evaluate_since_start(
    root: etree._Element, reference_data: ReferenceData, engine: Engine, evaluate: Evaluate
) -> EvaluationResult | None:
    """Evaluate the rules of a document, each rule set as of the first day of its version if that is later.

    Args:
        engine: has the rule sets of the complements.
        evaluate: evaluates all rules.

    Returns:
        The result; None when `evaluate` returns None.
    """
    starts = later_starts(root)
    begun = starts.pop(str(root.tag), date.min)
    result = evaluate(replace(reference_data, catalogs_since=begun) if begun > date.min else reference_data)
    for tag, start in starts.items():
        names = {each.name for each in engine.rule_sets if each.complement is not None and tag == each.complement.TAG}
        if result is None or not names or start <= begun:
            continue
        since = evaluate(replace(reference_data, catalogs_since=start))
        result = None if since is None else _with_rule_sets(result, since, names)
    return result


def _with_rule_sets(result: EvaluationResult, other: EvaluationResult, names: Collection[str]) -> EvaluationResult:
    """Return a result in which that of some rule sets is taken from another one."""
    kept, taken = result.without(names), other.only(names)
    findings = (*kept.findings, *taken.findings)
    present = {(finding.code, finding.path) for finding in findings}
    return EvaluationResult(
        tuple(_with_present_cause(finding, present) for finding in findings),
        (*kept.not_evaluated, *taken.not_evaluated),
    )


def _with_present_cause(finding: Finding, present: Collection[tuple[str, str]]) -> Finding:
    cause = finding.cause
    return finding if cause is None or (cause.code, cause.path) in present else replace(finding, cause=None)
