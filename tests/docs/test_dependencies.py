"""The record of dependencies names every dependency of pyproject.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "docs" / "decisions" / "0002-dependencies.md"
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def _names() -> set[str]:
    """Return the names of the build, runtime and extra dependencies, without those of the project's own extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extras = project["project"].get("optional-dependencies", {}).values()
    groups = (project["build-system"]["requires"], project["project"]["dependencies"], *extras)
    matches = (_NAME.match(requirement) for group in groups for requirement in group)
    return {match[0].lower() for match in matches if match} - {"timbra"}


def test_record_of_dependencies_names_every_dependency() -> None:
    text = RECORD.read_text("utf-8").lower()
    names = _names()
    assert len(names) > 20
    assert not {name for name in names if not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)}
