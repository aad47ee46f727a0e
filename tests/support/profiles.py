"""What the profiles of stamping and validation distinguish."""

from __future__ import annotations

from functools import cache

from timbra.rules.engine.profiles import STAMP, VALIDATE, Profile
from timbra.rules.engine.result import Severity
from timbra.rules.engine.rule import AnyRule
from timbra.rules.registry import RULE_SETS

STRICTER = frozenset(
    rule.display_code
    for rule_set in RULE_SETS
    for rule in rule_set.rules
    if STAMP.severity(rule) is Severity.ERROR and VALIDATE.severity(rule) is Severity.WARNING
)
"""Codes that reject at stamping and are warnings at validation."""


def evaluating(rule: AnyRule) -> Profile:
    """Return the profile of validation, in which this rule is evaluated even if it is suspended.

    It is the same object for every rule that is not: the engine keeps what it prepares for a profile.
    """
    return _with_suspended(rule.code) if rule.severity is Severity.SUSPENDED else VALIDATE


@cache
def _with_suspended(code: str) -> Profile:
    return VALIDATE.with_severities({code: Severity.ERROR})
