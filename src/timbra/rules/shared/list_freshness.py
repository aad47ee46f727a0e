"""Severity of findings that depend on l_RFC or LCO, whose rows change from day to day.

Such findings are errors only when the list is of the time of the document.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain

from timbra.clock import CENTRAL_MEXICO
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
    findings = (_with_secondary(finding, reference_data, issued) for finding in outcome.findings)
    return EvaluationResult(tuple(chain.from_iterable(findings)), outcome.not_evaluated)


def _with_secondary(finding: Finding, reference_data: ReferenceData, issued: Sequence[datetime]) -> tuple[Finding, ...]:
    """Return the finding with its secondary ones; errors that follow from a warning are findings of their own."""
    primary = _downgrade_stale(finding, reference_data, issued)
    secondary = tuple(_downgrade_stale(each, reference_data, issued) for each in finding.secondary)
    if primary.severity is not Severity.ERROR and any(each.severity is Severity.ERROR for each in secondary):
        return (replace(primary, secondary=()), *secondary)
    return (replace(primary, secondary=secondary),)


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
