"""The lists of the sandbox together with imported lists of the SAT, whose rows have priority."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from timbra.lists.packed.certificate_rows import PublishedCertificate
from timbra.lists.published import ListSnapshot, PublishedTaxpayer
from timbra.sandbox.authority.taxpayers.lists_in_force import ListsInForce
from timbra.sandbox.authority.taxpayers.models import SandboxCertificate, SandboxTaxpayer


@dataclass(frozen=True, slots=True)
class MergedLists:
    """Looks an RFC up in the imported lists first, and in the registry of the sandbox when they do not have it.

    Attributes:
        registry: The simulated lists.
        imported: The imported lists in force.
        version: The version of the simulated lists and the days of the imported ones.
    """

    registry: ListsInForce
    imported: ListSnapshot
    version: str = field(init=False)

    def __post_init__(self) -> None:
        version = ", ".join(filter(None, (self.registry.lists_version, self.imported.version)))
        object.__setattr__(self, "version", version)

    def taxpayer(self, rfc: str) -> PublishedTaxpayer | SandboxTaxpayer | None:
        """Return the row of l_RFC; values that the imported list does not have are those of the registry."""
        taxpayers = self.imported.taxpayers
        listed = None if taxpayers is None else taxpayers.taxpayer(rfc)
        own = self.registry.taxpayer(rfc)
        if taxpayers is None or listed is None or own is None:
            return listed or own
        return replace(
            listed,
            name=listed.name or own.name,
            postal_code=listed.postal_code or own.postal_code,
            regimes=listed.regimes or own.regimes,
            cancelled=listed.cancelled if "cancelled" in taxpayers.edition.fields else own.cancelled,
        )

    def is_registered(self, name: str) -> bool:
        """Whether a row of `taxpayer` that is not cancelled has exactly this name."""
        names = self.imported.names
        if names is not None and names.is_registered(name):
            return True
        merged = map(self.taxpayer, self.registry.rfcs_named(name))
        return any(row is not None and row.name == name and not row.cancelled for row in merged)

    def obligations(self, rfc: str) -> int | None:
        """Return ValidezObligaciones (0 to 4); None when no list has the RFC."""
        obligations = self.imported.obligations
        listed = None if obligations is None else obligations.obligations(rfc)
        return self.registry.obligations(rfc) if listed is None else listed

    def certificate(self, rfc: str, number: str) -> PublishedCertificate | SandboxCertificate | None:
        """Return the row of the LCO of a certificate by its 20 digits; None when no list has it."""
        obligations = self.imported.obligations
        listed = None if obligations is None else obligations.certificate(rfc, number)
        return self.registry.certificate(rfc, number) if listed is None else listed
