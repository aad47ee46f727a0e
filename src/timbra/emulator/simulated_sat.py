"""The ports of the emulator to the sandbox: the same ledger, registry and authority as those of `timbra serve`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from timbra.core.clock import Clock
from timbra.sandbox.authority.certificates.authority import SandboxAuthority
from timbra.sandbox.authority.ledger.ledger import SandboxLedger
from timbra.sandbox.authority.taxpayers.registry import SandboxRegistry
from timbra.sat.port import CancellationAuthority
from timbra.seals.certificates.certificate import Certificate
from timbra.seals.certificates.trust_anchors import ProviderCertificate, TrustAnchor


class Trust(Protocol):
    """The trusted authorities and providers."""

    def issuer_of(self, certificate: Certificate) -> TrustAnchor | None:
        """Return the trusted authority that issued a certificate."""
        ...

    def provider(self, number: str) -> ProviderCertificate | None: ...


@dataclass(frozen=True, slots=True)
class SimulatedSat:
    """The simulated SAT of one data folder.

    Attributes:
        ledger: The CFDI that exist, with their states.
        cancellations: The cancellation service over the ledger.
        authority: The certificate authority.
        registry: The lists of taxpayers and certificates.
        trust: The authorities and providers that the SAT trusts.
        wall: The time of logins and tokens. The ledger has fiscal time.
    """

    ledger: SandboxLedger
    cancellations: CancellationAuthority
    authority: SandboxAuthority
    registry: SandboxRegistry
    trust: Trust
    wall: Clock

    def is_revoked(self, certificate: Certificate) -> bool:
        """Whether the published LCO has the certificate with another status than active."""
        row = self.registry.certificate(certificate.rfc, certificate.number)
        return row is not None and row.status != "A"
