"""E-mails that a sandbox without mail server keeps: pages, attachments, limits, access."""

from __future__ import annotations

from collections.abc import Iterator
from email.message import EmailMessage
from typing import Any

import pytest
from tests.support.browser import Visitor
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra import examples
from timbra.accounts.build import account_services
from timbra.documents.build import send_mail
from timbra.sandbox.build import sandbox_services
from timbra.sandbox.fault_selection import FaultSelection
from timbra.stamping.build import stamping_services
from timbra.stamping.models import StampRequest
from timbra.stamps.build import database_stamps

MAX_MAILS = 200

PATH = "/portal/ambiente/correos"
PASSWORD = "una contraseña larga"


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("sandbox"))
    made.store(made.mint())
    made.container.get(account_services).accounts.create("jefa@example.com", PASSWORD, "administrator")
    yield made
    made.container.close()


@pytest.fixture(autouse=True)
def empty(sandbox_app: SandboxApp) -> None:
    sandbox_app.container.get(sandbox_services).mails.clear()


@pytest.fixture(scope="module")
def administrator(sandbox_app: SandboxApp) -> Visitor:
    made = Visitor(sandbox_app)
    assert made.sign_in("jefa@example.com").status_code == 303
    return made


def send(sandbox_app: SandboxApp, subject: str = "Asunto <b>", text: str = "Hola & adiós") -> None:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "yo@example.com", "ana@example.com", subject
    message.set_content(text)
    message.add_attachment(b"\x00\x01", maintype="application", subtype="pdf", filename='../a"b\u00f1.pdf')
    sandbox_app.container.get(sandbox_services).mails.send(message, "yo@example.com", "ana@example.com")


def mailed(sandbox_app: SandboxApp, folio: str, *recipients: str) -> str:
    import asyncio

    xml = examples.ingreso({"@Folio": folio}, fecha=FECHA).encode()
    order = StampRequest(sandbox_app.caller, xml, "r", None, recipients)
    uuid = asyncio.run(sandbox_app.container.get(stamping_services).stamping.issue(order)).uuid
    send_mail(sandbox_app.container)
    return uuid


def test_stamped_documents_are_kept_with_their_xml(sandbox_app: SandboxApp, administrator: Visitor) -> None:
    uuid = mailed(sandbox_app, "M1", "ana@example.com", "luis@example.com")

    administrator.get(PATH)
    assert administrator.page is not None
    links = [str(link) for link in administrator.page.xpath("//tbody//a/@href")]
    assert len(links) == 2
    assert {"ana@example.com", "luis@example.com"} <= {*administrator.page.xpath("//td[@data-label='Para']/text()")}
    administrator.get(links[0])
    assert uuid in administrator.text
    assert administrator.page is not None
    files = [str(link) for link in administrator.page.xpath("//a[contains(@href, '/adjuntos/')]/@href")]
    names = administrator.page.xpath("//a[contains(@href, '/adjuntos/')]/text()")
    place = next(place for place, name in enumerate(names) if name.endswith(".xml"))
    stored = sandbox_app.container.get(database_stamps).by_uuid(uuid)
    assert stored is not None
    answer = administrator.get(files[place])
    assert answer.content == stored.cfdi
    assert answer.headers["content-type"] == "application/xml"


def test_mail_is_shown_without_its_markup_and_with_safe_names(sandbox_app: SandboxApp, administrator: Visitor) -> None:
    send(sandbox_app)
    [mail] = sandbox_app.container.get(sandbox_services).mails.newest()
    answer = administrator.get(f"{PATH}/{mail.number}")
    assert "<h1>Asunto &lt;b&gt;</h1>" in answer.text
    assert "Hola &amp; adiós" in answer.text
    file = administrator.get(f"{PATH}/{mail.number}/adjuntos/1")
    assert (file.content, file.headers["content-disposition"]) == (b"\x00\x01", 'attachment; filename="a_b_.pdf"')
    source = administrator.get(f"{PATH}/{mail.number}/original")
    assert source.headers["content-type"] == "message/rfc822"
    assert b"To: ana@example.com" in source.content


