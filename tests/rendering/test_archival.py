"""The PDF as an archived file: PDF/A-3b with the CFDI attached."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import Any

import pytest
from lxml import etree
from PIL import Image
from pypdf import PdfReader
from tests.rendering.rendered import reader, stamped, stamped_retencion

from timbra import examples
from timbra.rendering.branding import Branding
from timbra.rendering.logo import read_logo
from timbra.rendering.pdf import pdf

PDFAID = "{http://www.aiim.org/pdfa/ns/id/}"


def _printed(root: etree._Element, branding: Branding | None = None) -> tuple[bytes, PdfReader]:
    """Return the document as bytes and its PDF."""
    xml = etree.tostring(root, xml_declaration=True, encoding="UTF-8")
    return xml, PdfReader(BytesIO(pdf(reader().view(root), branding or Branding(), xml=xml)))


def _archival_level(document: PdfReader) -> tuple[str | None, str | None]:
    """Return part and conformance of the XMP metadata."""
    metadata = etree.fromstring(document.root_object["/Metadata"].get_data())  # type: ignore[attr-defined]
    return metadata.findtext(f".//{PDFAID}part"), metadata.findtext(f".//{PDFAID}conformance")


@pytest.mark.parametrize("kind", ["invoice", "retencion"])
def test_pdf_is_archival_with_the_document_attached(kind: str) -> None:
    xml, document = _printed(stamped() if kind == "invoice" else stamped_retencion(examples.retencion()))

    catalog: Any = document.root_object
    (intent,) = catalog["/OutputIntents"]
    (file,) = catalog["/AF"]
    named = catalog["/Names"]["/EmbeddedFiles"]["/Names"]
    specification = file.get_object()
    content = specification["/EF"]["/F"].get_object()
    assert _archival_level(document) == ("3", "B")
    assert intent.get_object()["/S"] == "/GTS_PDFA1"
    assert "/DestOutputProfile" in intent.get_object()
    assert (named[0], named[1].get_object()) == ("cfdi.xml", specification)
    assert (specification["/UF"], specification["/AFRelationship"]) == ("cfdi.xml", "/Data")
    assert content["/Subtype"] == "/application/xml"
    assert content.get_data() == xml


def test_pdf_of_the_same_document_is_the_same() -> None:
    view = reader().view(stamped())

    with ThreadPoolExecutor(1) as other_typesetter:
        again = other_typesetter.submit(pdf, view, xml=b"<a/>").result()

    assert pdf(view, xml=b"<a/>") == again
    metadata = PdfReader(BytesIO(again)).metadata
    assert metadata is not None
    assert str(metadata.creation_date) == "2026-11-17 18:00:00+00:00"


def test_pdf_with_a_character_of_no_font_is_not_archival_but_has_the_document() -> None:
    root = stamped()
    for concept in root.iterfind("{*}Conceptos/{*}Concepto"):
        concept.set("Descripcion", "漢字")

    xml, document = _printed(root)

    assert _archival_level(document) == (None, None)
    assert document.attachments["cfdi.xml"] == [xml]


@pytest.mark.parametrize(
    ("mode", "level"), [("RGB", ("3", "B")), ("L", ("3", "B")), ("CMYK", (None, None))], ids=["RGB", "grey", "CMYK"]
)
def test_pdf_with_a_logo_is_archival_unless_the_logo_is_cmyk(mode: str, level: tuple[str | None, str | None]) -> None:
    picture = BytesIO()
    Image.new(mode, (300, 100)).save(picture, "JPEG")

    xml, document = _printed(stamped(), Branding(logo=read_logo(picture.getvalue())))

    assert _archival_level(document) == level
    assert document.attachments["cfdi.xml"] == [xml]
