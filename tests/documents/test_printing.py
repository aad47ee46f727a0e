"""Printing off the event loop: bounded, and rejected where it is unavailable."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO

import pytest
from lxml import etree
from pypdf import PdfReader
from tests.rendering.rendered import FOLIO, reader, stamped, stamped_retencion
from tests.support.never_ending import typeset_never_ending
from tests.support.store_records import record

from timbra import examples
from timbra.cfdi.document import DocumentParser
from timbra.core.errors import ServiceError
from timbra.documents.printing import LIMITS, PrintingService
from timbra.documents.typesetting import Typesetter
from timbra.rendering import DocumentView, InvoiceView
from timbra.rendering.bounds import check_bounds
from timbra.rendering.branding import DEFAULT_BRANDING, Branding, PrintExtras
from timbra.rendering.pdf import NO_EXTRAS
from timbra.rendering.view import Field

MAX_TEXT_LENGTH = 10_000
MAX_TOTAL_TEXT = 4_000_000

XML = etree.tostring(stamped())
MEBIBYTE = 1024 * 1024
GENEROUS_SECONDS = 600
SHORT_SECONDS = 0.5


@pytest.fixture(scope="module")
def printing() -> Iterator[PrintingService]:
    made = PrintingService(DocumentParser(), reader(), Typesetter(1, 1024 * MEBIBYTE, GENEROUS_SECONDS), MEBIBYTE)
    yield made
    made.close()


class Unprintable(Typesetter):
    """A printer that rejects every print."""

    def __init__(self, code: str) -> None:
        super().__init__(1, 1024 * MEBIBYTE, GENEROUS_SECONDS)
        self._code = code

    def pdf(
        self,
        view: DocumentView,
        branding: Branding = DEFAULT_BRANDING,
        extras: PrintExtras = NO_EXTRAS,
        xml: bytes = b"",
    ) -> bytes:
        raise ServiceError(self._code)


RETENCIONES_10 = '<r:Retenciones xmlns:r="http://www.sat.gob.mx/esquemas/retencionpago/1" Version="1.0"/>'


def view(**changes: object) -> InvoiceView:
    return replace(reader().invoice(stamped()), **changes)  # type: ignore[arg-type]


def test_print_in_pool_returns_pdf_and_values(printing: PrintingService) -> None:
    printed = asyncio.run(printing.print_in_pool("a", XML))
    assert (printed.uuid, printed.pdf[:4]) == (FOLIO, b"%PDF")
    assert printed.stamp_date == "2026-11-17T12:00:00"
    assert PdfReader(BytesIO(printed.pdf)).attachments["cfdi.xml"] == [XML]


def test_print_in_pool_prints_a_retencion(printing: PrintingService) -> None:
    xml = etree.tostring(stamped_retencion(examples.retencion()))
    printed = asyncio.run(printing.print_in_pool("a", xml))
    assert (printed.uuid, printed.pdf[:4], printed.view.kind) == (FOLIO, b"%PDF", "Retenciones")


@pytest.mark.parametrize("text", [examples.retencion(), examples.ingreso(), RETENCIONES_10])
def test_print_in_pool_rejects_what_is_not_printed(printing: PrintingService, text: str) -> None:
    with pytest.raises(ServiceError, match="document-invalid"):
        asyncio.run(printing.print_in_pool("a", text.encode()))


def test_print_in_pool_rejects_when_queue_of_account_is_full(printing: PrintingService) -> None:
    async def flood() -> list[object]:
        room = LIMITS.per_account + LIMITS.waiting_per_account
        return await asyncio.gather(
            *(printing.print_in_pool("a", XML) for _ in range(room + 1)), return_exceptions=True
        )

    *printed, last = asyncio.run(flood())
    assert not any(isinstance(one, BaseException) for one in printed)
    assert isinstance(last, ServiceError)
    assert (last.code, last.retry_after is not None) == ("CO1000", True)


def test_print_in_pool_frees_slot_after_rejection(printing: PrintingService) -> None:
    async def often() -> None:
        for _ in range(2 * (LIMITS.per_account + LIMITS.waiting_per_account)):
            with pytest.raises(ServiceError, match="301"):
                await printing.print_in_pool("a", b"<")

    asyncio.run(often())


@pytest.mark.parametrize("code", ["TB4006", "print-too-large"])
def test_issuer_and_pdf_returns_no_pdf_when_printing_fails(code: str) -> None:
    printing = PrintingService(DocumentParser(), reader(), Unprintable(code), MEBIBYTE)
    with pytest.raises(ServiceError, match=code):
        printing.print(XML)
    issuer, pdf = printing.issuer_and_pdf(replace(record(1), cfdi=XML))
    assert issuer
    assert pdf is None


def test_issuer_and_pdf_prints_with_the_requested_template(
    monkeypatch: pytest.MonkeyPatch, printing: PrintingService
) -> None:
    printed: list[str] = []
    monkeypatch.setattr(printing._typesetter, "pdf", lambda _view, branding, *_: printed.append(branding.template))
    for template in ("compacta", ""):
        printing.issuer_and_pdf(replace(record(1), cfdi=XML), template)
    assert printed == ["compacta", "clasica"]


def test_print_rejects_a_document_of_too_many_bytes(printing: PrintingService) -> None:
    with pytest.raises(ServiceError, match="print-too-large"):
        printing.print(XML + b" " * MEBIBYTE)


def test_check_bounds_rejects_one_text_that_is_too_long() -> None:
    check_bounds(view(sello="x" * MAX_TEXT_LENGTH), NO_EXTRAS)
    with pytest.raises(ServiceError, match="print-too-large"):
        check_bounds(view(sello="x" * (MAX_TEXT_LENGTH + 1)), NO_EXTRAS)


@pytest.mark.parametrize("text", ["", "x" * MAX_TEXT_LENGTH])
def test_check_bounds_rejects_too_much_text_in_all(text: str) -> None:
    fields = tuple(Field("", text) for _ in range(1 + MAX_TOTAL_TEXT // (20 + len(text))))
    with pytest.raises(ServiceError, match="print-too-large"):
        check_bounds(view(head=fields), NO_EXTRAS)


def test_largest_print_fits_default_limits(printing: PrintingService) -> None:
    view = reader().invoice(stamped())
    line = replace(view.lines[0], descripcion="palabra " * 125)
    made = Typesetter(1, 1024 * MEBIBYTE, GENEROUS_SECONDS)
    assert made.pdf(replace(view, lines=(line,) * 2_000)).startswith(b"%PDF")
    made.close()


def test_print_rejects_what_exceeds_the_memory_limit_and_the_next_print_succeeds() -> None:
    made = Typesetter(1, 320 * MEBIBYTE, GENEROUS_SECONDS)
    view = reader().invoice(stamped())
    line = replace(view.lines[0], descripcion="palabra " * 125)
    with pytest.raises(ServiceError, match="print-too-large"):
        made.pdf(replace(view, lines=(line,) * 2_000))
    assert made.pdf(view).startswith(b"%PDF")
    made.close()


def test_print_rejects_what_exceeds_the_deadline_and_the_next_print_succeeds() -> None:
    made = Typesetter(1, 1024 * MEBIBYTE, GENEROUS_SECONDS, typeset_never_ending)
    view = reader().invoice(stamped())
    short, long = replace(view, lines=view.lines[:1]), replace(view, lines=view.lines * 2)
    assert made.pdf(short).startswith(b"%PDF")
    made._pool._seconds = SHORT_SECONDS
    with pytest.raises(ServiceError, match="print-too-large"):
        made.pdf(long)
    made._pool._seconds = GENEROUS_SECONDS
    assert made.pdf(short).startswith(b"%PDF")
    made.close()
