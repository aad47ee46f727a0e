"""The printed representation (PDF) of stamped CFDI and retenciones, made on request from the document alone."""

from __future__ import annotations

from dataclasses import dataclass, field

from timbra.cfdi.document import Document, DocumentParser
from timbra.cfdi.qr import SAT_PAGES, VerificationPages
from timbra.errors import ServiceError
from timbra.metrics import MetricsRegistry
from timbra.pools import PoolLimits, ThreadPool
from timbra.rendering import DocumentView, ViewReader
from timbra.rendering.logo import Logo
from timbra.service.documents.stored_document import read_stored
from timbra.service.documents.typesetting import Typesetter
from timbra.store.stamps.port import StampRecord

MOST_LINES = 2_000
"""Largest number of printed Conceptos; the print refers to the XML for the others."""
PRINTED = frozenset({"4.0", "3.3", "2.0"})
"""Versions of CFDI, and that of Retenciones."""
LIMITS = PoolLimits(running=3, per_account=2, waiting=96, waiting_per_account=32)
WITHOUT_PDF = frozenset({"TB4006", "print-too-large"})
"""Codes of failed prints after which a CFDI is mailed without its PDF."""


@dataclass(frozen=True, slots=True)
class PrintedDocument:
    """A PDF and the values that it prints."""

    pdf: bytes = field(repr=False)
    view: DocumentView = field(repr=False)

    @property
    def uuid(self) -> str:
        """Folio fiscal, empty without a stamp."""
        return self.view.stamp.uuid if self.view.stamp else ""

    @property
    def stamp_date(self) -> str:
        """FechaTimbrado as printed, empty without a stamp."""
        return self.view.stamp.fecha if self.view.stamp else ""


class PrintingService:
    """Prints in a bounded thread pool with a fair queue for the accounts.

    Args:
        parser: not shared with the event loop.
        views: reads the view of a document; not shared with the event loop.
        typesetter: makes the PDF.
        most_bytes: size limit of a document to print.
        mail_pages: addresses of the pages that the QR codes of mailed prints lead to.
        metrics: metrics of the pool.
    """

    def __init__(
        self,
        parser: DocumentParser,
        views: ViewReader,
        typesetter: Typesetter,
        most_bytes: int,
        metrics: MetricsRegistry | None = None,
        mail_pages: VerificationPages = SAT_PAGES,
    ) -> None:
        self._mail_pages = mail_pages
        self._parser = parser
        self._views = views
        self._typesetter = typesetter
        self._most_bytes = most_bytes
        self._pool = ThreadPool("printing", LIMITS, "Hay demasiadas impresiones en espera.", metrics)

    async def print_in_pool(
        self, account: str, xml: bytes, logo: Logo | None = None, pages: VerificationPages = SAT_PAGES
    ) -> PrintedDocument:
        """Print a CFDI in the pool. If its stamp does not verify, every page has a notice.

        Args:
            account: key of the fair queue, see `ThreadPool.run`.
            xml: the stamped CFDI.
            logo: image for the first page.
            pages: addresses of the pages that QR codes lead to.

        Raises:
            ServiceError: "301" for a document that is not XML, "document-invalid" for one that is not a CFDI with a
                stamp, "print-too-large", "TB4005" for a damaged logo, "TB4006" where printing is not installed,
                "CO1000" with `retry_after` while the queue is full.
        """
        return await self._pool.run(account, self.print, xml, logo, pages)

    async def print_stored(
        self, account: str, record: StampRecord, pages: VerificationPages = SAT_PAGES
    ) -> PrintedDocument:
        """Print a stored CFDI in the pool; its QR code leads to one of the `pages`.

        Raises:
            ServiceError: as `print_in_pool` and `read_stored`.
        """
        return await self._pool.run(account, self._print_stored, record, pages)

    def print(self, xml: bytes, logo: Logo | None = None, pages: VerificationPages = SAT_PAGES) -> PrintedDocument:
        """Print in the caller's thread; do not call it on the event loop."""
        self._check_size(xml)
        view = self._view(self._parser.parse(xml), pages)
        return PrintedDocument(self._typesetter.pdf(view, logo), view)

    def for_mail(self, record: StampRecord) -> tuple[str, bytes | None]:
        """Return the issuer's name and the PDF of a stored CFDI; None instead of a PDF that cannot be made."""
        view = self._view(read_stored(record, self._parser), self._mail_pages)
        try:
            self._check_size(record.cfdi)
            return view.emisor.nombre, self._typesetter.pdf(view)
        except ServiceError as error:
            if error.code not in WITHOUT_PDF:
                raise
            return view.emisor.nombre, None

    def close(self) -> None:
        """Stop the threads and processes."""
        self._pool.close()
        self._typesetter.close()

    def _print_stored(self, record: StampRecord, pages: VerificationPages) -> PrintedDocument:
        self._check_size(record.cfdi)
        view = self._view(read_stored(record, self._parser), pages)
        return PrintedDocument(self._typesetter.pdf(view), view)

    def _check_size(self, xml: bytes) -> None:
        if len(xml) > self._most_bytes:
            raise ServiceError("print-too-large", f"El XML tiene más de {self._most_bytes} bytes.")

    def _view(self, document: Document, pages: VerificationPages) -> DocumentView:
        is_printable = document.version in PRINTED
        view = self._views.view(document.root, MOST_LINES, pages=pages) if is_printable else None
        if view is None or view.stamp is None:
            raise ServiceError("document-invalid", "Se imprime un CFDI 4.0 o 3.3, o un Retenciones 2.0, con su timbre.")
        return view
