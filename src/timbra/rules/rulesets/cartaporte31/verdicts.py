"""Verdicts that rules of several nodes share: what must be there exactly when, taxpayers, countries, catalogs."""

from __future__ import annotations

from typing import Final

from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult, Violation
from timbra.rules.shared.addresses import MEXICO
from timbra.rules.shared.conditions import absent, key_of

TAXPAYERS: Final = (DataRequirement.TAXPAYERS,)
STANDARD: Final = "cartaporte31"


def needed(found: str | None, expected: str) -> RuleResult:
    """Holds when it is there."""
    return None if found is not None else Violation(expected=expected)


def exactly_when(condition: bool, found: str | None, expected: str, otherwise: str) -> RuleResult:
    """Holds when it is there exactly if the condition holds. expected: what; otherwise: why it should be absent."""
    return needed(found, expected) if condition else absent(found, otherwise)


def named(there: object, name: str) -> str | None:
    """The name of an element that is there, as findings show it."""
    return name if there else None


def listed_in(ctx: EvaluationContext, catalog: str, key: str | None) -> RuleResult:
    """Holds when the key is in force in a catalog of Carta Porte; nothing to say about an absent one."""
    return plain_key(ctx, f"{STANDARD}:{catalog}", key)


def plain_key(ctx: EvaluationContext, catalog: str, key: str | None) -> RuleResult:
    """As `listed_in`, of another standard's catalog."""
    return None if key is None else key_of(ctx, catalog, key)


def registered(ctx: EvaluationContext, rfc: str) -> RuleResult:
    """Holds when the RFC is in l_RFC."""
    if ctx.taxpayer(rfc) is not None:
        return None
    return Violation(
        found=rfc, expected="un RFC inscrito y no cancelado (l_RFC)", hint=ctx.reference_data.registry_hint
    )


def foreign_country(ctx: EvaluationContext, country: str) -> RuleResult:
    """Holds for a key of c_Pais other than MEX."""
    if country == MEXICO:
        return Violation(found=country, expected="otro país que MEX")
    return key_of(ctx, "c_Pais", country)
