"""The commands of the README pages exist, with their options."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from timbra.cli.main import app

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "README.es.md", "docs/development-server.md")
BLOCK = re.compile(r"^```(?:sh|powershell)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SEPARATORS = set("|&;<>()")
MAKE_TARGET = re.compile(r"^([a-z0-9-]+):", re.MULTILINE)


def commands_of(page: str) -> list[list[str]]:
    """Return the words of each `timbra` and `make` command in the code blocks of a page."""
    commands: list[list[str]] = []
    for block in BLOCK.findall((ROOT / page).read_text("utf-8")):
        for line in block.replace("\\\n", " ").splitlines():
            lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
            lexer.whitespace_split = True
            words: list[str] = []
            for word in [*lexer, "|"]:
                if set(word) <= SEPARATORS:
                    commands += [words] if words and words[0] in ("timbra", "make") else []
                    words = []
                else:
                    words.append(word)
    return commands


def check_timbra(words: list[str]) -> None:
    """Follow the words through the command tree; every option must be one of the command that they reach."""
    command: Any = typer.main.get_command(app)
    for word in words:
        if hasattr(command, "commands"):
            assert word in command.commands, f"no command {word}"
            command = command.commands[word]
        elif word.startswith("--"):
            options = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
            assert word.partition("=")[0] in options, f"{command.name} has no option {word}"


@pytest.mark.parametrize("page", PAGES)
def test_page_names_existing_commands_and_options(page: str) -> None:
    commands = commands_of(page)
    assert len(commands) > 2
    targets = set(MAKE_TARGET.findall((ROOT / "Makefile").read_text("utf-8")))
    for program, *words in commands:
        if program == "make":
            assert words[0] in targets
        else:
            check_timbra(words)


def test_phony_targets_are_rules() -> None:
    text = (ROOT / "Makefile").read_text("utf-8")
    (phony,) = re.findall(r"^\.PHONY: (.*)$", text, re.MULTILINE)
    assert sorted(phony.split()) == sorted(MAKE_TARGET.findall(text))
