"""Cancelled documents are printed as such; the authority is asked only about accepted requests."""

from __future__ import annotations

from dataclasses import replace

import pypdfium2
import pytest
from lxml import etree
from tests.rendering.rendered import FOLIO, SEAL, reader, stamped
from tests.support.store_records import record

from timbra.cfdi.document import DocumentParser
from timbra.core.errors import ServiceError
from timbra.documents.cancellation_marks import CancellationMarks
from timbra.documents.printing import PrintingService, PrintOptions
from timbra.documents.typesetting import Typesetter
from timbra.rendering.branding import DEFAULT_BRANDING, Branding, PrintExtras
from timbra.rendering.logo import Logo
from timbra.rendering.pdf import NO_EXTRAS, pdf
from timbra.rendering.view import DocumentView
from timbra.sat.port import FiscalStatus, StatusQuery
from timbra.stamps.port import StampRecord

XML = etree.tostring(stamped())
RECORD = replace(record(1), uuid=FOLIO, cfdi=XML)
MEBIBYTE = 1024 * 1024


class Authority:
    """Stamps, acuses and status of one document."""

    def __init__(self, status: str | None, *, accepted: bool = True) -> None:
        self.queries: list[StatusQuery] = []
        self._status, self._accepted = status, accepted

    def by_uuid(self, uuid: str) -> StampRecord | None:
        return RECORD if uuid == FOLIO else None

    def of_cancellation(self, uuid: str, issuer_rfc: str) -> bytes | None:
        return b"<Acuse/>" if self._accepted else None

    def status(self, query: StatusQuery) -> FiscalStatus:
        self.queries.append(query)
        if self._status is None:
            raise ServiceError("authority-down")
        return FiscalStatus(self._status, "S", None, "")


def marks_of(authority: Authority) -> CancellationMarks:
    return CancellationMarks(authority, authority, authority)


@pytest.mark.parametrize(("status", "cancelled"), [("Cancelado", True), ("Vigente", False), (None, False)])
def test_is_cancelled_asks_the_authority_after_an_accepted_request(status: str | None, cancelled: bool) -> None:
    authority = Authority(status)
    assert marks_of(authority).is_cancelled(RECORD, SEAL[-8:]) is cancelled
    (query,) = authority.queries
    assert (query.uuid, query.seal_tail) == (FOLIO, SEAL[-8:])


def test_is_cancelled_does_not_ask_without_an_accepted_request() -> None:
    authority = Authority("Cancelado", accepted=False)
    assert not marks_of(authority).is_cancelled(RECORD, SEAL[-8:])
    assert authority.queries == []


class DirectTypesetter(Typesetter):
    """Typesets in this process, and fails for brandings with a logo."""

    def __init__(self) -> None:
        super().__init__(1, 1024 * MEBIBYTE, 600)
        self.brandings: list[Branding] = []

    def pdf(
        self,
        view: DocumentView,
        branding: Branding = DEFAULT_BRANDING,
        extras: PrintExtras = NO_EXTRAS,
        xml: bytes = b"",
    ) -> bytes:
        self.brandings.append(branding)
        if branding.template == "compacta":
            raise ServiceError("print-failed")
        return pdf(view, branding, extras, xml)


def printing(typesetter: Typesetter, branding: Branding = DEFAULT_BRANDING) -> PrintingService:
    marks = marks_of(Authority("Cancelado"))
    return PrintingService(DocumentParser(), reader(), typesetter, MEBIBYTE, branding=lambda _: branding, marks=marks)


def test_print_marks_a_cancelled_document() -> None:
    printed = printing(DirectTypesetter()).print(XML, PrintOptions(account_id=1))
    assert printed.view.cancelled
    assert "CANCELADO" in pypdfium2.PdfDocument(printed.pdf)[0].get_textpage().get_text_range()
    assert printed.file_name.endswith(f"_{FOLIO}.pdf")


def test_print_uses_the_default_when_the_branding_of_the_account_fails() -> None:
    typesetter = DirectTypesetter()
    assert printing(typesetter, Branding("compacta")).print(XML, PrintOptions(account_id=1)).pdf.startswith(b"%PDF")
    assert typesetter.brandings == [Branding("compacta"), DEFAULT_BRANDING]


def test_print_rejects_what_the_client_chose_when_it_fails() -> None:
    typesetter = DirectTypesetter()
    with pytest.raises(ServiceError, match="print-failed"):
        printing(typesetter).print(XML, PrintOptions(account_id=1, template="compacta"))
    with pytest.raises(ServiceError, match="TB4005"):
        printing(typesetter).print(XML, PrintOptions(account_id=1, logo=Logo("png", b"\x89PNG\r\n\x1a\n")))
