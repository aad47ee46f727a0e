"""The root of the command tree: versions, groups of the help, shell completion."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import timbra._native
import timbra._rsa8
from timbra._native import NativeState
from timbra.cli import main
from timbra.snapshot import locate, open_snapshot

PANELS = ["Start here", "Stamp", "Validate", "Operate", "Sandbox"]
SLOW_MODULES = {
    "attr", "httpx2", "lxml", "markdown_it", "pydantic", "pygments", "rich.traceback", "sqlalchemy", "starlette",
    "uvicorn",
}  # fmt: skip


@pytest.mark.parametrize(
    ("state", "line"),
    [
        (NativeState(active=True), "native code"),
        (NativeState(active=False, reason="TIMBRA_NATIVE is 0"), "no native code: TIMBRA_NATIVE is 0"),
    ],
)
def test_version_prints_package_data_python_and_native_code(
    state: NativeState, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timbra._native, "STATE", state)
    monkeypatch.setattr(timbra._rsa8, "load_batches", lambda: (None, state.reason))
    result = CliRunner().invoke(main.app, ["--version"])
    assert result.exit_code == 0
    assert result.output.splitlines() == [
        f"timbra {version('timbra')}",
        f"SAT data {open_snapshot(locate(None)).version}",
        f"Python {platform.python_version()}",
        line,
        f"no batched signatures: {state.reason}" if state.reason else "batched signatures",
    ]


@pytest.mark.parametrize(("content", "state"), [(None, "not installed"), ("{", "damaged")])
def test_version_says_that_the_data_is_missing_or_damaged(tmp_path: Path, content: str | None, state: str) -> None:
    if content is not None:
        (tmp_path / "manifest.json").write_text(content)
    result = CliRunner().invoke(main.app, ["--version"], env={"TIMBRA_SNAPSHOT": str(tmp_path)})
    assert result.exit_code == 0
    assert f"SAT data {state}\n" in result.output


def test_every_command_is_in_a_panel_of_the_help() -> None:
    command: Any = typer.main.get_command(main.app)
    panels = {name: child.rich_help_panel for name, child in command.commands.items()}
    assert {name for name, panel in panels.items() if panel not in PANELS} == set()
    assert list(dict.fromkeys(panels.values())) == PANELS


def completed(words: str, index: int) -> list[str]:
    """Return the completions that bash would get."""
    environment = {"_TIMBRA_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(index)}
    program = "import sys; sys.argv = ['timbra']; from timbra.cli.main import run; run()"
    finished = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert finished.stderr == ""
    return finished.stdout.split()


@pytest.mark.parametrize(
    ("words", "index", "expected"),
    [("timbra st", 1, ["stamp"]), ("timbra sandbox clock re", 3, ["reset"]), ("timbra --lang es st", 3, ["stamp"])],
)
def test_completion_lists_commands(words: str, index: int, expected: list[str]) -> None:
    assert completed(words, index) == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "pwsh"])
def test_show_completion_prints_a_script(monkeypatch: pytest.MonkeyPatch, shell: str) -> None:
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    result = CliRunner().invoke(main.app, ["--show-completion", shell], prog_name="timbra")
    assert result.exit_code == 0
    assert "_TIMBRA_COMPLETE" in result.output


@pytest.mark.parametrize(
    ("arguments", "commands", "groups"),
    [
        (["serve", "--port", "0"], ["serve"], []),
        (["--lang", "es", "serve"], ["serve"], []),
        (["sat-emulator", "--help"], ["sat_emulator"], []),
        (["account", "add"], [], ["account"]),
    ],
)
def test_narrowed_keeps_the_named_command_only(arguments: list[str], commands: list[str], groups: list[str]) -> None:
    tree = main.narrowed(arguments, {})
    assert [each.callback.__name__ for each in tree.registered_commands if each.callback] == commands
    assert [each.name for each in tree.registered_groups] == groups
    assert len(main.app.registered_commands) > 1


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        ([], {}),
        (["--help"], {}),
        (["server"], {}),
        (["--version", "serve"], {}),
        (["serve"], {"_TIMBRA_COMPLETE": "x"}),
    ],
)
def test_narrowed_returns_the_whole_tree(arguments: list[str], environment: dict[str, str]) -> None:
    assert main.narrowed(arguments, environment) is main.app


def test_help_imports_no_slow_module() -> None:
    program = "import sys; from timbra.cli.main import app; app(['--help'], standalone_mode=False); print(*sys.modules)"
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert SLOW_MODULES & set(finished.stdout.splitlines()[-1].split()) == set()
