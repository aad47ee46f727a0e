"""What findings that rest on l_RFC or LCO are worth: receivers move, expired certificates leave the list.

They count as errors only when the list is of the document's own time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from timbra.clock import CENTRAL_MEXICO
from timbra.rules.finding import OF_L_RFC, Finding, Outcome, Severity
from timbra.rules.instants import WINDOW
from timbra.rules.world import World


def weighed(outcome: Outcome, world: World, issued: Sequence[datetime]) -> Outcome:
    """The outcome with a warning, which names the list's date, in place of each error that a list of 72 hours or more
    before or after the document cannot prove. issued: the instants that Fecha may mean; none for what is no date."""
    findings = tuple(_weighed(finding, world, issued) for finding in outcome.findings)
    return Outcome(findings, outcome.not_evaluated)


def _weighed(finding: Finding, world: World, issued: Sequence[datetime]) -> Finding:
    if finding.severity is not Severity.ERROR:
        return finding
    for need in sorted(finding.rests_on):
        dated = world.dated.get(need)
        if dated is not None and not any(abs(instant - dated) <= WINDOW for instant in issued):
            name = "l_RFC" if need in OF_L_RFC else need.value
            day = dated.astimezone(CENTRAL_MEXICO).date()
            caution = f"La {name} consultada es del {day} y el comprobante es de otra fecha: puede haber cambiado."
            hint = f"{finding.hint} {caution}" if finding.hint else caution
            return replace(finding, severity=Severity.WARNING, hint=hint)
    return finding
