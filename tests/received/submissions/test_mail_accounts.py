"""MailAccounts: messages are read once, in their order, and nothing is lost when a process ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from email.message import EmailMessage

import pytest
from tests.received.submissions.conftest import archive
from tests.received.submissions.test_intake import stored
from tests.support.imap import CREDENTIALS, ImapServer, imap_server
from tests.support.sandbox_app import SandboxApp
from tests.support.tls import TlsServer
from typer.testing import CliRunner

from timbra.cli.main import app as command
from timbra.core.errors import ServiceError
from timbra.documents.build import document_services
from timbra.received.submissions.build import mail_accounts
from timbra.received.submissions.imap import message_of
from timbra.received.submissions.mail_accounts import MailAccounts
from timbra.received.submissions.models import MailAccount
from timbra.received.submissions.store import MailAccountRepository

SENDER = "proveedor@example.com"


def message(*attachments: tuple[str, bytes, str], sender: str = f"Proveedor <{SENDER}>") -> bytes:
    made = EmailMessage()
    made["From"], made["Subject"] = sender, "Facturas de noviembre"
    made.set_content("Adjunto.")
    for name, content, kind in attachments:
        main, _, sub = kind.partition("/")
        made.add_attachment(content, maintype=main, subtype=sub, filename=name)
    return made.as_bytes().replace(b"\n", b"\r\n")


@pytest.fixture
def server(tls: TlsServer) -> Iterator[ImapServer]:
    with imap_server(tls.context) as started:
        yield started


@pytest.fixture
def service(app: SandboxApp, server: ImapServer) -> Iterator[MailAccounts]:
    """The mail accounts of the sandbox, with one of `server`."""
    built = app.container.get(mail_accounts)
    built.save(app.caller.account_id, "127.0.0.1", server.port, CREDENTIALS[0], "INBOX", CREDENTIALS[1])
    yield built
    built.remove(app.caller.account_id, "127.0.0.1", CREDENTIALS[0], "INBOX")


def only(service: MailAccounts) -> MailAccount:
    [found] = service.of_account()
    return found


def test_messages_are_read_once_and_rejections_are_told(
    app: SandboxApp, service: MailAccounts, server: ImapServer, documents: dict[str, bytes]
) -> None:
    printed = app.container.get(document_services).printing.print(documents["dos.xml"]).pdf
    server.messages = {
        3: message(("logo.png", b"\x89PNG", "image/png")),
        5: message(
            ("uno.xml", documents["uno.xml"], "application/octet-stream"), ("b.pdf", printed, "application/pdf")
        ),
        8: message(("z.zip", archive({"otro.xml": documents["otro.xml"]}), "application/zip")),
    }
    read = service.read(only(service))

    assert [[arrival.word for arrival in each.arrivals] for each in read] == [[], ["new", "new"], ["rejected"]]
    assert [(each.source, each.origin) for each in stored(app)] == [("mail", SENDER)] * 2
    assert server.fetched() == [3, 5, 8]
    assert service.read(only(service)) == []
    server.messages[9] = message(("uno.xml", documents["uno.xml"], "text/xml"))
    assert [each.arrivals[0].word for each in service.read(only(service))] == ["known"]
    assert server.fetched() == [3, 5, 8, 9]
    assert not [each for each in server.commands if "STORE" in each or "EXPUNGE" in each]
    newest = service.submissions.newest(app.caller.account_id, 2)
    assert [(each.stored, each.known, each.rejected) for each in newest] == [(0, 1, 0), (0, 0, 1)]
    assert "El receptor del comprobante" in newest[1].files[0]["reasons"][0]["text"]


def test_message_is_read_again_when_the_process_ended_before_it_was_remembered(
    app: SandboxApp,
    service: MailAccounts,
    server: ImapServer,
    documents: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server.messages = {1: message(("uno.xml", documents["uno.xml"], "text/xml"))}

    def end(*_: object) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(MailAccountRepository, "advance", end)
        with pytest.raises(KeyboardInterrupt):
            service.read(only(service))
    [again] = service.read(only(service))
    assert (again.arrivals[0].word, len(stored(app))) == ("known", 1)
    assert service.read(only(service)) == []


def test_another_process_that_was_faster_is_noticed(service: MailAccounts, server: ImapServer) -> None:
    server.messages = {1: message(), 2: message()}
    stale = only(service)
    assert len(service.read(only(service))) == 2
    assert service.read(stale) == []


def test_folder_with_another_uid_validity_is_read_from_its_beginning(service: MailAccounts, server: ImapServer) -> None:
    server.messages = {4: message()}
    assert [each.message.uid for each in service.read(only(service))] == [4]
    server.messages, server.uid_validity = {1: message(), 2: message()}, 8
    assert [each.message.uid for each in service.read(only(service))] == [1, 2]


def test_large_message_is_not_fetched(service: MailAccounts, server: ImapServer) -> None:
    server.messages, server.announced = {1: message(), 2: message()}, {1: 40 * 1024 * 1024 + 1}
    first, second = service.read(only(service))
    assert "el límite es de 40 MiB" in first.arrivals[0].reasons[0].text
    assert (second.arrivals, server.fetched()) == ((), [2])


def test_problem_of_a_mail_account_is_told(app: SandboxApp, service: MailAccounts, server: ImapServer) -> None:
    account = app.caller.account_id
    for folder, password in (("missing", CREDENTIALS[1]), ("INBOX", "otra")):
        with pytest.raises(ServiceError, match="mail-down"):
            service.save(account, "127.0.0.1", server.port, CREDENTIALS[0], folder, password)
    with pytest.raises(ServiceError, match="TB4005"):
        service.save(account, "127.0.0.1", server.port, CREDENTIALS[0], 'a" b', CREDENTIALS[1])
    server.uid_validity = -1
    server.messages = {1: b""}
    mail_account = only(service)
    unreachable = replace(mail_account, port=1)
    with pytest.raises(ServiceError, match="mail-down"):
        service.read(unreachable)
    assert "127.0.0.1" in service.repository.problems()[0]
    service.read(only(service))
    assert service.repository.problems() == []


def test_command_stores_reads_and_removes(
    app: SandboxApp, server: ImapServer, tls: TlsServer, documents: dict[str, bytes]
) -> None:
    server.messages = {1: message(("otro.xml", documents["otro.xml"], "text/xml"))}
    data, runner = str(app.container.settings.data), CliRunner(env={"TIMBRA_RECEIVED_MAIL_CA": str(tls.authority)})
    account = ["--account", "ana@example.com", "--data", data]
    place = ["--host", "127.0.0.1", "--user", CREDENTIALS[0], "--port", str(server.port)]
    assert (
        runner.invoke(command, ["received", "mail-account", *account, *place, "--password", CREDENTIALS[1]]).exit_code
        == 0
    )
    answer = runner.invoke(command, ["received", "mail", *account])
    assert (answer.exit_code, answer.stdout) == (1, f"{SENDER}\tFacturas de noviembre\t0\t0\t1\n")
    assert answer.stderr.startswith("otro.xml: El receptor")
    assert runner.invoke(command, ["received", "mail-account", *account, *place, "--remove"]).exit_code == 0
    assert runner.invoke(command, ["received", "mail-account", *account, *place, "--remove"]).exit_code == 1


def test_server_without_plain_authentication_gets_a_login(app: SandboxApp, server: ImapServer) -> None:
    server.has_plain = False
    service = app.container.get(mail_accounts)
    place = (app.caller.account_id, "127.0.0.1", server.port, CREDENTIALS[0], "Facturación & más")
    service.save(*place, "clave")
    service.remove(*place[:2], *place[3:])
    assert server.commands == ['EXAMINE "Facturaci&APM-n &- m&AOE-s"']


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"From: =?x-unknown?q?a?= <a@example.com>\r\nSubject: =?utf-8?b?!?=\r\n\r\n", ""),
        (b"\xff\xfe\x00", ""),
        (b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + b"--b\r\n\r\nx\r\n" * 300, "más de 200 partes"),
        (
            b"".join(
                b'Content-Type: multipart/mixed; boundary="%d"\r\n\r\n--%d\r\n' % (level, level)
                for level in range(3000)
            ),
            "no se puede leer",
        ),
    ],
)
def test_message_of_hostile_bytes_has_no_documents(content: bytes, problem: str) -> None:
    found = message_of(1, content)
    assert found.attachments == ()
    assert (problem in found.problem) if problem else (found.problem == "")
