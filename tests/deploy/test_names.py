"""Settings, commands, options and paths in the deployment files exist in the code."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest
import typer
from tests.deploy.files import command_of_image, texts

from timbra.app.operation_table import OPERATIONS
from timbra.cli.main import app
from timbra.settings import Settings
from timbra.web.framework.router import Router

VARIABLES = ("TIMBRA_DEV_USER", "TIMBRA_DEV_PASSWORD", "TIMBRA_DEV_TOKEN")

TEXTS = dict(texts())
NO_SETTINGS = {"TIMBRA_CONFIG", "TIMBRA_NATIVE", "TIMBRA_BUILD_NATIVE", "TIMBRA_TEST_URL", "TIMBRA_TEST_TOKEN"}
"""Variables that are read before the settings, or by the build."""
SETTINGS = {f"TIMBRA_{name.upper()}" for name in Settings.model_fields} | NO_SETTINGS | set(VARIABLES)
ROUTER = Router(OPERATIONS)
COMMAND = re.compile(r"^\s*(?:\S*/)?timbra +([a-z][^\n#|>&;]*)", re.MULTILINE)


def test_texts_includes_the_deployment_files() -> None:
    assert {"deploy/Containerfile", "deploy/compose.yaml", "docs/operations.md"} <= TEXTS.keys()


@pytest.mark.parametrize("name", TEXTS)
def test_settings_in_deployment_files_exist(name: str) -> None:
    assert set(re.findall(r"\bTIMBRA_[A-Z0-9_]+", TEXTS[name])) <= SETTINGS


@pytest.mark.parametrize("name", TEXTS)
def test_paths_in_deployment_files_exist(name: str) -> None:
    named = set(re.findall(r"(?<![\w.])(/(?:health|metrics)[a-z/]*)", TEXTS[name]))
    assert [path for path in named if ROUTER.find("GET", path) is None] == []


@pytest.mark.parametrize("name", TEXTS)
def test_commands_in_deployment_files_exist(name: str) -> None:
    wrong = [words for words in COMMAND.findall(TEXTS[name]) if not understood(shlex.split(words))]
    assert wrong == []


def test_command_of_the_image_exists() -> None:
    program, *words = command_of_image()
    assert program == "timbra"
    assert understood(words)


@pytest.mark.parametrize("words", ["serve --nothing", "nothing", "outbox nothing", "backup --nothing"])
def test_understood_is_false_for_unknown_commands_and_options(words: str) -> None:
    assert not understood(words.split())


def understood(words: list[str]) -> bool:
    """Return whether the words are a command with existing options."""
    command: Any = typer.main.get_command(app)
    while words and getattr(command, "commands", None):
        if words[0] not in command.commands:
            return False
        command, words = command.commands[words[0]], words[1:]
    options = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    return {word.partition("=")[0] for word in words if word.startswith("--")} <= options


def port_of(words: list[str]) -> int:
    """Return the value of `--port`."""
    return int(words[words.index("--port") + 1])
