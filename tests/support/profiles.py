"""What the profiles of stamping and validation distinguish."""

from __future__ import annotations

from timbra.rules.engine.profiles import STAMP, VALIDATE
from timbra.rules.engine.result import Severity
from timbra.rules.registry import RULE_SETS

STRICTER = frozenset(
    rule.display_code
    for rule_set in RULE_SETS
    for rule in rule_set.rules
    if STAMP.severity(rule) is Severity.ERROR and VALIDATE.severity(rule) is Severity.WARNING
)
"""Codes that reject at stamping and are warnings at validation."""
