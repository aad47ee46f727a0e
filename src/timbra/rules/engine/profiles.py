"""Profiles: the severities of an operation. The same finding may reject at stamping and only warn at validation."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType

from timbra.core.leniencies import named_leniencies
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


class VendorLeniency(StrEnum):
    """What the vendor of the contract stamps although the matrix or the interface of the service rejects it.

    `CARTA_PORTE`: goods data that their SectorCOFEPRIS does not use (CP159 to CP163). `FOREIGN_USE`: another UsoCFDI
    than S01 of the generic foreign RFC, which c_UsoCFDI admits for its regime (CFDI40161).
    """

    CARTA_PORTE = "carta-porte"
    FOREIGN_USE = "foreign-use"


LENIENT_RULES: Mapping[VendorLeniency, tuple[str, ...]] = MappingProxyType(
    {
        VendorLeniency.CARTA_PORTE: tuple(f"CP{number}:Needless" for number in (159, 160, 162, 163)),
        VendorLeniency.FOREIGN_USE: ("CFDI40161:Foreign",),
    }
)
"""Codes of the rules that are warnings when the setting `vendor_leniency` names the difference."""


_KEYS = ("CFDI40128", "CFDI40129", "CFDI33127", "CFDI33128")
_LIMITS = ("CFDI40118", "CFDI40120", "CFDI40127", "CFDI33117", "CFDI33119", "CFDI33126")
CONFIRMATION_RULES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"off": (), "keys": _KEYS, "limits": (*_KEYS, *_LIMITS)}
)
"""Suspended rules that the setting `confirmations` enables: those that ask the provider's registry of keys, and those
of the limits beyond which an invoice needs one."""


@dataclass(frozen=True, eq=False)
class Profiles:
    """The profiles of a server, or of an account.

    Attributes:
        stamp: severities at stamping.
        validate: severities at validation.
        enabled: codes of suspended rules that are errors.
    """

    stamp: Profile
    validate: Profile
    enabled: tuple[str, ...] = ()

    def for_account(self, leniency: str | None) -> Profiles:
        """Return the profiles of an account.

        Args:
            leniency: its comma separated names of differences, `all` or `none`; None for those of the server.
        """
        return self if leniency is None else _profiles_named(leniency, self.enabled)


def profiles_of(leniencies: Collection[VendorLeniency] = (), enabled: tuple[str, ...] = ()) -> Profiles:
    """Return the profiles of some decisions, which are the same for stamping and validation.

    Args:
        leniencies: differences whose rules warn.
        enabled: codes of suspended rules that are errors.
    """
    warned = {code: Severity.WARNING for each in leniencies for code in LENIENT_RULES[each]}
    chosen = {**warned, **dict.fromkeys(enabled, Severity.ERROR)}
    return Profiles(STAMP.with_severities(chosen), VALIDATE.with_severities(chosen), enabled) if chosen else _STRICT


_STRICT = Profiles(STAMP, VALIDATE)


# The engine compares profiles by identity, so that each choice has one.
@lru_cache(maxsize=32)
def _profiles_named(names: str, enabled: tuple[str, ...]) -> Profiles:
    return profiles_of([VendorLeniency(name) for name in named_leniencies(names)], enabled)
