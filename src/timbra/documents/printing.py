"""The printed representation (PDF) of stamped CFDI and retenciones, made on request from the document alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import structlog

from timbra.cfdi.document import Document, DocumentParser
from timbra.cfdi.qr import SAT_PAGES, VerificationPages
from timbra.core.errors import ServiceError
from timbra.core.metrics import MetricsRegistry
from timbra.documents.cancellation_marks import CancellationMarks
from timbra.documents.typesetting import Typesetter
from timbra.pools import PoolLimits, ThreadPool
from timbra.rendering import DocumentView, ViewReader
from timbra.rendering.branding import DEFAULT_BRANDING, Branding, PrintExtras
from timbra.rendering.file_name import pdf_name
from timbra.rendering.logo import Logo
from timbra.rendering.pdf import NO_EXTRAS
from timbra.stamping.stored_document import read_stored
from timbra.stamps.port import StampRecord

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.printing")

MOST_LINES = 2_000
"""Largest number of printed Conceptos; the print refers to the XML for the others."""
PRINTED = frozenset({"4.0", "3.3", "2.0", "1.0"})
"""Versions of CFDI, and those of Retenciones."""
LIMITS = PoolLimits(running=3, per_account=2, waiting=96, waiting_per_account=32)
BRANDING_FAILURES = frozenset({"TB4005", "print-failed"})
"""Codes of a damaged logo, and of a template that fails."""
WITHOUT_PDF = frozenset({"TB4006", "print-failed", "print-too-large"})
"""Codes of failed prints after which a CFDI is mailed, or part of a batch, without its PDF."""


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
    def file_name(self) -> str:
        """Name of the PDF as a file, see `pdf_name`."""
        return pdf_name(self.view.serie, self.view.folio, self.view.emisor.rfc, self.uuid)

    @property
    def stamp_date(self) -> str:
        """FechaTimbrado as printed, empty without a stamp."""
        return self.view.stamp.fecha if self.view.stamp else ""


@dataclass(frozen=True, slots=True)
class PrintOptions:
    """What a client chooses for one print.

    Attributes:
        account_id: the account whose branding is printed; None for the default branding.
        template: template instead of that of the account; None for the account's.
        logo: logo instead of that of the account; None for the account's.
        extras: data that are not part of the CFDI.
    """

    account_id: int | None = None
    template: str | None = None
    logo: Logo | None = None
    extras: PrintExtras = NO_EXTRAS


DEFAULT_OPTIONS = PrintOptions()


class PrintingService:
    """Prints in a bounded thread pool with a fair queue for the accounts.

    Args:
        parser: not shared with the event loop.
        views: reads the view of a document; not shared with the event loop.
        typesetter: makes the PDF.
        most_bytes: size limit of a document to print.
        mail_pages: addresses of the pages that the QR codes of prints lead to that no HTTP request asked for.
        metrics: metrics of the pool.
        branding: returns the branding of an account.
        marks: finds cancelled documents; None where no document is known to be cancelled.
    """

    def __init__(
        self,
        parser: DocumentParser,
        views: ViewReader,
        typesetter: Typesetter,
        most_bytes: int,
        metrics: MetricsRegistry | None = None,
        mail_pages: VerificationPages = SAT_PAGES,
        branding: Callable[[int], Branding] = lambda _: DEFAULT_BRANDING,
        marks: CancellationMarks | None = None,
    ) -> None:
        self._branding = branding
        self._marks = marks
        self._mail_pages = mail_pages
        self._parser = parser
        self._views = views
        self._typesetter = typesetter
        self._most_bytes = most_bytes
        self._pool = ThreadPool("printing", LIMITS, "Hay demasiadas impresiones en espera.", metrics)

    async def print_in_pool(
        self,
        account: str,
        xml: bytes,
        options: PrintOptions = DEFAULT_OPTIONS,
        pages: VerificationPages = SAT_PAGES,
    ) -> PrintedDocument:
        """Print a CFDI in the pool. If its stamp does not verify, every page has a notice.

        Args:
            account: key of the fair queue, see `ThreadPool.run`.
            xml: the stamped CFDI.
            options: branding, and data that the client adds.
            pages: addresses of the pages that QR codes lead to.

        Raises:
            ServiceError: "301" for a document that is not XML, "document-invalid" for one that is not a CFDI with a
                stamp, "print-too-large", "print-failed", "TB4005" for a damaged logo, "TB4006" where printing is
                not installed, "CO1000" with `retry_after` while the queue is full.
        """
        return await self._pool.run(account, self.print, xml, options, pages)

    async def print_stored(
        self, account: str, record: StampRecord, pages: VerificationPages = SAT_PAGES
    ) -> PrintedDocument:
        """Print a stored CFDI in the pool; its QR code leads to one of the `pages`.

        Raises:
            ServiceError: as `print_in_pool` and `read_stored`.
        """
        return await self._pool.run(account, self._print_stored, record, pages)

    def print(
        self, xml: bytes, options: PrintOptions = DEFAULT_OPTIONS, pages: VerificationPages = SAT_PAGES
    ) -> PrintedDocument:
        """Print in the caller's thread; do not call it on the event loop."""
        self._check_size(xml)
        document = self._parser.parse(xml)
        view = self._view(document, pages)
        if self._marks is not None and view.stamp is not None and not view.unverified:
            view = replace(view, cancelled=self._marks.is_cancelled_stamp(view.stamp.uuid, view.sello))
        branding = DEFAULT_BRANDING if options.account_id is None else self._branding(options.account_id)
        branding = replace(branding, template=options.template or branding.template, logo=options.logo or branding.logo)
        return PrintedDocument(self._pdf(view, document.source, branding, options), view)

    async def print_sample(self, account: str, xml: bytes, branding: Branding) -> bytes:
        """Print a document without a stamp in the pool, as a sample of a branding.

        Raises:
            ServiceError: as `print_in_pool`.
        """
        return await self._pool.run(account, self._print_sample, xml, branding)

    def _print_sample(self, xml: bytes, branding: Branding) -> bytes:
        document = self._parser.parse(xml)
        return self._typesetter.pdf(self._views.view(document.root, MOST_LINES), branding, xml=document.source)

    def issuer_and_pdf(self, record: StampRecord, template: str = "") -> tuple[str, bytes | None]:
        """Return the issuer's name and the PDF of a stored CFDI; None instead of a PDF that cannot be made.

        Args:
            record: the stored CFDI.
            template: template instead of that of the account; empty for the account's.
        """
        view = self._stored_view(record, self._mail_pages)
        try:
            self._check_size(record.cfdi)
            branding = self._branding(record.account_id)
            branding = replace(branding, template=template or branding.template)
            return view.emisor.nombre, self._pdf(view, record.cfdi, branding)
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
        view = self._stored_view(record, pages)
        return PrintedDocument(self._pdf(view, record.cfdi, self._branding(record.account_id)), view)

    def _pdf(
        self, view: DocumentView, xml: bytes, branding: Branding, options: PrintOptions = DEFAULT_OPTIONS
    ) -> bytes:
        """Typeset; when the account's own branding fails, its documents are printed with the default one."""
        try:
            return self._typesetter.pdf(view, branding, options.extras, xml)
        except ServiceError as error:
            requested = options.logo is not None or options.template is not None
            if error.code not in BRANDING_FAILURES or requested or branding == DEFAULT_BRANDING:
                raise
            log.warning("the branding of an account cannot be printed", code=error.code, detail=error.detail)
            return self._typesetter.pdf(view, DEFAULT_BRANDING, options.extras, xml)

    def _stored_view(self, record: StampRecord, pages: VerificationPages) -> DocumentView:
        view = self._view(read_stored(record, self._parser), pages)
        if self._marks is None:
            return view
        return replace(view, cancelled=self._marks.is_cancelled(record, view.sello[-8:]))

    def _check_size(self, xml: bytes) -> None:
        if len(xml) > self._most_bytes:
            raise ServiceError("print-too-large", f"El XML tiene más de {self._most_bytes} bytes.")

    def _view(self, document: Document, pages: VerificationPages) -> DocumentView:
        is_printable = document.version in PRINTED
        view = self._views.view(document.root, MOST_LINES, pages=pages) if is_printable else None
        if view is None or view.stamp is None:
            raise ServiceError(
                "document-invalid", "Se imprime un CFDI 4.0 o 3.3, o Retenciones 2.0 o 1.0, con su timbre."
            )
        return view
