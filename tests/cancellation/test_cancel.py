"""`timbra cancel`, `timbra sandbox script`, `answer` and `history` on a folder with stamps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.cancellation_app import ISSUER, RECEIVER, CancellationApp
from tests.support.sandbox_shell import APP, SandboxShell
from typer.testing import CliRunner

from timbra import examples
from timbra.delivery.ports import authority_work
from timbra.stamping.models import DocumentKind

UNKNOWN = "9d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d11"
RECEIVED = "Solicitud de cancelación recibida."


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> CancellationApp:
    sandbox_app = CancellationApp(tmp_path_factory.mktemp("template") / "data")
    sandbox_app.container.close()
    return sandbox_app


@pytest.fixture
def sandbox_app(template: CancellationApp, tmp_path: Path) -> Iterator[CancellationApp]:
    sandbox_app = template.copied(tmp_path / "data")
    yield sandbox_app
    sandbox_app.container.close()


class CancelShell(SandboxShell):
    """Also runs `timbra cancel` for the account of the fixture."""

    def cancel(self, *arguments: str) -> list[list[str]]:
        return self.lines("cancel", *arguments, "--account", "ana@example.com")


@pytest.fixture
def shell(sandbox_app: CancellationApp) -> CancelShell:
    return CancelShell(sandbox_app.container.settings.data)


def test_cancel_cancels_a_cfdi_by_uuid(sandbox_app: CancellationApp, shell: CancelShell) -> None:
    uuid = sandbox_app.invoice()
    row, acuse = shell.cancel(uuid, "--show")
    assert row == [uuid.upper(), "201", RECEIVED]
    assert acuse[0].startswith('<?xml version="1.0" encoding="utf-8"?><Acuse ')
    assert sandbox_app.state(uuid)[0] == "Cancelado"
    [again, _] = shell.cancel(uuid.upper(), "--rfc", ISSUER, "--show")
    assert again[1] == "202"


def test_cancel_cancels_a_retencion_by_uuid(sandbox_app: CancellationApp, shell: CancelShell) -> None:
    text = examples.retencion(fecha=sandbox_app.fecha)
    uuid = sandbox_app.issue(text.encode(), kind=DocumentKind.RETENCIONES).uuid
    sandbox_app.container.get(authority_work).deliver()
    row, _ = shell.cancel(uuid, "--show")
    assert row[:2] == [uuid.upper(), "1201"]
    [again, _] = shell.cancel(uuid, "--rfc", ISSUER, "--show")
    assert again[1] == "1202"


def test_cancel_names_the_ways_to_the_acuse(sandbox_app: CancellationApp, shell: CancelShell) -> None:
    uuid = sandbox_app.invoice()
    result = shell.run("cancel", uuid, "--account", "ana@example.com")
    assert result.exit_code == 0
    assert result.stdout.split("\t")[:2] == [uuid.upper(), "201"]
    assert result.stdout.count("\n") == 1
    assert all(text in result.stderr for text in ("--out", "--show", uuid))


@pytest.mark.parametrize("option", ["--acuse", "--out"])
def test_cancel_prints_the_acuse_when_its_file_cannot_be_written(
    sandbox_app: CancellationApp, shell: CancelShell, tmp_path: Path, option: str
) -> None:
    file = tmp_path / "missing" / "acuse.xml"
    result = shell.run("cancel", sandbox_app.invoice(), "--account", "ana@example.com", option, str(file))
    assert result.exit_code == 1
    assert str(file) in result.stderr
    assert "<Acuse " in result.stdout


def test_cancel_writes_the_acuse_of_a_substitution_to_a_file(
    sandbox_app: CancellationApp, shell: CancelShell, tmp_path: Path
) -> None:
    wrong = sandbox_app.invoice()
    right, file = sandbox_app.invoice(relation="04", to=wrong), tmp_path / "acuse.xml"
    row = shell.cancel(wrong, "--motivo", "01", "--substitute", right, "--out", str(file))
    assert row == [[wrong.upper(), "201", RECEIVED]]
    assert file.read_text("utf-8").startswith("<?xml")


def test_cancel_prints_invalid_requests_in_one_line(sandbox_app: CancellationApp, shell: CancelShell) -> None:
    uuid = sandbox_app.invoice()
    account = ("--account", "ana@example.com")
    assert "--rfc" in shell.rejection("cancel", UNKNOWN, *account)
    assert "CR1310" in shell.rejection("cancel", uuid, "--motivo", "09", *account)
    assert "motivo 01" in shell.rejection("cancel", uuid, "--motivo", "01", *account)
    assert shell.rejection("cancel", uuid, "--account", "unknown@example.com")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [(["not-a-uuid"], "not-a-uuid"), ([UNKNOWN, "--motivo", "01", "--substitute", f"{UNKNOWN}0"], f"{UNKNOWN}0")],
)
def test_cancel_rejects_text_that_is_no_uuid_before_it_opens_the_data_folder(
    tmp_path: Path, arguments: list[str], text: str
) -> None:
    missing = str(tmp_path / "missing")
    result = CliRunner().invoke(APP, ["cancel", *arguments, "--account", "ana", "--data", missing])
    assert result.exit_code == 1
    assert result.stderr.startswith(f"{text} is not a UUID")
    assert result.stderr.count("\n") == 1


def test_sandbox_script_sets_lists_and_clears_automatic_answers(
    sandbox_app: CancellationApp, shell: CancelShell
) -> None:
    assert shell.lines("sandbox", "script", "list") == []
    row = [RECEIVER, "accept", "172800"]
    assert shell.lines("sandbox", "script", "set", RECEIVER.lower(), "accept", "--after", "2d") == [row]
    assert shell.lines("sandbox", "script", "list") == [row]
    uuid = sandbox_app.old_invoice()
    sandbox_app.cancel(uuid)
    sandbox_app.advance("2d")
    assert sandbox_app.state(uuid)[2] == "Cancelado con aceptación"
    assert shell.lines("sandbox", "script", "set", RECEIVER, "silence") == []
    shell.lines("sandbox", "script", "set", RECEIVER, "reject")
    shell.lines("sandbox", "script", "clear")
    assert shell.lines("sandbox", "script", "list") == []
    assert shell.rejection("sandbox", "script", "set", "X", "accept")
    assert shell.rejection("sandbox", "script", "set", RECEIVER, "accept", "--after", "soon")


def test_sandbox_answer_and_history_show_a_rejected_request(sandbox_app: CancellationApp, shell: CancelShell) -> None:
    uuid = sandbox_app.old_invoice()
    assert shell.lines("sandbox", "answer", uuid, "reject") == [[uuid.upper(), "1001", "Nada espera esa respuesta."]]
    shell.cancel(uuid, "--motivo", "01", "--substitute", UNKNOWN)
    shell.cancel(uuid)
    assert shell.lines("sandbox", "answer", uuid.upper(), "reject") == [
        [uuid.upper(), "1000", "Se recibió la respuesta."]
    ]
    at = "2026-11-20T12:00:00"
    *first, reason = shell.lines("sandbox", "history", uuid)[0]
    assert (first, "FolioSustitucion" in reason) == ([at, "ineffective", "", "", "01"], True)
    assert shell.lines("sandbox", "history", uuid)[1:] == [
        [at, "requested", "Vigente", "Vigente / En proceso", "02", ""],
        [at, "rejected", "Vigente / En proceso", "Vigente / Solicitud rechazada", "", ""],
    ]
    assert shell.rejection("sandbox", "history", UNKNOWN)
    assert shell.rejection("sandbox", "answer", UNKNOWN, "accept")
