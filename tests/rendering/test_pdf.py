"""The PDF, read back as text and as an image."""

from __future__ import annotations

import copy
import ctypes
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pypdfium2
import pypdfium2.raw as raw
import pytest
import zxingcpp
from lxml import etree
from tests.rendering.rendered import FOLIO, SEAL, reader, stamped
from tests.support.images import red_png

from timbra import examples
from timbra.cfdi.qr import SAT_PAGES, verification_query
from timbra.core.errors import ServiceError
from timbra.rendering.branding import Branding
from timbra.rendering.logo import read_logo
from timbra.rendering.pdf import pdf


def _opened(root: etree._Element, *, fiscal_effect: bool = False, verified: bool = True) -> pypdfium2.PdfDocument:
    return pypdfium2.PdfDocument(pdf(reader(fiscal_effect=fiscal_effect, verified=verified).view(root)))


def _text(document: pypdfium2.PdfDocument) -> str:
    return "".join(page.get_textpage().get_text_range() for page in document).replace("\u200b", "").replace("\r\n", "")


def _fonts(document: pypdfium2.PdfDocument) -> set[str]:
    """Return the names of the embedded fonts; every font must be embedded."""
    names = set()
    for page in document:
        for text in page.get_objects(filter=[raw.FPDF_PAGEOBJ_TEXT], max_depth=15):
            font = raw.FPDFTextObj_GetFont(text)
            assert raw.FPDFFont_GetIsEmbedded(font) == 1
            name = ctypes.create_string_buffer(100)
            raw.FPDFFont_GetBaseFontName(font, name, len(name))
            names.add(name.value.decode().rpartition("+")[2])
    return names


def _total(root: etree._Element) -> str:
    return f"{Decimal(root.get('Total', '')):,.2f}"


def test_pdf_has_the_required_data() -> None:
    root = stamped()
    text = _text(_opened(root))

    receptor = root.find("{*}Receptor")
    assert receptor is not None
    rfc = receptor.get("Rfc", "?")
    for expected in (FOLIO, examples.KEMPER.rfc, rfc, _total(root), "TIM010101SB9", SEAL[-8:], "IVA 16 %"):
        assert expected in text
    assert "||1.1|" in text
    assert "representación impresa de un CFDI" in text


def test_pdf_has_the_fonts_of_the_package() -> None:
    """The typesetter replaces a font that it does not find without an error."""
    assert _fonts(_opened(stamped())) == {"Lato-Regular", "Lato-Bold", "DejaVuSansMono"}


def test_pdf_qr_code_encodes_the_verification_url() -> None:
    root = stamped()
    picture = _opened(root)[0].render(scale=3).to_pil()

    (code,) = zxingcpp.read_barcodes(picture)

    receptor = root.find("{*}Receptor")
    assert receptor is not None
    rfc, total = receptor.get("Rfc", ""), Decimal(root.get("Total", ""))
    assert code.text == SAT_PAGES.url(verification_query(FOLIO, examples.KEMPER.rfc, rfc, total, root.get("Sello", "")))


@pytest.mark.parametrize("fiscal_effect", [True, False])
def test_pdf_has_the_sandbox_legend_in_the_sandbox_only(fiscal_effect: bool) -> None:
    text = _text(_opened(stamped(), fiscal_effect=fiscal_effect)).lower()

    assert ("sin validez fiscal" in text) is not fiscal_effect


@pytest.mark.parametrize("fiscal_effect", [True, False])
def test_pdf_warns_on_every_page_when_the_stamp_is_not_verified(fiscal_effect: bool) -> None:
    root = stamped()
    concepts = root.find("{*}Conceptos")
    assert concepts is not None
    concepts.extend([copy.deepcopy(concepts[0]) for _ in range(120)])

    document = _opened(root, fiscal_effect=fiscal_effect, verified=False)

    assert len(document) > 2
    for page in document:
        text = " ".join(page.get_textpage().get_text_range().split())
        assert text.count("Documento sin timbre fiscal verificable: no es la representación impresa de un CFDI") == 2
        assert "Este documento es una representación impresa" not in text


def test_pdf_has_no_warning_when_the_stamp_is_verified() -> None:
    assert "verificable" not in _text(_opened(stamped()))


def test_pdf_prints_markup_characters_as_text() -> None:
    root = stamped()
    evil = '#eval("1+1") $x$ *a* _b_ `c` @d <e> "f" \\ {{g}}'
    root[-3].set("Nombre", evil)
    for concept in root.iterfind("{*}Conceptos/{*}Concepto"):
        concept.set("Descripcion", evil)

    text = _text(_opened(root))

    assert '#eval("1+1") $x$ *a* _b_ `c` @d <e> "f" \\ {{g}}' in text


def test_pdf_accepts_an_empty_document() -> None:
    assert "CFDI" in _text(_opened(etree.fromstring(b"<a/>")))


def test_pdf_has_several_pages_for_many_concepts() -> None:
    root = etree.fromstring(examples.ingreso(concepts=120).encode())

    assert len(_opened(root)) > 2


def test_pdf_has_the_logo_at_the_top() -> None:
    plain, adorned = stamped(), stamped()
    document = pypdfium2.PdfDocument(pdf(reader().view(adorned), Branding(logo=read_logo(red_png(300, 100)))))

    red, green, blue = _opened(plain)[0].render(scale=1).to_pil().getpixel((80, 60))
    assert (red, green, blue) == (255, 255, 255)
    assert document[0].render(scale=1).to_pil().getpixel((80, 80)) == (200, 30, 30)
    assert FOLIO in _text(document)


def test_pdf_rejects_a_damaged_logo_and_recovers() -> None:
    view = reader().view(stamped())
    with pytest.raises(ServiceError, match="TB4005"):
        pdf(view, Branding(logo=read_logo(red_png(300, 100)[:60])))
    assert pdf(view)


def test_pdf_runs_in_several_threads() -> None:
    view = reader().view(stamped())
    with ThreadPoolExecutor(4) as pool:
        printed = list(pool.map(lambda _: pdf(view), range(16)))
    assert all(one.startswith(b"%PDF") for one in printed)