@pytest.mark.parametrize("path", ["/0", "/x", "/99999999", "/9/original", "/-1", "/1e3", "/9/adjuntos/1"])
def test_unknown_mail_is_not_found(administrator: Visitor, path: str) -> None:
    assert administrator.get(PATH + path).status_code == 404


def test_unknown_attachment_is_not_found(sandbox_app: SandboxApp, administrator: Visitor) -> None:
    send(sandbox_app)
    [mail] = sandbox_app.container.get(sandbox_services).mails.newest()
    for place in ("0", "2", "a"):
        assert administrator.get(f"{PATH}/{mail.number}/adjuntos/{place}").status_code == 404


def test_mails_are_limited_newest_first_and_deleted(sandbox_app: SandboxApp, administrator: Visitor) -> None:
    for number in range(MAX_MAILS + 3):
        send(sandbox_app, f"Correo {number}")
    subjects = [mail.subject for mail in sandbox_app.container.get(sandbox_services).mails.newest()]
    assert subjects == [f"Correo {number}" for number in range(MAX_MAILS + 2, 2, -1)]
    assert administrator.post(f"{PATH}/vaciar", {}).status_code == 303
    administrator.get(f"{PATH}?aviso=vacio")
    assert "No hay correos." in administrator.text
    assert "Los correos se eliminaron." in administrator.text


def test_reset_removes_kept_mails(sandbox_app: SandboxApp) -> None:
    send(sandbox_app)
    sandbox_app.container.get(sandbox_services).state.reset(accounts=False)
    assert sandbox_app.container.get(sandbox_services).mails.newest() == []


def test_mails_are_of_administrators_only(sandbox_app: SandboxApp) -> None:
    send(sandbox_app)
    [mail] = sandbox_app.container.get(sandbox_services).mails.newest()
    ana = Visitor(sandbox_app)
    assert ana.sign_in("ana@example.com").status_code == 303
    for path in (PATH, f"{PATH}/{mail.number}", f"{PATH}/{mail.number}/original", f"{PATH}/{mail.number}/adjuntos/1"):
        assert ana.get(path).status_code == 404
    assert ana.post(f"{PATH}/vaciar", {}).status_code == 404
    assert len(sandbox_app.container.get(sandbox_services).mails.newest()) == 1


@pytest.mark.parametrize(
    ("settings", "enabled"),
    [
        ({}, True),
        ({"sandbox_mail": "off"}, False),
        ({"smtp_host": "localhost", "smtp_sender": "a@example.com"}, True),
        ({"smtp_host": "localhost", "smtp_sender": "a@example.com", "sandbox_mail": "off"}, True),
    ],
)
def test_mail_is_enabled_by_a_server_or_by_keeping(
    tmp_path_factory: pytest.TempPathFactory, settings: dict[str, Any], enabled: bool
) -> None:
    app = SandboxApp(tmp_path_factory.mktemp("mail"), **settings)
    assert app.container.get(stamping_services).mail_enabled is enabled
    app.container.close()


def test_controls_show_faults_of_the_settings_without_a_button(tmp_path_factory: pytest.TempPathFactory) -> None:
    app = SandboxApp(tmp_path_factory.mktemp("strict"), strict=True, strict_latency=0)
    app.container.get(account_services).accounts.create("jefa@example.com", PASSWORD, "administrator")
    visitor = Visitor(app)
    assert visitor.sign_in("jefa@example.com").status_code == 303
    visitor.get("/portal/ambiente")
    assert visitor.page is not None
    cleared = "//form[contains(@action, '/fallas/quitar')]//input[@name='name']/@value"
    assert visitor.text.count("por configuración") == 5
    assert visitor.page.xpath(cleared) == []
    fields = {"name": "unavailable", "probability": "0.5", "seed": "4", "route": "/cfdi33", "account": "ana"}
    assert visitor.post("/portal/ambiente/fallas", {**fields, "times": "", "seconds": "7"}).status_code == 303
    visitor.get("/portal/ambiente")
    assert visitor.page.xpath(cleared) == ["unavailable"]
    [fault] = [fault for fault in app.container.get(sandbox_services).faults.active() if fault.name == "unavailable"]
    assert (fault.seconds, fault.selection) == (7.0, FaultSelection(0.5, 4, "/cfdi33", "ana"))
    app.container.close()
