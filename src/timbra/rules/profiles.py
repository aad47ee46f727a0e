"""What findings mean: the same finding may reject at stamping and only warn at validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from timbra.rules.finding import Severity
from timbra.rules.rule import AnyRule

_NONE: Mapping[str, Severity] = MappingProxyType({})
_SAME: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Profile:
    """severities: by code, in place of the rule's own; it may switch a suspended rule on. off: codes never asked.

    reported_as: codes that the service answers with another code of the same family. Compared by identity.
    """

    name: str
    severities: Mapping[str, Severity] = field(default_factory=lambda: _NONE)
    off: frozenset[str] = frozenset()
    reported_as: Mapping[str, str] = field(default_factory=lambda: _SAME)

    def severity(self, rule: AnyRule) -> Severity | None:
        """What a breach of the rule counts for, None when the rule is not asked."""
        severity = self.severities.get(rule.code, rule.severity)
        asked = severity in (Severity.ERROR, Severity.WARNING) and rule.code not in self.off
        return severity if asked else None

    def without(self, *codes: str) -> Profile:
        """The same profile with these codes switched off."""
        return Profile(self.name, self.severities, self.off | set(codes), self.reported_as)


# An edition of a complement that has ended is refused today, whatever its last day was.
# Stamping knows one code for a postal code and one for a name that is not the receiver's, whatever disproves it.
# Data of goods that their sector has no use for are no reason to refuse a Carta Porte: a provider stamps them.
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

# Names change, and the list is that of today: at validation an issuer's name warns.
VALIDATE = Profile(
    "validate",
    severities=MappingProxyType({"CFDI40138": Severity.WARNING, "CFDI40139": Severity.WARNING}),
)
