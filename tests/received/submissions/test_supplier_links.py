"""Links by which suppliers deliver documents: by the API, in the portal, and the page of the supplier."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from httpx2 import Response
from sqlalchemy import update
from tests.received.submissions.test_intake import request, stored
from tests.support.browser import Visitor
from tests.support.sandbox_app import SandboxApp

from timbra.accounts.build import account_services
from timbra.database.build import opened_database
from timbra.received.submissions.build import JOBS, supplier_links
from timbra.received.submissions.tables import RECEIVED_LINK
from timbra.web.portal.dispatch.log_path import loggable_path

LINKS = "/received/links"
PAGE = "/portal/proveedores/enlaces"
LINK = RECEIVED_LINK.c


def created(app: SandboxApp, **order: object) -> dict[str, object]:
    answer = request(app, "POST", LINKS, json.dumps({"name": "Proveedor", **order}).encode(), "application/json")
    data: dict[str, object] = answer.json["data"]
    return data


def path_of(link: dict[str, object]) -> str:
    return "/portal" + str(link["url"]).partition("/portal")[2]


def deliver(supplier: Visitor, path: str, *files: tuple[str, bytes]) -> Response:
    supplier.get(path)
    return supplier.post(path, {}, files=[("archivos", file) for file in files])


def change(app: SandboxApp, number: object, **values: object) -> None:
    with app.container.get(opened_database).write() as connection:
        connection.execute(update(RECEIVED_LINK).where(LINK.id == number).values(values))


@pytest.fixture
def supplier(app: SandboxApp) -> Visitor:
    return Visitor(app)


def test_supplier_sees_what_was_accepted_and_why_not(
    app: SandboxApp, supplier: Visitor, documents: dict[str, bytes]
) -> None:
    path = path_of(created(app))
    answer = deliver(supplier, path, *documents.items(), ("foto.xml", b"\x89PNG\r\n\x1a\n"))
    assert supplier.page is not None
    rows = [" ".join(row.text_content().split()) for row in supplier.page.xpath("//ul[@class='arrivals']/li")]
    by_name = {next(name for name in (*documents, "foto.xml") if name in row): row for row in rows}

    assert answer.status_code == 200
    assert "3 de 5 no se aceptaron" in supplier.text
    assert by_name["uno.xml"].startswith("aceptado")
    assert "El receptor del comprobante debe ser el RFC que se espera." in by_name["otro.xml"]
    assert "EKU9003173C9" in by_name["otro.xml"]
    assert "CFDI40108" not in by_name["mal.xml"]
    assert "SubTotal" in by_name["mal.xml"]
    assert "El sello del emisor no es válido." in by_name["mal.xml"]
    assert "||4.0|" not in by_name["mal.xml"]
    assert "no se aceptó" in by_name["foto.xml"]
    assert [(each.source, each.origin) for each in stored(app)] == [("supplier", "Proveedor")] * 2
    deliver(supplier, path, ("uno.xml", documents["uno.xml"]))
    assert "ya se había recibido" in supplier.text
    submissions = request(app, "GET", "/received/submissions").json["data"]
    assert [(each["stored"], each["known"], each["rejected"]) for each in submissions] == [(0, 1, 0), (2, 0, 3)]
    assert {each["outcome"] for each in submissions[1]["files"][:3]} == {"rejected"}


def test_link_of_an_issuer_rejects_others(app: SandboxApp, supplier: Visitor, documents: dict[str, bytes]) -> None:
    path = path_of(created(app, issuerRfc="aaa010101aaa"))
    deliver(supplier, path, ("uno.xml", documents["uno.xml"]))
    assert "El emisor no es AAA010101AAA, para quien es este enlace." in supplier.text


def test_link_ends_by_revocation_expiry_and_a_disabled_account(app: SandboxApp, supplier: Visitor) -> None:
    links = [created(app, days=30) for _ in range(2)]
    paths = [path_of(link) for link in links]
    assert [supplier.get(path).status_code for path in paths] == [200, 200]
    assert supplier.get(paths[0][:-1]).status_code == 404
    change(app, links[0]["id"], expires_at=app.container.wall.now() - timedelta(seconds=1))
    assert request(app, "DELETE", f"{LINKS}/{links[1]['id']}").status == 204
    assert request(app, "DELETE", f"{LINKS}/999999").status == 404
    for path in paths:
        assert supplier.get(path).status_code == 404
        assert "pida uno nuevo" in supplier.text
    other = path_of(created(app))
    accounts = account_services(app.container).accounts
    accounts.set_active("ana@example.com", active=False)
    assert supplier.get(other).status_code == 404
    accounts.set_active("ana@example.com", active=True)


def test_uploads_of_a_link_are_limited_in_an_hour(
    app: SandboxApp, supplier: Visitor, documents: dict[str, bytes]
) -> None:
    link = created(app)
    now = app.container.wall.now()
    change(app, link["id"], hour_at=now, hour_uploads=60)
    answer = deliver(supplier, path_of(link), ("uno.xml", documents["uno.xml"]))
    assert answer.status_code == 422
    assert "Son demasiados envíos en una hora." in supplier.text
    change(app, link["id"], hour_at=now - timedelta(hours=1))
    assert deliver(supplier, path_of(link), ("uno.xml", documents["uno.xml"])).status_code == 200


def test_portal_creates_and_revokes_links(app: SandboxApp) -> None:
    visitor = Visitor(app)
    visitor.sign_in("ana@example.com")
    visitor.get(PAGE)
    visitor.post(PAGE, {"nombre": "Papelería", "rfc": "", "dias": "10"})
    assert visitor.text.count("/portal/entregar/") >= 1
    assert visitor.post(PAGE, {"nombre": "Papelería", "rfc": "X", "dias": "10"}).status_code == 422
    number = app.container.get(supplier_links).links.of_account(app.caller.account_id)[0].id
    visitor.get(PAGE)
    assert "/portal/entregar/" not in visitor.text
    assert visitor.post(f"{PAGE}/{number}/revocar", {}).status_code == 303
    visitor.get(PAGE)
    assert "revocado" in visitor.text
    assert visitor.post(f"{PAGE}/{2**70}/revocar", {}).status_code == 404


def test_link_needs_an_rfc_of_the_account_and_valid_values(app: SandboxApp) -> None:
    for order in ({"name": " "}, {"issuerRfc": "X"}, {"days": 0}, {"days": 731}):
        body = json.dumps({"name": "Proveedor", **order}).encode()
        assert request(app, "POST", LINKS, body, "application/json").status == 400
    app.account("sin@example.com")
    token = account_services(app.container).accounts.find("sin@example.com").account_id
    with pytest.raises(Exception, match="TB4005"):
        app.container.get(supplier_links).create(token, "Proveedor", "", 30)


def test_jobs_remove_what_is_older_than_the_term(
    app: SandboxApp, supplier: Visitor, documents: dict[str, bytes]
) -> None:
    ended, kept = created(app), created(app)
    deliver(supplier, path_of(kept), ("uno.xml", documents["uno.xml"]))
    old = app.container.wall.now() - timedelta(days=31)
    change(app, ended["id"], expires_at=old)
    jobs = {job.name: job for job in JOBS.delivery(app.container)}
    jobs["expire submissions"].work()
    jobs["received mail"].work()

    assert [
        link["id"] for link in request(app, "GET", LINKS).json["data"] if link["id"] in (ended["id"], kept["id"])
    ] == [kept["id"]]
    assert len(request(app, "GET", "/received/submissions").json["data"]) == 1


def test_token_is_neither_stored_nor_logged(app: SandboxApp) -> None:
    path = path_of(created(app))
    token = path.rpartition("/")[2]
    assert loggable_path(path) == "/portal/entregar/..."
    listed = request(app, "GET", LINKS)
    assert token not in json.dumps(listed.json)
    with app.container.get(opened_database).read() as connection:
        assert all(token.encode() not in bytes(row.token_hash) for row in connection.execute(RECEIVED_LINK.select()))
