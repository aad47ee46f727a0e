"""`timbra sandbox reset` and `timbra sandbox state`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.sandbox_shell import SandboxShell

from timbra.accounts.build import account_services
from timbra.rules.reference.messages import MESSAGES

USER = "ana@example.com"
STORAGE = MESSAGES["state-storage"]


@pytest.fixture
def shell(tmp_path: Path) -> SandboxShell:
    return SandboxShell(tmp_path / "data")


def test_reset_prints_what_it_removed(shell: SandboxShell) -> None:
    shell.lines("sandbox", "fault", "set", "list-late")
    assert shell.lines("sandbox", "reset") == [["Removed: 0 stamps, 0 CFDI of the ledger, 0 rejections"]]
    assert shell.lines("sandbox", "fault", "list") == []


def test_reset_with_accounts_keeps_administrators(shell: SandboxShell) -> None:
    container = shell.container()
    accounts = container.get(account_services).accounts
    accounts.create(USER, "una contraseña larga")
    accounts.create("root@example.com", "una contraseña larga", "administrator")
    container.close()
    assert shell.lines("sandbox", "reset", "--accounts")[1] == ["Removed: 1 accounts"]
    container = shell.container()
    assert [account.user for account in container.get(account_services).accounts.list_accounts()] == [
        "root@example.com"
    ]
    container.close()


def test_reset_of_an_account_keeps_the_others_and_asks(shell: SandboxShell) -> None:
    container = shell.container()
    container.get(account_services).accounts.create(USER, "una contraseña larga")
    container.close()

    assert shell.run("sandbox", "reset", "--account", USER, input="n\n").exit_code == 1
    answered = shell.run("sandbox", "reset", "--account", USER, input="y\n")
    assert "Removed: 0 stamps, 0 CFDI of the ledger, 0 rejections, 0 calls" in answered.output
    removed = [["Removed: 0 stamps, 0 CFDI of the ledger, 0 rejections, 0 calls"]]
    assert shell.lines("sandbox", "reset", "--account", USER, "--yes") == removed
    assert shell.run("sandbox", "reset", "--account", "nadie@example.com", "--yes").exit_code == 1
    assert shell.run("sandbox", "reset", "--account", USER, "--accounts").exit_code == 2


def test_state_save_and_load(shell: SandboxShell, tmp_path: Path) -> None:
    file = tmp_path / "sandbox.state"
    shell.lines("sandbox", "clock", "set", "2026-11-18T12:00:00")
    [[saved]] = shell.lines("sandbox", "state", "save", str(file))
    assert saved.startswith("Saved: ")
    assert file.stat().st_mode & 0o777 == 0o600
    shell.lines("sandbox", "reset")
    [[restored]] = shell.lines("sandbox", "state", "load", str(file))
    assert restored.startswith("Restored: ")
    assert shell.lines("sandbox", "clock", "show") == [["2026-11-18T12:00:00", "fixed"]]
    shell.lines("sandbox", "state", "save", str(file))
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".part")] == []


def test_state_load_reports_a_missing_file(shell: SandboxShell, tmp_path: Path) -> None:
    message = shell.rejection("sandbox", "state", "load", str(tmp_path / "missing"))
    assert message == f"{STORAGE} No such file or directory: {tmp_path / 'missing'}"


def test_state_load_rejects_another_file(shell: SandboxShell, tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<xml/>")
    assert shell.rejection("sandbox", "state", "load", str(tmp_path / "a.xml")).startswith(MESSAGES["state-damaged"])


def test_state_save_reports_a_missing_folder(shell: SandboxShell, tmp_path: Path) -> None:
    message = shell.rejection("sandbox", "state", "save", str(tmp_path / "missing" / "file"))
    assert message.startswith(f"{STORAGE} No such file or directory: ")
