"""E-mails of stamps over HTTP, by a real server and a mail server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from tests.support.server import Server, invoice, retencion, running, seed
from tests.support.smtp import MailServer, free_port, mail_server
from tests.support.waiting import wait_until

from timbra.app.composition import open_container
from timbra.operations.build import operations_services
from timbra.sandbox.build import sandbox_services
from timbra.settings import Settings

MAIL_NOT_CONFIGURED = (
    "El CFDI se timbró, pero no se enviará por correo: el servidor no tiene configurado un servidor de correo."
)

UNKNOWN = "00000000-0000-4000-8000-000000000000"


@dataclass
class Served:
    """A server, and the mail server that its settings name; the warning of the last stamp."""

    server: Server
    mail: MailServer
    warning: str | None = None

    def stamp(self, folio: str, email: str = "") -> dict[str, Any]:
        files = {"xml": ("cfdi.xml", invoice(self.server.data, folio), "text/xml")}
        with self.server.client() as client:
            answer = client.post("/v4/cfdi33/issue/v4", files=files, headers={"email": email})
        self.warning = answer.headers.get("x-timbra-warning")
        return dict(answer.json())

    def resend(self, **members: object) -> tuple[int, dict[str, Any]]:
        with self.server.client() as client:
            answer = client.post("/comprobante/resendemail", json=members)
        return answer.status_code, answer.json()


def settings_of(port: int) -> dict[str, str]:
    return {
        "TIMBRA_SMTP_HOST": "127.0.0.1",
        "TIMBRA_SMTP_PORT": str(port),
        "TIMBRA_SMTP_SECURITY": "none",
        "TIMBRA_SMTP_SENDER": "Facturas <facturas@example.com>",
    }


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    data = tmp_path_factory.mktemp("mail") / "data"
    token = seed(data)
    with (
        mail_server(rejected={"nadie@example.com"}) as mail,
        running(data, token=token, environment=settings_of(mail.port), workers=2) as server,
    ):
        yield Served(server, mail)


def pdf_of(attached: Mapping[str | None, Any], uuid: str) -> bytes:
    """Return the printed document among the attachments of an e-mail: SERIE-FOLIO_RFC_UUID.pdf."""
    [content] = [content for name, content in attached.items() if name and name.endswith(f"_{uuid}.pdf")]
    assert isinstance(content, bytes)
    return content


def test_stamp_sends_one_email_to_each_recipient(tmp_path: Path) -> None:
    data = tmp_path / "data"
    token = seed(data)
    with mail_server() as mail, running(data, token=token, environment=settings_of(mail.port), workers=2) as server:
        answer = Served(server, mail).stamp("10", "ana@example.com, luis@example.com,ana@example.com")
        wait_until(lambda: len(mail.received) == 2)
        with open_container(Settings(data=data)) as container:
            wait_until(lambda: not container.get(operations_services).email_outbox.list_pending())
    uuid = answer["data"]["uuid"]
    assert sorted(to for one in mail.received for to in one.rcpt_tos) == ["ana@example.com", "luis@example.com"]
    for message in mail.messages:
        files = {part.get_filename(): part.get_content() for part in message.iter_attachments()}
        assert files[f"{uuid}.xml"].decode() == answer["data"]["cfdi"]
        assert pdf_of(files, uuid).startswith(b"%PDF")
        assert "sin validez fiscal" in message["Subject"]


def test_resendemail_sends_a_stored_cfdi(served: Served) -> None:
    uuid = served.stamp("11")["data"]["uuid"]
    before = len(served.mail.received)
    status, body = served.resend(uuid=uuid, to="ana@example.com,luis@example.com")
    assert status == 200
    assert body == {"data": "email sent ok", "message": "OK", "messageDetail": "OK", "status": "success"}
    assert len(served.mail.received) == before + 2


def test_retenciones_are_mailed_when_stamped_and_on_request(served: Served) -> None:
    files = {"xml": ("retencion.xml", retencion(served.server.data, "M1"), "text/xml")}
    with served.server.client() as client:
        answer = client.post("/retencion/issue/v4", files=files, headers={"email": "eva@example.com"}).json()
    uuid = answer["data"]["uuid"]
    assert answer["status"] == "success"
    assert served.resend(uuid=uuid, to="ana@example.com")[0] == 200

    def mailed() -> list[EmailMessage]:
        return [message for message in served.mail.messages if str(message["Subject"]).startswith("Retención M1 de ")]

    wait_until(lambda: len(mailed()) == 2)
    for message in mailed():
        attached = {part.get_filename(): part.get_content() for part in message.iter_attachments()}
        assert attached[f"{uuid}.xml"].decode() == answer["data"]["retencion"]
        assert pdf_of(attached, uuid).startswith(b"%PDF")


def test_resendemail_rejects_invalid_requests(served: Served) -> None:
    uuid = served.stamp("12")["data"]["uuid"]
    many = ",".join(f"a{number}@example.com" for number in range(6))
    for members, message in (
        ({"uuid": UNKNOWN, "to": "ana@example.com"}, "No se encuentra registro del timbrado."),
        ({"to": "ana@example.com"}, "No se encuentra registro del timbrado."),
        ({"uuid": uuid}, "TB4005"),
        ({"uuid": uuid, "to": many}, "TB4005"),
        ({"uuid": uuid, "to": "ana@example.com\r\nBcc: eva@example.com"}, "TB4005"),
        ({"uuid": uuid, "to": "nadie@example.com"}, "CO1000"),
    ):
        status, body = served.resend(**members)
        assert (status, body["status"], body["data"]) == (400, "error", None)
        assert body["message"].startswith(message)


def test_email_is_sent_after_a_restart_of_both_servers(tmp_path_factory: pytest.TempPathFactory) -> None:
    data = tmp_path_factory.mktemp("outlives") / "data"
    token, port = seed(data), free_port()
    with running(data, token=token, environment=settings_of(port)) as server:
        uuid = Served(server, MailServer()).stamp("1", "ana@example.com")["data"]["uuid"]
        with open_container(Settings(data=data)) as container:
            outbox = container.get(operations_services).email_outbox
            wait_until(lambda: any(email.reason for email in outbox.list_pending()))
            [email] = outbox.list_pending()
            assert (email.uuid, email.recipient) == (uuid, "ana@example.com")
            outbox.reschedule(email, container.wall.now(), email.reason)
    with mail_server() as mail, running(data, token=token, environment=settings_of(mail.port)):
        wait_until(lambda: len(mail.received) == 1)


def test_email_header_has_a_notice_without_a_mail_server(tmp_path_factory: pytest.TempPathFactory) -> None:
    data = tmp_path_factory.mktemp("without") / "data"
    with running(data, token=seed(data), environment={"TIMBRA_SANDBOX_MAIL": "off"}) as server:
        served = Served(server, MailServer())
        assert list(served.stamp("1", "ana@example.com")) == ["data", "status"]
        warnings = [served.warning]
        assert list(served.stamp("3")) == ["data", "status"]
        assert [*warnings, served.warning] == [MAIL_NOT_CONFIGURED, None]
        assert served.stamp("2", "nadie")["message"] == "El header email no tiene un correo válido (email)."
        status, body = served.resend(uuid=UNKNOWN, to="ana@example.com")
        assert (status, body["message"]) == (400, "No se encuentra registro del timbrado.")
    with open_container(Settings(data=data)) as container:
        assert container.get(operations_services).email_outbox.list_pending() == []


def test_sandbox_without_a_mail_server_keeps_what_it_would_send(tmp_path_factory: pytest.TempPathFactory) -> None:
    data = tmp_path_factory.mktemp("kept") / "data"
    with running(data, token=seed(data)) as server, open_container(Settings(data=data)) as container:
        served = Served(server, MailServer())
        answer = served.stamp("1", "ana@example.com")
        assert "messageDetail" not in answer
        mails = container.get(sandbox_services).mails
        wait_until(lambda: len(mails.newest()) == 1)
        [mail] = mails.newest()
        assert mail.recipient == "ana@example.com"
        assert [file.media_type for file in mails.read(mail.number).attachments] == [
            "application/xml",
            "application/pdf",
        ]
