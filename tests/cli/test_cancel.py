"""`timbra cancel`, `timbra sandbox script`, `answer` and `history` on a folder with stamps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.sandbox_shell import Shell
from tests.support.cancelling import ISSUER, RECEIVER, CancelDesk

UNKNOWN = "9d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d11"
RECEIVED = "Solicitud de cancelación recibida."


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> CancelDesk:
    desk = CancelDesk(tmp_path_factory.mktemp("template") / "data")
    desk.house.close()
    return desk


@pytest.fixture
def desk(template: CancelDesk, tmp_path: Path) -> Iterator[CancelDesk]:
    desk = template.copied(tmp_path / "data")
    yield desk
    desk.house.close()


class CancelShell(Shell):
    """With the command that stands at the top."""

    def cancel(self, *words: str) -> list[list[str]]:
        return self.lines("cancel", *words, "--account", "ana@example.com")


@pytest.fixture
def shell(desk: CancelDesk) -> CancelShell:
    return CancelShell(desk.house.settings.data)


def test_a_cfdi_is_cancelled_by_its_uuid(desk: CancelDesk, shell: CancelShell) -> None:
    uuid = desk.invoice()
    told, acuse = shell.cancel(uuid)
    assert told == [uuid.upper(), "201", RECEIVED]
    assert acuse[0].startswith('<?xml version="1.0" encoding="utf-8"?><Acuse ')
    assert desk.state(uuid)[0] == "Cancelado"
    [again, _] = shell.cancel(uuid.upper(), "--rfc", ISSUER)
    assert again[1] == "202"


def test_a_substitution_with_its_acuse_in_a_file(desk: CancelDesk, shell: CancelShell, tmp_path: Path) -> None:
    wrong = desk.invoice()
    right, file = desk.invoice(relation="04", to=wrong), tmp_path / "acuse.xml"
    told = shell.cancel(wrong, "--motivo", "01", "--substitute", right, "--acuse", str(file))
    assert told == [[wrong.upper(), "201", RECEIVED]]
    assert file.read_text("utf-8").startswith("<?xml")


def test_what_cannot_be_asked_is_refused_in_one_line(desk: CancelDesk, shell: CancelShell) -> None:
    uuid = desk.invoice()
    account = ("--account", "ana@example.com")
    assert "--rfc" in shell.refusal("cancel", UNKNOWN, *account)
    assert "--rfc" in shell.refusal("cancel", "x", *account)
    assert "CR1310" in shell.refusal("cancel", uuid, "--motivo", "09", *account)
    assert "motivo 01" in shell.refusal("cancel", uuid, "--motivo", "01", *account)
    assert shell.refusal("cancel", uuid, "--account", "nobody@example.com")


def test_scripted_receivers(desk: CancelDesk, shell: CancelShell) -> None:
    assert shell.lines("sandbox", "script", "list") == []
    row = [RECEIVER, "accept", "172800"]
    assert shell.lines("sandbox", "script", "set", RECEIVER.lower(), "accept", "--after", "2d") == [row]
    assert shell.lines("sandbox", "script", "list") == [row]
    uuid = desk.old_invoice()
    desk.cancel(uuid)
    desk.advance("2d")
    assert desk.state(uuid)[2] == "Cancelado con aceptación"
    assert shell.lines("sandbox", "script", "set", RECEIVER, "silence") == []
    shell.lines("sandbox", "script", "set", RECEIVER, "reject")
    shell.lines("sandbox", "script", "clear")
    assert shell.lines("sandbox", "script", "list") == []
    assert shell.refusal("sandbox", "script", "set", "X", "accept")
    assert shell.refusal("sandbox", "script", "set", RECEIVER, "accept", "--after", "soon")


def test_an_answer_in_the_receivers_place_and_what_became_of_it(desk: CancelDesk, shell: CancelShell) -> None:
    uuid = desk.old_invoice()
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
    assert shell.refusal("sandbox", "history", UNKNOWN)
    assert shell.refusal("sandbox", "answer", UNKNOWN, "accept")
