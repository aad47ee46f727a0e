"""Attributes with a fixed value, and keys of the catalogs of Nómina."""

from __future__ import annotations

from typing import Final

from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Violation
from timbra.rules.shared.conditions import absent, key_of
from timbra.rules.shared.invoice import fixed

WHY: Final = "en un recibo de nómina"
TAXPAYERS: Final = (DataRequirement.TAXPAYERS,)


def written(text: str | None, expected: str) -> RuleResult:
    """Check that the attribute has exactly this text."""
    return fixed.written(text, expected, WHY)


def unwanted(text: str | None) -> RuleResult:
    """Check that the attribute is absent."""
    return absent(text, WHY)


def key(ctx: EvaluationContext, catalog: str, text: str | None) -> RuleResult:
    """Check that the attribute, when present, is a key of a catalog of Nómina in force on the document's date."""
    return None if text is None else key_of(ctx, f"nomina12:{catalog}", text)


def mexican_state(ctx: EvaluationContext, text: str) -> RuleResult:
    """Check that the text is a key of c_Estado whose country is Mexico."""
    row = ctx.row("nomina12:c_Estado", text)
    if row is not None and row["pais"] == "MEX":
        return None
    return Violation(found=text, expected="una clave de c_Estado con c_Pais MEX")


def registered(ctx: EvaluationContext, rfc: str | None) -> RuleResult:
    """Check that the RFC, when present, is in l_RFC and not cancelled. Requires the list of taxpayers."""
    if rfc is None or ctx.taxpayer(rfc) is not None:
        return None
    return Violation(
        found=rfc, expected="un RFC inscrito y no cancelado (l_RFC)", hint=ctx.reference_data.registry_hint
    )
