"""What a command imports before it runs: every process of a server pays for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

SLOW_MODULES = (
    "lxml",
    "pydantic",
    "pygments",
    "rich",
    "snowballstemmer",
    "sqlalchemy",
    "starlette",
    "timbra.rules",
    "typst",
    "yaml",
)


@pytest.mark.parametrize("module", SLOW_MODULES)
def test_main_imports_no_slow_module(module: str) -> None:
    program = f"import sys, timbra.cli.main; print({module!r} in sys.modules)"
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert finished.stdout.strip() == "False"
