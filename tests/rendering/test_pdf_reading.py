"""Reading a PDF: ours, and hostile ones."""

from __future__ import annotations

import zlib
from io import BytesIO

import pytest
from lxml import etree
from pypdf import PdfWriter
from tests.rendering.rendered import reader, stamped

from timbra.core.errors import ServiceError
from timbra.pools import ProcessPool
from timbra.rendering import pdf_reading
from timbra.rendering.pdf import pdf
from timbra.rendering.pdf_reading import is_pdf, read_pdf

MEBIBYTE = 1024 * 1024


def _print() -> tuple[bytes, bytes]:
    """Return a document and its print."""
    root = stamped()
    xml = etree.tostring(root)
    return xml, pdf(reader().view(root), xml=xml)


def _pdf(*objects: bytes, root: int = 1) -> bytes:
    """Return a PDF of these objects, numbered from 1; a reader finds them without a table."""
    body = b"".join(b"%d 0 obj\n%b\nendobj\n" % (number, each) for number, each in enumerate(objects, 1))
    return b"%PDF-1.7\n" + body + b"trailer << /Root %d 0 R >>\nstartxref\n0\n%%%%EOF" % root


def _stream(content: bytes, entries: bytes = b"") -> bytes:
    return b"<< /Length %d %b >>\nstream\n%b\nendstream" % (len(content), entries, content)


def test_is_pdf_tells_a_pdf_from_xml() -> None:
    assert [is_pdf(each) for each in (b"%PDF-1.7", b"\n%PDF-1.4", b"<a>%PDF-1.7</a>", b"")] == [
        True,
        True,
        False,
        False,
    ]


def test_read_pdf_returns_the_attached_document_and_the_text_of_a_print() -> None:
    xml, printed = _print()

    read = read_pdf(printed)

    assert (read.xml, read.is_own) == (xml, True)
    assert "Total $ 232.00 MXN" in read.text


def test_read_pdf_takes_the_attachment_that_is_a_cfdi() -> None:
    xml, _ = _print()
    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    writer.add_attachment("notas.txt", b"texto")
    writer.add_attachment("factura.xml", xml)
    written = BytesIO()
    writer.write(written)

    read = read_pdf(written.getvalue())

    assert (read.xml, read.text, read.is_own) == (xml, "", False)


def test_read_pdf_without_an_attachment_has_no_document() -> None:
    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    written = BytesIO()
    writer.write(written)

    assert read_pdf(written.getvalue()).xml is None


BOMB = zlib.compress(zlib.compress(bytes(80 * MEBIBYTE), 9), 9)
PAGES = b"<< /Type /Pages /Kids [] /Count 0 >>"
ATTACHED = (
    b"<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles << /Names [(a.xml) 3 0 R] >> >> >>",
    PAGES,
    b"<< /Type /Filespec /F (a.xml) /EF << /F 4 0 R >> >>",
)
CYCLE = b"<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles 3 0 R >> >>"


def test_read_pdf_finds_the_objects_of_a_pdf_without_a_table() -> None:
    xml, _ = _print()

    assert read_pdf(_pdf(*ATTACHED, _stream(xml))).xml == xml


@pytest.mark.parametrize(
    "content",
    [
        b"%PDF-1.7",
        b"%PDF-1.7\n" + b"<<" * 100_000,
        b"%PDF-1.7\n" + b"[" * 1_000_000,
        _pdf(*ATTACHED, _stream(BOMB, b"/Filter [/FlateDecode /FlateDecode]")),
        _pdf(*ATTACHED, _stream(b"x", b"/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 999999999 >>")),
    ],
    ids=["header", "dictionaries", "arrays", "bomb", "columns"],
)
def test_read_pdf_rejects_a_hostile_pdf(content: bytes) -> None:
    with pytest.raises(ServiceError, match="source-unreadable"):
        read_pdf(content)


def test_read_pdf_ends_in_a_pdf_that_refers_to_itself() -> None:
    catalog = b"<< /Type /Catalog /Pages 2 0 R >>"
    for content in (
        _pdf(CYCLE, PAGES, b"<< /Kids [3 0 R 3 0 R] >>"),
        _pdf(catalog, b"<< /Type /Pages /Kids [2 0 R] /Count 999999999 >>"),
        _pdf(b"<< /Type /Catalog /Pages 2 0 R /Names 1 0 R /EmbeddedFiles 1 0 R >>", PAGES),
    ):
        assert read_pdf(content).xml is None, content


def test_read_pdf_rejects_what_exceeds_the_deadline_and_reads_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    xml, printed = _print()
    pool = ProcessPool(1, 512 * MEBIBYTE, 0.001)
    monkeypatch.setattr(pdf_reading, "POOL", pool)
    with pytest.raises(ServiceError, match="source-unreadable"):
        read_pdf(printed)
    pool.close()
    monkeypatch.undo()

    assert read_pdf(printed).xml == xml
