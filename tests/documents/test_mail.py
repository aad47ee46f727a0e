"""E-mails through an SMTP server on loopback: their content, and the errors when they are not delivered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path
from typing import cast

import pytest
from tests.support.smtp import free_port, mail_server
from tests.support.store_records import record
from tests.support.tls import LOCALHOST, TlsServer, tls_server

from timbra.core.errors import ServiceError
from timbra.core.smtp import Smtp
from timbra.documents.mail.addresses import address, sender
from timbra.documents.mail.message import EmailEnvelope, message

MOST_ATTACHED = 8 * 1024 * 1024

ANA = "ana@example.com"
WRITER = sender("Facturas Ñandú <facturas@example.com>")
ENVELOPE = EmailEnvelope(WRITER, address(ANA))


def written(issuer: str = "ESCUELA KEMPER", **changes: object) -> EmailMessage:
    stored = replace(record(7), **changes)  # type: ignore[arg-type]
    return message(ENVELOPE, stored, issuer, b"%PDF-1.7 ...", fiscal_effect=False)


def send(post: Smtp, recipient: str = ANA) -> None:
    post.send(written(), WRITER.addr_spec, recipient)


def rejection(post: Smtp, recipient: str = ANA) -> ServiceError:
    with pytest.raises(ServiceError) as rejected:
        send(post, recipient)
    return rejected.value


def test_message_has_xml_and_pdf_attached() -> None:
    with mail_server() as server:
        send(Smtp(LOCALHOST, server.port, "none"))

    [sent] = server.messages
    assert sent["To"] == ANA
    assert sent["From"].addresses[0].display_name == "Facturas Ñandú"
    assert sent["Subject"] == "CFDI Ñ 7 de ESCUELA KEMPER (sin validez fiscal)"
    body = sent.get_body()
    assert body is not None
    assert "sin validez fiscal" in body.get_content()
    xml, pdf = sent.iter_attachments()
    assert (xml.get_content_type(), pdf.get_content_type()) == ("application/xml", "application/pdf")
    assert b'Folio="7"' in cast("bytes", xml.get_content())
    assert cast("bytes", pdf.get_content()).startswith(b"%PDF")
    assert [envelope.rcpt_tos for envelope in server.received] == [[ANA]]


def test_message_names_a_retencion() -> None:
    email = written(kind="R", serie="", folio="A7", total="1000.00")
    body = email.get_body()
    assert body is not None
    assert email["Subject"] == "Retención A7 de ESCUELA KEMPER (sin validez fiscal)"
    for text in ("CFDI) de retenciones e información de pagos", "Folio: A7", "Monto total de la operación: 1000.00"):
        assert text in body.get_content()


def test_message_id_is_equal_for_same_cfdi_and_recipient() -> None:
    uuid = "0b9f1c5e-0000-4000-8000-000000000001"
    assert written(uuid=uuid)["Message-ID"] == written(uuid=uuid)["Message-ID"] != written()["Message-ID"]


def test_message_has_no_sandbox_notice_in_production() -> None:
    sent = message(ENVELOPE, record(7), "X", None, fiscal_effect=True)
    assert "sin validez" not in sent.as_string()


@pytest.mark.parametrize(
    "evil", ["X\r\nBcc: eva@example.com", "X\nBcc: eva@example.com", "X\u2028Bcc:\x00 \x85e", "=?x"]
)
def test_message_prevents_header_injection(evil: str) -> None:
    with mail_server() as server:
        Smtp(LOCALHOST, server.port, "none").send(written(evil, serie=evil, folio=evil), WRITER.addr_spec, ANA)

    [sent] = server.messages
    assert sent["Bcc"] is None
    assert sorted(sent.keys()) == sorted(written().keys())


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "x",
        "@",
        "a@",
        "@b",
        "a b@c.mx",
        "a@c.mx\r\nBcc: e@x.mx",
        "a@c.mx>",
        "<a@c.mx",
        "a@b@c.mx",
        "a,b@c.mx",
        "a\x00@c",
    ],
)
def test_address_rejects_malformed_text(wrong: str) -> None:
    with pytest.raises(ValueError, match="not an address"):
        address(wrong)


@pytest.mark.parametrize("wrong", ["", "Facturas", "a@" + "x" * 64 + ".mx", "a@b..mx"])
def test_sender_rejects_malformed_text(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        sender(wrong)


def test_message_zips_large_documents() -> None:
    [packed, _] = written(cfdi=bytes(MOST_ATTACHED + 1)).iter_attachments()
    assert packed.get_content_type() == "application/zip"
    assert len(cast("bytes", packed.get_content())) < MOST_ATTACHED // 100


def test_send_raises_for_rejected_recipient() -> None:
    with mail_server(rejected={ANA}) as server:
        error = rejection(Smtp(LOCALHOST, server.port, "none"))
    assert (error.code, error.detail) == ("mail-refused", "550 5.1.1 no such mailbox")


@pytest.mark.parametrize(
    ("reply", "code"), [("451 later", "mail-down"), ("554 spam", "mail-refused"), ("421 closing", "mail-down")]
)
def test_send_maps_reply_codes(reply: str, code: str) -> None:
    with mail_server(later=[reply]) as server:
        error = rejection(Smtp(LOCALHOST, server.port, "none"))
        assert (error.code, error.retry_after) == (code, None)
        send(Smtp(LOCALHOST, server.port, "none"))
    assert len(server.received) == 1


def test_send_times_out_on_slow_server() -> None:
    with mail_server(silence=3600) as server:
        error = rejection(Smtp(LOCALHOST, server.port, "none", seconds=0.2))
    assert (error.code, error.detail) == ("mail-down", "No hay conexión, o no respondió a tiempo.")
    assert error.retry_after is not None


def test_send_raises_mail_down_without_connection() -> None:
    assert rejection(Smtp(LOCALHOST, free_port(), "none")).code == "mail-down"
    assert rejection(Smtp("no-such-host.invalid", 25, "none", seconds=1)).code == "mail-down"


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> TlsServer:
    return tls_server(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def secured(tls: TlsServer) -> Iterator[tuple[int, Path]]:
    with mail_server(context=tls.context, login=("yo", "clave")) as server:
        yield server.port, tls.authority
        assert server.secured in ([], [True])


def test_send_uses_starttls_and_login(secured: tuple[int, Path]) -> None:
    port, trusted = secured
    send(Smtp(LOCALHOST, port, "starttls", "yo", "clave", authorities=trusted))


def test_send_raises_mail_down_for_wrong_password(secured: tuple[int, Path]) -> None:
    port, trusted = secured
    error = rejection(Smtp(LOCALHOST, port, "starttls", "yo", "secreto", authorities=trusted))
    assert (error.code, error.detail) == ("mail-down", "No acepta el usuario y la contraseña (535).")


def test_send_rejects_certificate_of_unknown_authority(secured: tuple[int, Path]) -> None:
    assert rejection(Smtp(LOCALHOST, secured[0], "starttls", "yo", "clave")).code == "mail-down"


def test_send_sends_nothing_without_starttls() -> None:
    with mail_server() as server:
        assert rejection(Smtp(LOCALHOST, server.port, "starttls", "yo", "clave")).code == "mail-down"
    assert server.received == []


def test_repr_hides_password() -> None:
    assert "clave" not in repr(Smtp(LOCALHOST, 25, "tls", "yo", "clave"))
