"""The printed representation of stamped CFDI: made when somebody asks for it, from the document alone."""

from __future__ import annotations

from dataclasses import dataclass, field

from timbra.cfdi.document import DocumentParser
from timbra.errors import ServiceError
from timbra.rendering import InvoiceView, ViewReader
from timbra.rendering.logo import Logo
from timbra.rendering.pdf import pdf
from timbra.service.side_pool import SidePool
from timbra.store.port import StampRecord

MOST_LINES = 2_000
"""Conceptos on paper; of those beyond, the print says that they are in the XML."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A PDF and what it shows, as the document writes it."""

    pdf: bytes = field(repr=False)
    view: InvoiceView = field(repr=False)

    @property
    def uuid(self) -> str:
        return self.view.stamp.uuid if self.view.stamp else ""

    @property
    def stamp_date(self) -> str:
        return self.view.stamp.fecha if self.view.stamp else ""


class Printing:
    """Threads of its own print side by side, since the typesetter lets others run meanwhile; the rest waits its turn.

    parser: for threads other than the event loop's.
    """

    def __init__(self, parser: DocumentParser, views: ViewReader) -> None:
        self._parser = parser
        self._views = views
        self._pool = SidePool("printing", "Hay demasiadas impresiones en espera.")

    async def printed(self, xml: bytes, logo: Logo | None = None) -> Printed:
        """The print of a stamped CFDI.

        ServiceError: "301" for what is no XML, "document-invalid" for what is no stamped CFDI, "TB4005" for a damaged
        logo, "TB4006" where nothing can print, "CO1000" with `retry_after` while too many wait.
        """
        return await self._pool.run(lambda: self.print(xml, logo))

    def print(self, xml: bytes, logo: Logo | None = None) -> Printed:
        """As `printed`, in the caller's thread, which is not the event loop's."""
        view = self._view(xml)
        return Printed(pdf(view, logo), view)

    def for_mail(self, record: StampRecord) -> tuple[str, bytes | None]:
        """The issuer's name and the PDF of a stored CFDI; no PDF where nothing can print."""
        view = self._view(record.cfdi)
        try:
            return view.emisor.nombre, pdf(view)
        except ServiceError as error:
            if error.code != "TB4006":
                raise
            return view.emisor.nombre, None

    def _view(self, xml: bytes) -> InvoiceView:
        document = self._parser.parse(xml)
        view = self._views.view(document.root, MOST_LINES) if document.version in {"3.3", "4.0"} else None
        if view is None or view.stamp is None:
            raise ServiceError("document-invalid", "Se imprime un CFDI 4.0 o 3.3 con su timbre.")
        return view
