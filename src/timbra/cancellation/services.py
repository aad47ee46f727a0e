"""The services of cancellation, which endpoints, pages and commands receive by type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.cancellation.acceptance import AcceptanceService
    from timbra.cancellation.cancelling import CancellationService
    from timbra.cancellation.relations import RelationsService
    from timbra.cancellation.signed_requests import SignedRequests
    from timbra.sat.port import CancellationAuthority


@dataclass(frozen=True, slots=True)
class CancellationServices:
    """Cancellation, the receiver's answers, and relations.

    Attributes:
        cancelling: of CFDI.
        authority: receives the signed requests.
    """

    cancelling: CancellationService
    cancelling_retenciones: CancellationService
    accepting: AcceptanceService
    relating: RelationsService
    signed_requests: SignedRequests
    authority: CancellationAuthority

    def cancelling_of(self, *, is_retencion: bool) -> CancellationService:
        """Return the service that cancels documents of a kind."""
        return self.cancelling_retenciones if is_retencion else self.cancelling
