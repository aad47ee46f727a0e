"""Optional packages: the rest of Timbra works after they were deleted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support import cli_texts
from tests.support.effort import cases

import timbra

SOURCE = Path(timbra.__file__).parent
OPTIONAL = ("backup", "batches", "bulk", "emulator", "home", "received", "webhooks")
"""Packages that no other package imports."""


def copied_without(packages: tuple[str, ...], folder: Path) -> Path:
    """Copy the source without packages, with links to the SAT data and the compiled modules; return its folder."""
    copied = folder / "src" / "timbra"
    skipped = shutil.ignore_patterns("sat_data", "docs_site", "__pycache__", "*.so")
    shutil.copytree(SOURCE, copied, ignore=skipped)
    for package in packages:
        shutil.rmtree(copied / package)
    (copied / "sat_data").symlink_to(SOURCE / "sat_data")
    for library in SOURCE.rglob("*.so"):
        (copied / library.relative_to(SOURCE)).symlink_to(library)
    return copied.parent


def run(source: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "timbra.cli", *arguments]
    return subprocess.run(command, env=environment, cwd=source, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("packages", cases([OPTIONAL], [OPTIONAL, *((name,) for name in OPTIONAL)]), ids="-".join)
def test_demo_works_without_optional_packages(packages: tuple[str, ...], tmp_path: Path) -> None:
    source = copied_without(packages, tmp_path)
    where = run_python(source, "import timbra; print(timbra.__file__)")
    assert where == str(source / "timbra" / "__init__.py")
    help_text = run(source, "--help", "--lang", "es")
    assert help_text.returncode == 0, help_text.stderr
    assert "Para empezar" in help_text.stdout
    commands = {line.split()[1] for line in help_text.stdout.splitlines() if line.startswith("│ ")}
    assert {"stamp", "validate", "cancel", "serve"} <= commands
    assert not commands & set(packages)
    demo = run(source, "demo")
    assert demo.returncode == 0, demo.stdout + demo.stderr


def test_texts_of_optional_packages_are_used_by_them_alone() -> None:
    others = {text for package, text, _ in cli_texts.catalogs() if package not in OPTIONAL}
    used = ((place, text) for place, text in cli_texts.literals() if place.partition("/")[0] not in OPTIONAL)
    assert [(place, text) for place, text in used if text not in others] == []


def run_python(source: Path, code: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(source)}
    answer = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return answer.stdout.strip()
