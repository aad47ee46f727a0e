"""Commands on a data folder that does not exist, or that they cannot use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.support.data_folder import create_data
from typer.testing import CliRunner, Result

from timbra.cli.main import app

CREATING = {
    "example",
    "explain",
    "account create",
    "account init",
    "demo",
    "dev",
    "mcp",
    "restore",
    "backup restore",
    "sat-emulator",
    "serve",
}
OF_RESULT_FOLDERS = {"bulk status"}
"""Commands that check another folder first."""
UUID = "9d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d11"
VALUES = {
    "number": "1",
    "uuid": UUID,
    "password": "x",
    "seconds": "1",
    "stamps": "1",
    "answer": "accept",
    "role": "reader",
    "out": "new",
    "begin": "2026-12-01T22:00",
    "end": "2026-12-02T02:00",
    "since": "2026-12-01",
}
"""Values of required arguments and options; of the others a file that exists."""
COMMANDS_OF_ONE_OF_SEVERAL_OPTIONS = {
    "lists import": ["--lco", "{file}"],
    "reconcile": ["--ledger"],
    "deliveries requeue": ["--all"],
    "webhook redeliver": ["--all"],
    "outbox requeue": ["--all"],
    "outbox retry": ["--all"],
    "mail retry": ["--all"],
    "explain": ["CFDI40108", "--example", "pass"],
    "example": ["ingreso"],
    "report": ["stamps"],
}


def commands(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each command that has the option `--data`, by its words."""
    for child, below in getattr(command, "commands", {}).items():
        yield from commands(below, f"{name} {child}".strip())
    if any("--data" in getattr(parameter, "opts", ()) for parameter in command.params):
        yield name, command


READING = [
    (name, command)
    for name, command in commands(typer.main.get_command(app))
    if name not in CREATING | OF_RESULT_FOLDERS
]


def arguments_of(name: str, command: Any, file: Path) -> list[str]:
    """Return the words of a run with all required arguments and options, without `--data`."""
    words = [*name.split()]
    for parameter in command.params:
        if parameter.required or parameter.name == "password":
            value = VALUES.get(parameter.name, str(file))
            is_option = parameter.param_type_name == "option"
            words += [parameter.opts[0], value] if is_option else [value]
    return words + [word.format(file=file) for word in COMMANDS_OF_ONE_OF_SEVERAL_OPTIONS.get(name, ())]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("TIMBRA_DATA", raising=False)
    monkeypatch.delenv("TIMBRA_DATABASE_URL", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    return tmp_path / "file"


@pytest.mark.parametrize(("name", "command"), READING, ids=[name for name, _ in READING])
def test_command_names_a_missing_data_folder_and_creates_nothing(
    tmp_path: Path, file: Path, name: str, command: Any
) -> None:
    arguments = [
        word if word != str(file) or name != "csd mint" else "csd" for word in arguments_of(name, command, file)
    ]
    result = CliRunner().invoke(app, [*arguments, "--data", str(tmp_path / "missing")])
    assert result.exit_code == 1, result.output
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith(f"The data folder {tmp_path / 'missing'} does not exist (chosen by --data).")
    assert f"timbra account create USER --data {tmp_path / 'missing'}" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def test_command_names_how_the_folder_was_chosen(tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    default = run("account", "list")
    assert f"{tmp_path / 'home' / 'timbra'} does not exist (the default folder)" in default.stderr
    monkeypatch.setenv("TIMBRA_DATA", str(tmp_path / "chosen"))
    assert "chosen does not exist (chosen by TIMBRA_DATA)" in run("account", "list").stderr
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_command_names_a_folder_without_database(tmp_path: Path, file: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "empty has no database (" in run("account", "list", "--data", str(tmp_path / "empty")).stderr
    assert "file is a file (" in run("account", "list", "--data", str(file)).stderr
    assert list((tmp_path / "empty").iterdir()) == []


def test_account_create_creates_the_default_folder_that_other_commands_use(tmp_path: Path, file: Path) -> None:
    assert file.exists()
    assert run("account", "create", "ana", "--password", "uno").exit_code == 0
    assert run("account", "list").stdout.startswith("ana\t")
    assert (tmp_path / "home" / "timbra" / "timbra.db").is_file()
    assert (tmp_path / "home" / "timbra").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("command", [["account", "create", "ana", "--password", "x"], ["serve"], ["demo"]])
def test_creating_command_names_a_folder_that_it_cannot_create(file: Path, command: list[str]) -> None:
    result = run(*command, "--data", str(file / "data"))
    assert result.exit_code == 1
    assert result.stderr.startswith(f"The data folder {file / 'data'} cannot be created: ")
    assert result.stderr.count("\n") == 1


def test_creating_command_names_a_read_only_folder(tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert file.exists()
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)
    result = run("serve", "--data", str(tmp_path))
    assert (result.exit_code, result.stderr) == (1, f"The data folder {tmp_path} is read-only.\n")


def test_database_url_requires_the_folder_for_the_master_key_only(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = create_data(tmp_path / "elsewhere") / "timbra.db"
    monkeypatch.setenv("TIMBRA_DATABASE_URL", f"sqlite:///{database}")
    missing = ("account", "list", "--data", str(tmp_path / "missing"))
    assert "does not exist" in run(*missing).stderr
    monkeypatch.setenv("TIMBRA_MASTER_KEY", "A" * 43 + "=")
    assert run(*missing).exit_code == 0
    assert file.exists()
