"""Refused requests in the portal, from the refused request on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.api.asgi import Answer, ask, upload
from tests.portal.browser import Visitor
from tests.support.desk import FECHA, Desk, with_attribute

from timbra import examples
from timbra.api.app import build
from timbra.portal.pages.refusals import PLACE

WRONG = with_attribute(examples.ingreso({"@Serie": "A", "@Folio": "7"}, fecha=FECHA).encode(), "MetodoPago", "XXX")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    made = Desk(tmp_path_factory.mktemp("desk"), refusal_documents=True)
    made.store(made.mint())
    made.account("bea@example.com")
    made.house.accounts.create("jefa@example.com", "una contraseña larga", "administrator")
    yield made
    made.house.close()


@pytest.fixture(scope="module")
def refused(desk: Desk) -> Answer:
    """What the API answered; the note has been written down since."""
    answer = send(desk, WRONG)
    desk.house.refusals.flush()
    return answer


def send(desk: Desk, xml: bytes) -> Answer:
    token = desk.house.accounts.session_token("ana@example.com").token
    headers, body = upload(xml)
    headers["Authorization"] = f"Bearer {token}"
    return ask(build(desk.house), "POST", "/cfdi33/issue/v4", headers=headers, body=body)


def visitor_of(desk: Desk, user: str) -> Visitor:
    made = Visitor(desk)
    made.sign_in(user)
    return made


@pytest.fixture(scope="module")
def ana(desk: Desk) -> Visitor:
    return visitor_of(desk, "ana@example.com")


def test_a_row_tells_everything(ana: Visitor, refused: Answer) -> None:
    code = refused.json["message"].partition(" ")[0]
    ana.get(PLACE)

    assert code == "CFDI40124"
    for told in (
        code,
        refused.json["messageDetail"],
        refused.headers["x-request-id"],
        "/cfdi33/issue/v4",
        "@MetodoPago",
        "XXX",
        "A 7",
        f"{examples.KEMPER.rfc} →",
    ):
        assert told in ana.text
    assert ana.page is not None
    assert ana.page.xpath(f"//a[@href='/validador/reglas/{code}']")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?codigo=CFDI40124", True),
        ("?codigo=301", False),
        ("?rfc=" + examples.KEMPER.rfc.lower(), True),
        ("?rfc=XAXX010101000", False),
        ("?hasta=2000-01-01", False),
    ],
)
def test_filters(ana: Visitor, refused: Answer, query: str, found: bool) -> None:
    ana.get(PLACE + query)

    assert (refused.headers["x-request-id"] in ana.text) == found


def test_the_request_of_an_answer_is_found(ana: Visitor, refused: Answer) -> None:
    ana.get(f"{PLACE}?solicitud={refused.headers['x-request-id']}")

    assert "CFDI40124" in ana.text


def test_the_document_is_given_where_it_is_kept(ana: Visitor, refused: Answer) -> None:
    ana.get(PLACE)
    assert ana.page is not None
    [link] = ana.page.xpath("//a[starts-with(@href, '/portal/rechazos/')]/@href")

    assert ana.get(link).content == WRONG
    assert refused.status == 400


def test_another_account_sees_nothing_of_it(desk: Desk, ana: Visitor, refused: Answer) -> None:
    bea = visitor_of(desk, "bea@example.com")
    bea.get(f"{PLACE}?solicitud={refused.headers['x-request-id']}")

    assert "No hay rechazos que coincidan" in bea.text
    ana.get(PLACE)
    assert ana.page is not None
    [link] = ana.page.xpath("//a[starts-with(@href, '/portal/rechazos/')]/@href")
    assert bea.get(link).status_code == 404


def test_an_administrator_sees_whose_it_is(desk: Desk, refused: Answer) -> None:
    chief = visitor_of(desk, "jefa@example.com")
    chief.get(f"{PLACE}?codigo=CFDI40124")

    assert "ana@example.com" in chief.text
    assert refused.headers["x-request-id"] in chief.text


@pytest.mark.parametrize("number", ["0", "999", "9" * 30, "x", "-1"])
def test_strange_numbers_lead_nowhere(ana: Visitor, number: str) -> None:
    assert ana.get(f"{PLACE}/{number}/xml").status_code == 404


@pytest.mark.parametrize("query", ["?desde=x", "?cursor=x"])
def test_what_cannot_be_searched_is_told(ana: Visitor, query: str) -> None:
    assert ana.get(PLACE + query).status_code == 422


def test_script_in_a_refused_document_stays_text(tmp_path: Path) -> None:
    script = "&lt;script&gt;alert(1)&lt;/script&gt;"
    desk = Desk(tmp_path)
    desk.store(desk.mint())
    send(desk, with_attribute(WRONG, "Serie", script))
    send(desk, with_attribute(WRONG, "MetodoPago", script))
    desk.house.refusals.flush()
    ana = visitor_of(desk, "ana@example.com")
    for path in (PLACE, "/portal"):
        answer = ana.get(path)
        assert "<script>alert" not in answer.text
        assert "<script>alert(1)</script>" in ana.text
    desk.house.close()
