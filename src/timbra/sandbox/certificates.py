"""Administration of the certificates of the simulated authority: issue, search, download and revocation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from timbra.core.clock import Clock
from timbra.sandbox.authority.certificates.authority import MintedCredential, SandboxAuthority
from timbra.sandbox.authority.taxpayers.registry import SandboxRegistry
from timbra.sandbox.faults import Faults
from timbra.sandbox.minting import MintRequest, mint
from timbra.sandbox.store.models import CertificateRow
from timbra.sandbox.store.transactions import SandboxStore
from timbra.seals.certificates.certificate import CertificateKind

__all__ = ["CertificateAdministration", "CertificateEntry", "MintRequest", "MintedCredential"]


@dataclass(frozen=True, slots=True)
class CertificateEntry:
    """A certificate of the authority.

    Attributes:
        status: A active, R revoked.
        pending: status that the next refresh publishes.
        in_list: whether the LCO has certificates of this kind.
        listed: whether a published LCO has it.
    """

    number: str
    rfc: str
    kind: CertificateKind
    status: str
    pending: str | None
    valid_from: datetime
    valid_to: datetime
    in_list: bool
    listed: bool

    @property
    def is_revocable(self) -> bool:
        """Whether a revocation would change anything."""
        return self.in_list and self.status == "A" and self.pending is None


class CertificateAdministration:
    """Issues and revokes certificates of the simulated authority.

    Args:
        authority: issues the certificates.
        registry: the taxpayers.
        faults: active faults.
        clock: fiscal time.
        store: the tables of the authority.
    """

    def __init__(
        self, authority: SandboxAuthority, registry: SandboxRegistry, faults: Faults, clock: Clock, store: SandboxStore
    ) -> None:
        self._authority = authority
        self._registry = registry
        self._faults = faults
        self._clock = clock
        self._store = store

    def mint(self, request: MintRequest) -> MintedCredential:
        """Issue a credential, and register an unknown RFC with the values of the request.

        Raises:
            ServiceError: `taxpayer-unknown` when values for the registration are missing; `taxpayer-invalid`;
                `time-invalid`.
        """
        return mint(request, self._authority, self._registry, self._faults, self._clock)

    def is_published(self, number: str) -> bool:
        """Whether it is the certificate of the authority or of the provider, with which anybody verifies a stamp."""
        return any(certificate.number == number for certificate in self._authority.published)

    def certificate_der(self, number: str) -> bytes | None:
        """Return a certificate in DER, None when the sandbox does not have it."""
        return self._authority.certificate_der(number)

    def revoke(self, number: str) -> None:
        """Revoke a CSD with the next refresh. Raises ServiceError: "certificate-unknown" when it is not in the LCO."""
        self._registry.revoke(number)

    def search(self, text: str, limit: int, account_id: int | None = None) -> tuple[Sequence[CertificateEntry], int]:
        """Search certificates by the words of a text.

        Args:
            text: words that the number or the RFC contains.
            limit: largest number of results.
            account_id: the account that requested them; None for all certificates.

        Returns:
            The certificates, latest first, and the number of all matches.
        """
        with self._store.read() as transaction:
            rows, total = transaction.certificates.search(text, limit, account_id)
        return [_entry(row) for row in rows], total


def _entry(row: CertificateRow) -> CertificateEntry:
    return CertificateEntry(
        number=row.number,
        rfc=row.rfc,
        kind=CertificateKind(row.kind),
        status=row.status,
        pending=row.pending_status,
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        in_list=row.in_list,
        listed=row.listed,
    )
