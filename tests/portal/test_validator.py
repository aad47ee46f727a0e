"""The validator page: every document its verdict, every finding its place; nothing of a document is markup."""

from __future__ import annotations

import pytest
from tests.portal.browser import Visitor
from tests.support.desk import FECHA, Desk, with_attribute

from timbra import examples
from timbra.portal.app import build
from timbra.settings import Settings
from timbra.wiring import open_house


@pytest.fixture
def good(desk: Desk) -> bytes:
    desk.store(desk.mint())
    return desk.issue(examples.ingreso(fecha=FECHA).encode()).cfdi.encode()


def judged(visitor: Visitor, *documents: tuple[str, bytes], status: bool = False) -> int:
    visitor.get("/validador")
    fields = {"status": "yes"} if status else {}
    return visitor.post("/validador", fields, files=[("xml", document) for document in documents]).status_code


def test_it_is_open_in_the_sandbox(visitor: Visitor) -> None:
    assert visitor.get("/validador").status_code == 200


def test_a_good_document_has_no_errors_and_is_shown(visitor: Visitor, good: bytes) -> None:
    visitor.desk.house.deliver()

    assert judged(visitor, ("good.xml", good), status=True) == 200
    for words in ("good.xml", "Sin errores", "Vigente", "ESCUELA KEMPER URGATE", "Sello digital del SAT"):
        assert words in visitor.text


def test_a_finding_leads_to_its_place_and_to_its_rule(visitor: Visitor, good: bytes) -> None:
    judged(visitor, ("wrong.xml", with_attribute(good, "SubTotal", "7.77")))

    assert visitor.page is not None
    (finding,) = [card for card in visitor.page.find_class("finding") if "CFDI40108" in card.text_content()]
    rule, place = (link.get("href") for link in finding.findall(".//a"))
    line = visitor.page.get_element_by_id(place.removeprefix("#"))
    assert 'SubTotal="7.77"' in line.text_content()
    assert "CFDI40108" in line.text_content()
    assert visitor.get(rule).status_code == 200
    assert "@SubTotal" in visitor.text


def test_marks_stand_in_the_shown_invoice(visitor: Visitor, good: bytes) -> None:
    judged(visitor, ("wrong.xml", with_attribute(good, "ClaveProdServ", "99999999")))

    assert visitor.page is not None
    (row,) = visitor.page.xpath("//article[@class='invoice']//tr[@class='marked']")
    assert "CFDI40162" in row.text_content()


def test_several_documents_have_a_summary(visitor: Visitor, good: bytes) -> None:
    judged(visitor, ("a.xml", good), ("b.xml", b"<no"), ("c.xml", with_attribute(good, "Total", "1")))

    assert visitor.page is not None
    rows = visitor.page.xpath("//table[contains(@class, 'summary')]/tbody/tr")
    assert [row.xpath("string(td[2])") for row in rows] == ["sin errores", "no es un CFDI", "con errores"]


def test_no_document_is_told(visitor: Visitor) -> None:
    assert judged(visitor) == 422


def test_script_in_a_document_and_in_its_name_stays_text(visitor: Visitor, good: bytes) -> None:
    evil = "&lt;script&gt;alert(1)&lt;/script&gt;"
    judged(visitor, ("<img src=x onerror=alert(1)>.xml", with_attribute(good, "Descripcion", evil)))

    assert visitor.page is not None
    assert visitor.page.xpath("//main//script") == []
    assert visitor.page.xpath("//img[@onerror]") == []
    assert "<script>alert(1)</script>" in visitor.text


def test_a_document_with_thousands_of_faults_makes_a_page_of_bounded_size(visitor: Visitor) -> None:
    text = examples.ingreso(concepts=2000, fecha=FECHA).replace('ClaveUnidad="', 'ClaveUnidad="?')
    visitor.get("/validador")
    answer = visitor.post("/validador", {}, files=[("xml", ("long.xml", text.encode()))])

    assert answer.status_code == 200
    assert len(answer.content) < 1_500_000
    assert "más; timbra validate y la API las dan todas" in visitor.text


@pytest.mark.parametrize("code", ["CFDI40147", "cfdi40999", "305", "401", "CRP20101", "TB4001"])
def test_codes_have_pages(visitor: Visitor, code: str) -> None:
    assert visitor.get(f"/validador/reglas/{code}").status_code == 200


@pytest.mark.parametrize("code", ["CFDI99999", "%3Cscript%3E", "%00"])
def test_unknown_codes_have_none(visitor: Visitor, code: str) -> None:
    assert visitor.get(f"/validador/reglas/{code}").status_code == 404


def test_in_production_it_asks_who_is_there(visitor: Visitor) -> None:
    settings = Settings(data=visitor.desk.house.data / "production", environment="production")
    with open_house(settings) as house:
        visitor._app = build(house)
        assert visitor.get("/validador").headers["location"] == "/portal/entrar"
