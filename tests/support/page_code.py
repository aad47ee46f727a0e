"""The code blocks of a Markdown page, with the comments that say how a test treats them.

A comment in the line before a block is a directive:

| comment | effect |
|---|---|
| `<!-- not run: REASON -->` | the block cannot run here; its syntax is checked |
| `<!-- other terminal -->` | the block runs in a terminal of its own, until the end of the page |
| `<!-- exit: CODE -->` | the last command of the block ends with this code |
| `<!-- source: PATH -->` | the block equals this file of the repository |
| `<!-- needs: PROGRAM ... -->` | anywhere in the page: the page runs only where these programs are installed |

A block with `title="NAME"` is a file of the reader, and is written to the folder in which the page runs.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from pathlib import Path

import yaml

OUTPUT_LANGUAGES = frozenset({"text", "json", "xml", "html"})
_BLOCK = re.compile(
    r"(?:^<!-- (?P<directive>[^\n]*?) -->\n)?^```(?P<information>[^\n`]+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
_NEEDS = re.compile(r"^<!-- needs: (?P<programs>[^\n]*?) -->$", re.MULTILINE)


class Kind(Enum):
    """What a test does with a block."""

    SHELL = "commands"
    PYTHON = "Python program"
    OUTPUT = "output of the block before"
    FILE = "file"
    NOT_RUN = "not run"
    DIAGRAM = "diagram"
    SHOWN = "shown only"


@dataclass(frozen=True)
class CodeBlock:
    """A block of code.

    Attributes:
        directive: The comment before it, as name and value.
        line: Number of its first line in the page, from 1.
    """

    kind: Kind
    language: str
    title: str
    text: str
    directive: tuple[str, str]
    line: int

    @property
    def exit_code(self) -> int:
        """Return the exit code that the block must have."""
        name, value = self.directive
        return int(value) if name == "exit" else 0

    @property
    def other_terminal(self) -> bool:
        """Whether the block runs in a terminal of its own."""
        return self.directive[0] == "other terminal"

    def commands(self) -> str:
        """Return the text without comments and empty lines, to compare two translations of a page."""
        lines = (re.sub(r"(?:^|\s+)#\s.*", "", line).rstrip() for line in self.text.splitlines())
        return "\n".join(line for line in lines if line)


@dataclass(frozen=True)
class Page:
    """A page of Markdown with its blocks of code, in their order."""

    path: Path
    text: str
    blocks: tuple[CodeBlock, ...]

    @property
    def needs(self) -> tuple[str, ...]:
        """Return the programs without which the page cannot run."""
        found = _NEEDS.search(self.text)
        return tuple(found["programs"].split()) if found else ()

    @property
    def language(self) -> str:
        """Return the language of the page: `es` below `docs/es`, else `en`."""
        folders = self.path.parts[:-1]
        return "es" if ("docs", "es") in pairwise(folders) else "en"

    def blocks_in(self, language: str) -> list[str]:
        """Return the texts of the blocks of a language."""
        return [block.text for block in self.blocks if block.language == language]


def read_page(path: Path) -> Page:
    """Read a page and its blocks of code; blocks without a language are left out."""
    text = path.read_text("utf-8")
    return Page(path, text, tuple(_blocks(text)))


def _blocks(text: str) -> Iterator[CodeBlock]:
    previous: Kind | None = None
    for found in _BLOCK.finditer(text):
        language, *options = shlex.split(found["information"])
        attributes = dict(option.partition("=")[::2] for option in options)
        name, _, value = (found["directive"] or "").partition(": ")
        line = text.count("\n", 0, found.start("information")) + 1
        kind = _kind(name, language, attributes, previous)
        previous = kind
        yield CodeBlock(kind, language, attributes.get("title", ""), found["text"], (name, value), line)


def _kind(directive: str, language: str, attributes: Mapping[str, str], previous: Kind | None) -> Kind:
    if directive == "not run":
        return Kind.NOT_RUN
    if language == "mermaid":
        return Kind.DIAGRAM
    if "title" in attributes:
        return Kind.FILE
    if language == "sh":
        return Kind.SHELL
    if language == "python":
        return Kind.PYTHON
    if language in OUTPUT_LANGUAGES and previous in (Kind.SHELL, Kind.PYTHON):
        return Kind.OUTPUT
    return Kind.SHOWN


def check_syntax(block: CodeBlock) -> None:
    """Check the syntax of a block that is not run.

    Raises:
        ValueError: The text is not of its language.
    """
    try:
        match block.language:
            case "sh":
                subprocess.run(["bash", "-n"], input=block.text, capture_output=True, text=True, check=True)
            case "python":
                ast.parse(block.text)
            case "yaml":
                yaml.safe_load(block.text)
            case "json":
                json.loads(block.text)
            case "toml":
                tomllib.loads(block.text)
            case _ if not block.text.strip() or block.text.count("{") != block.text.count("}"):
                raise ValueError(f"line {block.line}: empty, or a brace without its pair")
            case _:
                pass
    except (subprocess.CalledProcessError, SyntaxError, yaml.YAMLError) as error:
        raise ValueError(f"line {block.line}: {error}") from error


def missing_programs(page: Page) -> list[str]:
    """Return the programs that the page needs and that are not installed."""
    return [program for program in page.needs if shutil.which(program) is None]
