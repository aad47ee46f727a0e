"""Attributes that come together or not at all."""

from __future__ import annotations

from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.conditions import absent


def only_with(text: str | None, other: str | None, name: str) -> RuleResult:
    """Absent where the other attribute, of that name, is."""
    return absent(text, f"sin {name}") if other is None else None


def required_by(text: str | None, other: str | None, name: str) -> RuleResult:
    """Present where the other attribute is."""
    if text is not None or other is None:
        return None
    return Violation(expected=f"un valor, por {name} {other}")
