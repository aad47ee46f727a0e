"""Unsupported versions of Python give one sentence: from the command line and from `make setup`."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from timbra.cli import check_python

NEWEST_PYTHON = (3, 14)
OLDEST_PYTHON = (3, 11)

ROOT = Path(__file__).parents[2]
UNSUPPORTED = [(2, 7), (3, 10), (3, 15)]
RUN_AS_VERSION = "import sys; sys.version_info = (*{version}, 0, 'final', 0); import runpy; {statement}"


@pytest.mark.parametrize("version", UNSUPPORTED)
@pytest.mark.parametrize(
    "statement",
    ["runpy.run_module('timbra.cli', run_name='__main__')", "from timbra.cli.main import run"],
    ids=["module", "script"],
)
def test_command_line_exits_with_one_sentence_when_python_is_unsupported(
    version: tuple[int, int], statement: str
) -> None:
    program = RUN_AS_VERSION.format(version=version, statement=statement)
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert finished.returncode == 1
    number = ".".join(map(str, version))
    assert finished.stderr == f"Timbra needs Python 3.11 to 3.14; this is Python {number}.\n"


@pytest.mark.parametrize("version", [(3, 11), (3, 12), (3, 13), (3, 14)])
def test_check_python_accepts_supported_versions(version: tuple[int, int]) -> None:
    check_python(version)


@pytest.mark.parametrize("module", ["__init__.py", "cli/__init__.py"])
def test_modules_before_the_check_parse_on_old_versions(module: str) -> None:
    """`from __future__ import annotations` and type annotations would be syntax errors there."""
    tree = ast.parse((ROOT / "src/timbra" / module).read_text(encoding="utf-8"), feature_version=(3, 4))
    modern = (ast.AnnAssign, ast.JoinedStr, ast.NamedExpr)
    assert [node for node in ast.walk(tree) if isinstance(node, modern)] == []
    imports = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert "__future__" not in imports
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    annotated = [each for each in functions if each.returns or any(one.annotation for one in each.args.args)]
    assert [function.name for function in annotated] == []


def test_supported_versions_are_those_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (oldest, newest) = OLDEST_PYTHON, NEWEST_PYTHON
    assert project["requires-python"] == f">={oldest[0]}.{oldest[1]},<{newest[0]}.{newest[1] + 1}"


@pytest.mark.parametrize("version", UNSUPPORTED[1:])
def test_make_setup_gives_one_sentence_when_python_is_unsupported(tmp_path: Path, version: tuple[int, int]) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    (tmp_path / "pyproject.toml").touch()
    interpreter = tmp_path / "python"
    command = f'exec {sys.executable} -c "import sys; sys.version_info = {version}; $2"'
    interpreter.write_text(f'#!/bin/sh\n[ "$1" = -c ] || exit 99\n{command}\n')
    interpreter.chmod(0o755)
    finished = subprocess.run(
        ["make", "setup", f"PYTHON={interpreter}"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 2
    own, *of_make = finished.stderr.splitlines()
    assert own == "Timbra needs Python 3.11 to 3.14; name one with make PYTHON=..."
    assert [line for line in of_make if not re.match(r"make(\[\d+\])?: \*\*\*", line)] == []
    assert not (tmp_path / ".venv").exists()
