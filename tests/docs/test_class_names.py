"""Every public class has one name in the whole package, so that a search for it finds one class."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import timbra

SOURCE = Path(timbra.__file__).parent
EXCEPTED = ("rules", "examples", "cfdi/nodes", "database/migrations")
"""Folders whose classes and functions repeat the names of the SAT's standards or of alembic."""


def test_public_class_names_are_unique() -> None:
    modules: defaultdict[str, list[str]] = defaultdict(list)
    for file in SOURCE.rglob("*.py"):
        path = file.relative_to(SOURCE).as_posix()
        if path.startswith(EXCEPTED):
            continue
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                modules[node.name].append(path)
    assert len(modules) > 400
    assert {name: paths for name, paths in modules.items() if len(paths) > 1} == {}
