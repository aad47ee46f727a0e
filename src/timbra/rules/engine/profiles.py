"""Profiles: the severities of an operation. The same finding may reject at stamping and only warn at validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from timbra.rules.engine.result import Severity
from timbra.rules.engine.rule import AnyRule

_NONE: Mapping[str, Severity] = MappingProxyType({})
_SAME: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Profile:
    """Severities of the rules in one operation. Profiles are compared by identity.

    Attributes:
        name: name of the operation.
        severities: severity by code, in place of the rule's own; it may enable a suspended rule.
        disabled: codes that are not evaluated.
        reported_as: codes that the service reports with another code of the same family.
    """

    name: str
    severities: Mapping[str, Severity] = field(default_factory=lambda: _NONE)
    disabled: frozenset[str] = frozenset()
    reported_as: Mapping[str, str] = field(default_factory=lambda: _SAME)

    def severity(self, rule: AnyRule) -> Severity | None:
        """Return the severity of a violation of the rule, None when the rule is not evaluated."""
        severity = self.severities.get(rule.code, rule.severity)
        evaluated = severity in (Severity.ERROR, Severity.WARNING) and rule.code not in self.disabled
        return severity if evaluated else None

    def without(self, *codes: str) -> Profile:
        """Return a copy of the profile with these codes disabled."""
        return Profile(self.name, self.severities, self.disabled | set(codes), self.reported_as)


# Stamping rejects a complement version that is no longer in force, whatever its last day was.
# Stamping reports one code for a wrong postal code and one for a wrong name of the receiver.
# Goods data that their sector does not use do not reject a Carta Porte: providers stamp such documents.
STAMP = Profile(
    "stamp",
    severities=MappingProxyType(
        {
            "CFDI40999:Complemento-Vigencia": Severity.ERROR,
            **{f"CP{number}:Needless": Severity.WARNING for number in range(159, 164)},
        }
    ),
    reported_as=MappingProxyType({"CFDI40148": "CFDI40147", "CFDI40144": "CFDI40145"}),
)

# The list has today's names, and names change: at validation a different issuer name is a warning.
VALIDATE = Profile(
    "validate",
    severities=MappingProxyType({"CFDI40138": Severity.WARNING, "CFDI40139": Severity.WARNING}),
)
