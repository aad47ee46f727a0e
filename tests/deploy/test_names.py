"""Settings, commands, options, paths and ports that the deployment files name exist in the code."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest
import typer
from tests.deploy.files import command_of_image, texts

from timbra.api.framework.router import Router
from timbra.api.operation_table import OPERATIONS
from timbra.cli.main import app
from timbra.settings import Settings

TEXTS = dict(texts())
SETTINGS = {f"TIMBRA_{name.upper()}" for name in Settings.model_fields} | {"TIMBRA_CONFIG"}
ROUTER = Router(OPERATIONS)
COMMAND = re.compile(r"^\s*(?:\S*/)?timbra +([a-z][^\n#|>&;]*)", re.MULTILINE)


def test_the_files_are_found() -> None:
    assert {"deploy/Containerfile", "deploy/compose.yaml", "docs/operations.md"} <= TEXTS.keys()


@pytest.mark.parametrize("name", TEXTS)
def test_settings_exist(name: str) -> None:
    assert set(re.findall(r"\bTIMBRA_[A-Z0-9_]+", TEXTS[name])) <= SETTINGS


@pytest.mark.parametrize("name", TEXTS)
def test_paths_exist(name: str) -> None:
    named = set(re.findall(r"(?<![\w.])(/(?:health|metrics)[a-z/]*)", TEXTS[name]))
    assert [path for path in named if ROUTER.find("GET", path) is None] == []


@pytest.mark.parametrize("name", TEXTS)
def test_commands_and_their_options_exist(name: str) -> None:
    wrong = [words for words in COMMAND.findall(TEXTS[name]) if not understood(shlex.split(words))]
    assert wrong == []


def test_the_image_starts_a_command_that_exists() -> None:
    program, *words = command_of_image()
    assert program == "timbra"
    assert understood(words)


@pytest.mark.parametrize("words", ["serve --nothing", "nothing", "outbox nothing", "backup --nothing"])
def test_what_does_not_exist_is_noticed(words: str) -> None:
    assert not understood(words.split())


def understood(words: list[str]) -> bool:
    """Whether the words name a command, and options that it has."""
    command: Any = typer.main.get_command(app)
    while words and getattr(command, "commands", None):
        if words[0] not in command.commands:
            return False
        command, words = command.commands[words[0]], words[1:]
    options = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    return {word.partition("=")[0] for word in words if word.startswith("--")} <= options
