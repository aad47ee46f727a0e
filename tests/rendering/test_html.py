"""The invoice in a page: all of it, and nothing of it as markup."""

from __future__ import annotations

from lxml.html import HtmlElement, document_fromstring
from tests.rendering.shown import FOLIO, SEAL, reader, stamped

from timbra.rendering.html import Mark, environment, invoice_html

EVIL = "<script>alert(1)</script>\"'&{{ 7*7 }}"


def _page(fragment: str) -> HtmlElement:
    return document_fromstring(fragment)


def test_the_fragment_shows_parties_amounts_and_stamp() -> None:
    text = _page(invoice_html(environment(), reader().view(stamped()))).text_content()

    for shown in (FOLIO, SEAL, "EKU9003173C9", "Sin validez fiscal", "representación impresa"):
        assert shown in text


def test_texts_of_the_document_are_never_markup() -> None:
    root = stamped()
    for element in root.iter("*"):
        for name in element.attrib:
            element.set(name, EVIL)

    page = _page(invoice_html(environment(), reader().view(root)))

    assert page.findall(".//script") == []
    assert EVIL in page.text_content()
    assert {name for element in page.iter() for name in element.attrib} <= {
        "class", "aria-label", "scope", "src", "alt", "width", "height",
    }  # fmt: skip


def test_marks_stand_where_findings_are() -> None:
    marks = {"Conceptos/Concepto[1]": Mark("error", "CFDI40147"), "Receptor": Mark("warning", "CFDI40143")}

    page = _page(invoice_html(environment(), reader().view(stamped()), marks))

    assert [mark.text_content() for mark in page.find_class("mark")] == ["CFDI40143", "CFDI40147"]
    assert page.xpath("//tr[@class='marked']")


def test_production_has_its_legend_and_no_warning() -> None:
    text = invoice_html(environment(), reader(sandbox=False).view(stamped()))

    assert "representación impresa" in text
    assert "Sin validez fiscal" not in text
