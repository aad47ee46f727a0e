"""The services of stored documents, which endpoints, pages and commands receive by type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.cfdi.document import DocumentParser
    from timbra.delivery.receptions import DeliveryState
    from timbra.documents.listing import DocumentListing
    from timbra.documents.mail.mailer import Mailer
    from timbra.documents.printing import PrintingService
    from timbra.documents.signed_links import SignedLinks
    from timbra.documents.storage import StoredCfdiService
    from timbra.events.event_log import Event
    from timbra.rendering import ViewReader
    from timbra.stamps.search import StampSearch


@dataclass(frozen=True, slots=True)
class DocumentServices:
    """Stored CFDI: search, files, printed representation, links and e-mail.

    Attributes:
        parser: for documents that are parsed on the event loop.
        cancellation_events: returns the audit log entries of a folio in lower case.
        delivery_state: returns the state of the delivery of a folio to the authority.
    """

    storage: StoredCfdiService
    stamp_search: StampSearch
    listing: DocumentListing
    views: ViewReader
    printing: PrintingService
    signed_links: SignedLinks
    mailer: Mailer
    parser: DocumentParser
    cancellation_events: Callable[[str], Sequence[Event]]
    delivery_state: Callable[[str], DeliveryState]
