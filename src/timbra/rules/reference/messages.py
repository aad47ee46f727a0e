"""Every sentence that a caller may read, by code: those of the service and those of the rules."""

from __future__ import annotations

from types import MappingProxyType

from timbra.messages import SERVICE
from timbra.messages.literal import LITERAL
from timbra.rules.registry import RULE_SETS


def _sentences() -> dict[str, str]:
    """Return the sentence of each code; a rule with a name after the colon has the sentence of its code, if any."""
    found: dict[str, str] = {}
    for rule_set in RULE_SETS:
        found.update(rule_set.messages)
    for rule_set in RULE_SETS:
        for row in rule_set.rows:
            if ":" not in row.code:
                found[row.code] = row.says
    return found


RULES = MappingProxyType(_sentences())
"""Sentences of the codes of rules."""
MESSAGES = MappingProxyType({**SERVICE, **RULES})
"""Sentences of all codes."""


REPORTED_AS = MappingProxyType(
    {rule.code: rule.reported_as for rule_set in RULE_SETS for rule in rule_set.rules if rule.reported_as}
)
"""Codes with which messages begin, by the code of the rule; only those that differ."""


def full_message(code: str) -> str:
    """Return the `message` of a response: the literal text when clients compare it, `CODE - sentence` otherwise.

    A rule that is reported as another code has the other code and its own sentence.

    Raises:
        KeyError: the code is unknown; this is a programming error.
    """
    return LITERAL.get(code) or f"{REPORTED_AS.get(code, code)} - {MESSAGES[code]}"


def sentence(code: str) -> str:
    """Return the sentence of a code, without the code.

    Raises:
        KeyError: the code is unknown; this is a programming error.
    """
    return MESSAGES[code]
