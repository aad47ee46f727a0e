"""What findings that rest on l_RFC or LCO are worth: receivers move, expired certificates leave the list.

They count as errors only when the list is of the document's own time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from timbra.clock import CENTRAL_MEXICO
from timbra.rules.engine.instants import STAMPING_WINDOW
from timbra.rules.engine.ports import ReferenceData
from timbra.rules.engine.result import L_RFC_REQUIREMENTS, EvaluationResult, Finding, Severity


def downgrade_stale(
    outcome: EvaluationResult, reference_data: ReferenceData, issued: Sequence[datetime]
) -> EvaluationResult:
    """The outcome with a warning, which names the list's date, in place of each error that a list of 72 hours or more
    before or after the document cannot prove. issued: the instants that Fecha may mean; none for what is no date."""
    findings = tuple(_downgrade_stale(finding, reference_data, issued) for finding in outcome.findings)
    return EvaluationResult(findings, outcome.not_evaluated)


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
