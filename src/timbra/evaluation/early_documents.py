"""Evaluation of documents that are older than their version, or than the version of a complement.

The catalogs of a version name no key as valid before its first day: every key of such a document would be a finding of
its own. The rules are evaluated as of the first day, and a rule of the set `forma` reports the date itself.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date

from lxml import etree

from timbra.rules.engine.engine import Engine
from timbra.rules.engine.ports import ReferenceData
from timbra.rules.engine.result import EvaluationResult, Finding
from timbra.rules.shared.version_starts import later_starts

Later = tuple[ReferenceData, Collection[str]]
"""Reference data as of the first day of the version of a complement, and the names of its rule sets."""


def since_start(
    root: etree._Element, reference_data: ReferenceData, engine: Engine
) -> tuple[ReferenceData, Sequence[Later]]:
    """Return the reference data with which each rule set of a document is evaluated.

    Args:
        engine: has the rule sets of the complements.

    Returns:
        Those for all rules, as of the first day of the document's version if that is later than the document; and those
        for complements whose version began later still. `with_rule_sets` merges the results.
    """
    starts = later_starts(root)
    if not starts:
        return reference_data, ()
    begun = starts.pop(str(root.tag), date.min)
    later = []
    for tag, start in starts.items():
        names = {each.name for each in engine.rule_sets if each.complement is not None and tag == each.complement.TAG}
        if names and start > begun:
            later.append((replace(reference_data, catalogs_since=start), names))
    return replace(reference_data, catalogs_since=begun), later


def with_rule_sets(result: EvaluationResult, other: EvaluationResult, names: Collection[str]) -> EvaluationResult:
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
