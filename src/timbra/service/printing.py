"""The printed representation of stamped CFDI: made when somebody asks for it, from the document alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import TypeVar

from timbra.cfdi.document import DocumentParser
from timbra.errors import ServiceError
from timbra.rendering import InvoiceView, ViewReader
from timbra.rendering.logo import Logo
from timbra.rendering.pdf import pdf
from timbra.store.port import StampRecord

T = TypeVar("T")

THREADS = 2
MOST_WAITING = 32
BUSY_SECONDS = 5
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
        self._pool = ThreadPoolExecutor(THREADS, "printing")
        self._room = THREADS + MOST_WAITING

    async def printed(self, xml: bytes, logo: Logo | None = None) -> Printed:
        """The print of a stamped CFDI.

        ServiceError: "301" for what is no XML, "document-invalid" for what is no stamped CFDI, "TB4005" for a damaged
        logo, "TB4006" where nothing can print, "CO1000" with `retry_after` while too many wait.
        """
        return await self._elsewhere(lambda: self.print(xml, logo))

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

    async def _elsewhere(self, work: Callable[[], T]) -> T:
        if not self._room:
            raise ServiceError("CO1000", "Hay demasiadas impresiones en espera.", retry_after=BUSY_SECONDS)
        self._room -= 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, copy_context().run, work)
        finally:
            self._room += 1
