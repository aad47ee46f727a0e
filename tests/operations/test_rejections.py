"""Rejections in the portal, from the rejected API request to the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.asgi import Answer, application, call, upload
from tests.support.browser import Visitor
from tests.support.sandbox_app import FECHA, SandboxApp, with_attribute

from timbra import examples
from timbra.accounts.build import account_services
from timbra.operations.build import operations_services

PATH = "/portal/rechazos"

WRONG = with_attribute(examples.ingreso({"@Serie": "A", "@Folio": "7"}, fecha=FECHA).encode(), "MetodoPago", "XXX")


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("sandbox"), rejection_documents=True)
    made.store(made.mint())
    made.account("bea@example.com")
    made.container.get(account_services).accounts.create("jefa@example.com", "una contraseña larga", "administrator")
    yield made
    made.container.close()


@pytest.fixture(scope="module")
def rejected(sandbox_app: SandboxApp) -> Answer:
    """The answer of the API; the rejection log is flushed."""
    answer = send(sandbox_app, WRONG)
    sandbox_app.container.get(operations_services).rejections.flush()
    return answer


def send(sandbox_app: SandboxApp, xml: bytes) -> Answer:
    token = sandbox_app.container.get(account_services).accounts.session_token("ana@example.com").token
    headers, body = upload(xml)
    headers["Authorization"] = f"Bearer {token}"
    return call(application(sandbox_app.container), "POST", "/cfdi33/issue/v4", headers=headers, body=body)


def visitor_of(sandbox_app: SandboxApp, user: str) -> Visitor:
    made = Visitor(sandbox_app)
    made.sign_in(user)
    return made


@pytest.fixture(scope="module")
def ana(sandbox_app: SandboxApp) -> Visitor:
    return visitor_of(sandbox_app, "ana@example.com")


def test_search_shows_code_place_and_request(ana: Visitor, rejected: Answer) -> None:
    code = rejected.json["message"].partition(" ")[0]
    ana.get(PATH)

    assert code == "CFDI40124"
    for text in (
        code,
        rejected.json["messageDetail"],
        rejected.headers["x-request-id"],
        "/cfdi33/issue/v4",
        "@MetodoPago",
        "XXX",
        "A 7",
        f"{examples.KEMPER.rfc} →",
    ):
        assert text in ana.text
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
def test_search_applies_filters(ana: Visitor, rejected: Answer, query: str, found: bool) -> None:
    ana.get(PATH + query)

    assert (rejected.headers["x-request-id"] in ana.text) == found


def test_search_finds_a_request_id(ana: Visitor, rejected: Answer) -> None:
    ana.get(f"{PATH}?solicitud={rejected.headers['x-request-id']}")

    assert "CFDI40124" in ana.text


def test_download_returns_the_stored_document(ana: Visitor, rejected: Answer) -> None:
    ana.get(PATH)
    assert ana.page is not None
    [link] = ana.page.xpath("//a[starts-with(@href, '/portal/rechazos/')]/@href")

    assert ana.get(link).content == WRONG
    assert rejected.status == 400


def test_search_hides_rejections_of_other_accounts(sandbox_app: SandboxApp, ana: Visitor, rejected: Answer) -> None:
    bea = visitor_of(sandbox_app, "bea@example.com")
    bea.get(f"{PATH}?solicitud={rejected.headers['x-request-id']}")

    assert "No hay rechazos que coincidan" in bea.text
    ana.get(PATH)
    assert ana.page is not None
    [link] = ana.page.xpath("//a[starts-with(@href, '/portal/rechazos/')]/@href")
    assert bea.get(link).status_code == 404


def test_search_shows_the_account_to_an_administrator(sandbox_app: SandboxApp, rejected: Answer) -> None:
    administrator = visitor_of(sandbox_app, "jefa@example.com")
    administrator.get(f"{PATH}?codigo=CFDI40124")

    assert "ana@example.com" in administrator.text
    assert rejected.headers["x-request-id"] in administrator.text


@pytest.mark.parametrize("number", ["0", "999", "9" * 30, "x", "-1"])
def test_download_answers_404_for_an_unknown_number(ana: Visitor, number: str) -> None:
    assert ana.get(f"{PATH}/{number}/xml").status_code == 404


@pytest.mark.parametrize("query", ["?desde=x", "?cursor=x"])
def test_search_rejects_invalid_fields(ana: Visitor, query: str) -> None:
    assert ana.get(PATH + query).status_code == 422


def test_markup_of_a_rejected_document_is_escaped(tmp_path: Path) -> None:
    script = "&lt;script&gt;alert(1)&lt;/script&gt;"
    sandbox_app = SandboxApp(tmp_path)
    sandbox_app.store(sandbox_app.mint())
    send(sandbox_app, with_attribute(WRONG, "Serie", script))
    send(sandbox_app, with_attribute(WRONG, "MetodoPago", script))
    sandbox_app.container.get(operations_services).rejections.flush()
    ana = visitor_of(sandbox_app, "ana@example.com")
    assert "<script>alert" not in ana.get(PATH).text
    assert "<script>alert(1)</script>" in ana.text
    sandbox_app.container.close()
