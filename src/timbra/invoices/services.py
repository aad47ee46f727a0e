"""The services of invoices by hand, which pages receive by type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.accounts.services import CertificateServices
    from timbra.amounts.services import AmountsServices
    from timbra.cancellation.services import CancellationServices
    from timbra.cfdi.to_json import JsonWriter
    from timbra.core.clock import Clock
    from timbra.documents.build import DocumentServices
    from timbra.invoices.store import InvoiceRepository
    from timbra.stamping.services import StampingServices
    from timbra.validation.services import ValidationServices


@dataclass(frozen=True, slots=True)
class InvoiceServices:
    """What the form of an invoice reads, computes, reviews and stamps with.

    Attributes:
        writer: writes a document as JSON, from which the form takes its fields.
        repository: drafts, and what the account has used.
    """

    stamping: StampingServices
    validation: ValidationServices
    certificates: CertificateServices
    amounts: AmountsServices
    documents: DocumentServices
    cancellation: CancellationServices
    writer: JsonWriter
    repository: InvoiceRepository
    wall: Clock
