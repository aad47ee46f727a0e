"""Severity of findings that depend on l_RFC or LCO, whose rows change from day to day.

Such findings are errors only when the list is of the time of the document.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from timbra.core.clock import CENTRAL_MEXICO
from timbra.rules.engine.instants import STAMPING_WINDOW
from timbra.rules.engine.ports import ReferenceData
from timbra.rules.engine.result import L_RFC_REQUIREMENTS, EvaluationResult, Finding, Severity


def downgrade_stale(
    outcome: EvaluationResult, reference_data: ReferenceData, issued: Sequence[datetime]
) -> EvaluationResult:
    """Replace errors that depend on a list from another time by warnings that name the date of the list.

    Args:
        outcome: findings of a document.
        reference_data: the lists and their dates.
        issued: the instants that Fecha may denote; none when it is not a valid date.

    Returns:
        The outcome, with a warning for each error that depends on a list from more than 72 hours before or after the
        document.
    """
    findings = [_downgrade_stale(finding, reference_data, issued) for finding in outcome.findings]
    warnings = {(each.code, each.path) for each in findings if each.severity is not Severity.ERROR}
    return EvaluationResult(tuple(_without_lesser_cause(each, warnings) for each in findings), outcome.not_evaluated)


def _without_lesser_cause(finding: Finding, warnings: Collection[tuple[str, str]]) -> Finding:
    """Return the finding without its cause if it is an error and the cause is a warning: an error has its own cause."""
    cause = finding.cause
    if cause is None or finding.severity is not Severity.ERROR or (cause.code, cause.path) not in warnings:
        return finding
    return replace(finding, cause=None)


def _downgrade_stale(finding: Finding, reference_data: ReferenceData, issued: Sequence[datetime]) -> Finding:
    if finding.severity is not Severity.ERROR:
        return finding
    for need in sorted(finding.rests_on):
        dated = reference_data.dated.get(need)
        if dated is not None and not any(abs(instant - dated) <= STAMPING_WINDOW for instant in issued):
            name = "l_RFC" if need in L_RFC_REQUIREMENTS else need.value
            day = dated.astimezone(CENTRAL_MEXICO).date()
            caution = f"La {name} consultada es del {day} y el comprobante es de otra fecha: puede haber cambiado."
            hint = f"{finding.hint} {caution}" if finding.hint else caution
            return replace(finding, severity=Severity.WARNING, hint=hint)
    return finding
