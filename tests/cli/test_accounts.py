"""`timbra account`, `token`, `csd add` and `vault rotate` on a data folder of their own."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
import typer
from tests.accounts.support import KEY_PASSWORD, key_file
from tests.seals.support import minted
from typer.testing import CliRunner, Result

from timbra.cli import account, token, vault
from timbra.settings import Settings
from timbra.wiring import open_house

RUNNER = CliRunner()
NUMBER = "30001000000500009999"

csd = typer.Typer()
csd.command("add")(vault.add)
csd.callback()(lambda: None)


class Shell:
    """Commands on one data folder."""

    def __init__(self, data: Path) -> None:
        self.data = data

    def run(self, app: typer.Typer, *words: str, given: str | None = None) -> Result:
        return RUNNER.invoke(app, [*words, "--data", str(self.data)], input=given)

    def output(self, app: typer.Typer, *words: str, given: str | None = None) -> str:
        result = self.run(app, *words, given=given)
        assert result.exit_code == 0, result.output
        return result.stdout

    def refusal(self, app: typer.Typer, *words: str) -> str:
        result = self.run(app, *words)
        assert result.exit_code == 1
        assert result.stdout == ""
        assert "Traceback" not in result.stderr
        return result.stderr

    def user_of(self, token: str) -> str:
        with open_house(Settings(data=self.data)) as house:
            return house.accounts.caller(f"Bearer {token.strip()}").user


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    for name in ("TIMBRA_DATA", "TIMBRA_CONFIG", "TIMBRA_MASTER_KEY", "TIMBRA_DATABASE_URL", "TIMBRA_ENVIRONMENT"):
        monkeypatch.delenv(name, raising=False)
    return Shell(tmp_path / "data")


def test_accounts_are_made_listed_and_closed(shell: Shell) -> None:
    assert shell.output(account.app, "create", "Ana@x.mx", "--password", "uno") == "Ana@x.mx (account)\n"
    assert (
        shell.output(account.app, "create", "jefe", "--password", "dos", "--administrator") == "jefe (administrator)\n"
    )
    shell.output(account.app, "disable", "ANA@X.MX")
    rows = [line.split("\t")[:3] for line in shell.output(account.app, "list").splitlines()]
    assert rows == [["Ana@x.mx", "account", "disabled"], ["jefe", "administrator", "active"]]
    shell.output(account.app, "enable", "ana@x.mx")
    assert "disabled" not in shell.output(account.app, "list")


def test_a_password_is_asked_for_and_not_echoed(shell: Shell) -> None:
    output = shell.output(account.app, "create", "ana", given="secretísima\n")
    assert output.endswith("ana (account)\n")
    assert "secretísima" not in output


def test_refusals_are_one_line_on_the_error_stream(shell: Shell) -> None:
    shell.output(account.app, "create", "ana", "--password", "uno")
    assert "ya existe" in shell.refusal(account.app, "create", "ANA", "--password", "uno")
    assert "no existe" in shell.refusal(account.app, "password", "luis", "--password", "x").lower()
    assert "no existe" in shell.refusal(token.app, "create", "luis").lower()
    assert "3 partes" in shell.refusal(token.app, "revoke", "a.b")
    assert "identificador" in shell.refusal(token.app, "revoke", "0" * 32)


def test_a_session_token_is_printed_alone_and_ends_with_its_password(shell: Shell) -> None:
    shell.output(account.app, "create", "ana", "--password", "uno")
    made = shell.output(token.app, "create", "ana")
    assert made.count("\n") == 1
    assert made.count(".") == 2
    assert shell.user_of(made) == "ana"
    infinite = shell.output(token.app, "create", "ana", "--infinite", "--label", "facturación")
    shell.output(account.app, "password", "ana", "--password", "dos")
    with pytest.raises(Exception, match="AU4000"):
        shell.user_of(made)
    assert shell.user_of(infinite) == "ana"


@pytest.mark.parametrize("by_id", [True, False])
def test_infinite_tokens_are_listed_and_revoked(shell: Shell, by_id: bool) -> None:
    shell.output(account.app, "create", "ana", "--password", "uno")
    made = shell.output(token.app, "create", "ana", "--infinite", "--label", "facturación").strip()
    [line] = shell.output(token.app, "list", "ana").splitlines()
    assert line.split("\t")[1::2] == ["ana", "facturación"]
    assert made not in line
    shell.output(token.app, "revoke", line.split("\t")[0] if by_id else made)
    assert shell.output(token.app, "list") == ""
    with pytest.raises(Exception, match="AU4000"):
        shell.user_of(made)


def test_stamps_are_given_and_taken(shell: Shell) -> None:
    shell.output(account.app, "create", "ana", "--password", "uno")
    shell.output(account.app, "create", "luis", "--password", "uno")
    assert shell.output(account.app, "balance", "show", "ANA") == "ana\tunlimited\t0\t0\n"
    shell.output(account.app, "balance", "limited", "ana")
    assert shell.output(account.app, "balance", "add", "ana", "10", "--comment", "Compra 1") == "10\n"
    assert shell.output(account.app, "balance", "remove", "ana", "4") == "6\n"
    assert "Quedan 6 timbres" in shell.refusal(account.app, "balance", "remove", "ana", "7")
    assert "no existe" in shell.refusal(account.app, "balance", "add", "nadie", "1").lower()
    assert shell.output(account.app, "balance", "list") == "ana\t6\t6\t0\nluis\tunlimited\t0\t0\n"
    rows = [line.split("\t") for line in shell.output(account.app, "balance", "movements", "ana").splitlines()]
    assert [[row[0], *row[2:]] for row in rows] == [["2", "0", "4", "6", ""], ["1", "10", "0", "10", "Compra 1"]]
    shell.output(account.app, "balance", "unlimited", "ana")
    assert shell.output(account.app, "balance", "show", "ana") == "ana\tunlimited\t6\t0\n"


@pytest.mark.parametrize("stamps", ["0", "1.5", "diez"])
def test_only_whole_stamps_move(shell: Shell, stamps: str) -> None:
    shell.output(account.app, "create", "ana", "--password", "uno")
    assert shell.run(account.app, "balance", "add", "ana", stamps).exit_code == 2
    assert shell.output(account.app, "balance", "add", "ana", "1") == "1\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "sello.cer").write_bytes(minted())
    (tmp_path / "sello.key").write_bytes(key_file())
    return str(tmp_path / "sello.cer"), str(tmp_path / "sello.key")


def test_a_csd_is_stored(shell: Shell, files: tuple[str, str]) -> None:
    shell.output(account.app, "create", "ana", "--password", "uno")
    words = ("add", "--account", "ANA", "--cer", files[0], "--key", files[1], "--password")
    assert shell.output(csd, *words, KEY_PASSWORD) == f"{NUMBER}\tEKU9003173C9\tESCUELA KEMPER URGATE\n"
    assert "contraseña" in shell.refusal(csd, *words, "otra")
    with open_house(Settings(data=shell.data)) as house:
        assert house.vault.one(1, NUMBER).active


def test_a_missing_file_is_told_by_its_option(shell: Shell, files: tuple[str, str]) -> None:
    result = shell.run(csd, "add", "--account", "ana", "--cer", "no-hay.cer", "--key", files[1], "--password", "x")
    assert result.exit_code == 2
    assert "--cer" in result.stderr


def test_rotation_under_the_same_master_key_changes_nothing(shell: Shell, files: tuple[str, str]) -> None:
    shell.output(account.app, "create", "ana", "--password", "uno")
    shell.output(csd, "add", "--account", "ana", "--cer", files[0], "--key", files[1], "--password", KEY_PASSWORD)
    assert shell.output(vault.app, "rotate") == "0\n"


def test_another_master_key_is_told_as_such(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.output(account.app, "create", "ana", "--password", "uno")
    monkeypatch.setenv("TIMBRA_MASTER_KEY", base64.b64encode(bytes(32)).decode())
    assert "llave maestra" in shell.refusal(token.app, "create", "ana")
