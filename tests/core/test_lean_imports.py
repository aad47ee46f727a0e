"""Imports without unused parts of libraries, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

FORMATTERS = {"rich", "attr", "pygments"}


def modules_after(program: str, **environment: str) -> set[str]:
    """Run a program and return the modules that it has imported."""
    code = f"import sys; {program}; print(*sys.modules)"
    env = {**os.environ, **environment}
    return set(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env).stdout.split()
    )


def test_import_structlog_imports_no_formatters_of_tracebacks() -> None:
    modules = modules_after("from timbra.core import lean_imports; lean_imports.import_structlog()")
    assert "structlog" in modules
    assert not FORMATTERS & modules


def test_import_structlog_leaves_rich_to_later_imports() -> None:
    program = (
        "from timbra.core import lean_imports; lean_imports.import_structlog(); import rich.console, structlog.dev"
    )
    assert {"rich.console", "structlog.dev"} <= modules_after(program)


@pytest.mark.parametrize("first", ["rich", "structlog"])
def test_import_structlog_has_no_effect_after_the_import_of(first: str) -> None:
    program = f"import {first}; from timbra.core import lean_imports; lean_imports.import_structlog()"
    assert first in modules_after(program)


def test_skip_pydantic_plugins_keeps_the_choice_of_the_environment() -> None:
    program = (
        "import os; from timbra.core import lean_imports; lean_imports.skip_pydantic_plugins();"
        "sys.modules[os.environ['PYDANTIC_DISABLE_PLUGINS']] = None"
    )
    assert "mine" in modules_after(program, PYDANTIC_DISABLE_PLUGINS="mine")
