"""Profiles: the severities of an operation. The same finding may reject at stamping and only warn at validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from timbra.rules.engine.result import Severity
from timbra.rules.engine.rule import AnyRule

_NONE: Mapping[str, Severity] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Profile:
    """Severities of the rules in one operation. Profiles are compared by identity.

    Attributes:
        name: name of the operation.
        severities: severity by code, in place of the rule's own; it may enable a suspended rule.
        disabled: codes that are not evaluated.
    """

    name: str
    severities: Mapping[str, Severity] = field(default_factory=lambda: _NONE)
    disabled: frozenset[str] = frozenset()

    def severity(self, rule: AnyRule) -> Severity | None:
        """Return the severity of a violation of the rule, None when the rule is not evaluated."""
        severity = self.severities.get(rule.code, rule.severity)
        evaluated = severity in (Severity.ERROR, Severity.WARNING) and rule.code not in self.disabled
        return severity if evaluated else None

    def without(self, *codes: str) -> Profile:
        """Return a copy of the profile with these codes disabled."""
        return Profile(self.name, self.severities, self.disabled | set(codes))

    def with_severities(self, severities: Mapping[str, Severity]) -> Profile:
        """Return a copy of the profile with these severities in addition."""
        return Profile(self.name, MappingProxyType({**self.severities, **severities}), self.disabled)


# Stamping rejects a complement version that is no longer in force, whatever its last day was.
STAMP = Profile(
    "stamp",
    severities=MappingProxyType({"CFDI40999:Complemento-Vigencia": Severity.ERROR}),
)

# The list has today's names, and names change: at validation a different issuer name is a warning.
VALIDATE = Profile(
    "validate",
    severities=MappingProxyType({"CFDI40138": Severity.WARNING, "CFDI40139": Severity.WARNING}),
)


class CartaPorteSeverity(StrEnum):
    """Whose decision applies to goods data that their SectorCOFEPRIS does not use (CP159 to CP163).

    `matrix`: the SAT's error matrix, which rejects them. `vendor`: the vendor of the contract, who stamps them.
    """

    MATRIX = "matrix"
    VENDOR = "vendor"


@dataclass(frozen=True, eq=False)
class Profiles:
    """The profiles of a server.

    Attributes:
        stamp: severities at stamping.
        validate: severities at validation.
    """

    stamp: Profile
    validate: Profile


_NEEDLESS = MappingProxyType({f"CP{number}:Needless": Severity.WARNING for number in (159, 160, 162, 163)})

PROFILES: Mapping[CartaPorteSeverity, Profiles] = MappingProxyType(
    {
        CartaPorteSeverity.MATRIX: Profiles(STAMP, VALIDATE),
        CartaPorteSeverity.VENDOR: Profiles(STAMP.with_severities(_NEEDLESS), VALIDATE.with_severities(_NEEDLESS)),
    }
)
"""The profiles by the setting `carta_porte`; stamping and validation make one decision."""
