"""The invoice as HTML: complete, and without markup of the document."""

from __future__ import annotations

import pytest
from lxml.html import HtmlElement, document_fromstring
from tests.rendering.rendered import FOLIO, SEAL, reader, stamped

from timbra.rendering.html import Mark, document_html, environment

EVIL = "<script>alert(1)</script>\"'&{{ 7*7 }}"


def _page(fragment: str) -> HtmlElement:
    return document_fromstring(fragment)


def test_document_html_shows_parties_amounts_and_stamp() -> None:
    text = _page(document_html(environment(), reader().view(stamped()))).text_content()

    for expected in (FOLIO, SEAL, "EKU9003173C9", "Sin validez fiscal", "representación impresa"):
        assert expected in text


def test_document_html_escapes_texts_of_the_document() -> None:
    root = stamped()
    for element in root.iter("*"):
        for name in element.attrib:
            element.set(name, EVIL)

    page = _page(document_html(environment(), reader().view(root)))

    assert page.findall(".//script") == []
    assert EVIL in page.text_content()
    assert {name for element in page.iter() for name in element.attrib} <= {
        "class", "aria-label", "role", "scope", "src", "alt", "tabindex", "width", "height",
    }  # fmt: skip


def test_document_html_shows_marks_at_their_paths() -> None:
    marks = {"Conceptos/Concepto[1]": Mark("error", "CFDI40147"), "Receptor": Mark("warning", "CFDI40143")}

    page = _page(document_html(environment(), reader().view(stamped()), marks))

    assert [mark.text_content() for mark in page.find_class("mark")] == ["CFDI40143", "CFDI40147"]
    assert page.xpath("//tr[@class='marked']")


def test_document_html_in_production_has_no_sandbox_warning() -> None:
    text = document_html(environment(), reader(fiscal_effect=True).view(stamped()))

    assert "representación impresa" in text
    assert "Sin validez fiscal" not in text


@pytest.mark.parametrize("verified", [True, False])
def test_document_html_warns_when_the_stamp_is_not_verified(verified: bool) -> None:
    page = document_html(environment(), reader(verified=verified).view(stamped()))
    assert ("Documento sin timbre fiscal verificable" in page) is not verified
    assert ("Este documento es una representación impresa" in page) is verified
