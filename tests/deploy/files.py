"""The files in `deploy/`, parsed for tests."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.support.requirements import need

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
CONTAINERFILE = DEPLOY / "Containerfile"
Document = dict[str, Any]


def instructions() -> list[tuple[str, str]]:
    """Return the instructions of the Containerfile with their arguments; continued lines are joined."""
    joined = re.sub(r"\\\n\s*", "", CONTAINERFILE.read_text("utf-8"))
    lines = [line.strip() for line in joined.splitlines() if line.strip() and not line.startswith("#")]
    return [(word.upper(), rest) for word, _, rest in (line.partition(" ") for line in lines)]


def stages() -> list[list[tuple[str, str]]]:
    """Return the instructions of each stage; a stage begins with FROM."""
    found: list[list[tuple[str, str]]] = []
    for instruction in instructions():
        if instruction[0] == "FROM":
            found.append([])
        found[-1].append(instruction)
    return found


def arguments_of(word: str) -> list[str]:
    """Return the arguments of each such instruction of the last stage."""
    return [rest for found, rest in stages()[-1] if found == word]


def command_of_image() -> list[str]:
    return [*json.loads(arguments_of("ENTRYPOINT")[0]), *json.loads(arguments_of("CMD")[0])]


def documents(path: Path) -> list[Document]:
    """Return the YAML documents of a file; skip the test where PyYAML is not installed."""
    need("yaml", find_spec("yaml"), "PyYAML is not installed")
    return list(import_module("yaml").safe_load_all(path.read_text("utf-8")))


def manifests() -> list[Document]:
    return [one for path in sorted((DEPLOY / "kubernetes").glob("*.yaml")) for one in documents(path)]


def manifest(kind: str) -> Document:
    [found] = [one for one in manifests() if one["kind"] == kind]
    return found


def texts() -> Iterator[tuple[str, str]]:
    """Yield name and text of every file about running a server."""
    for path in (*DEPLOY.rglob("*"), ROOT / "docs" / "operations.md", *(ROOT / "bench" / "wrk").rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            yield path.relative_to(ROOT).as_posix(), path.read_text("utf-8")
