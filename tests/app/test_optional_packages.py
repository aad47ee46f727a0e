"""Optional packages: the rest of Timbra works after they were deleted."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.support import cli_texts
from tests.support.effort import LONG, cases
from tests.support.optional_packages import OPTIONAL

import timbra

SOURCE = Path(timbra.__file__).parent
TESTS = Path(__file__).parents[1]
CORE_TESTS = ("accounts", "audit", "cancellation", "core", "documents", "events", "operations", "sandbox", "stamping")
"""Folders of tests that run without a package; their modules that name the package are left out with its own tests."""
IMPORT_ALL = """
import importlib, pkgutil, timbra
for module in pkgutil.walk_packages(timbra.__path__, "timbra."):
    if not module.name.endswith(("__main__", "migrations.env")):  # programs
        importlib.import_module(module.name)
"""
REMOVALS = cases([OPTIONAL], [OPTIONAL, *((name,) for name in OPTIONAL)])


@pytest.fixture(scope="module", params=REMOVALS, ids="-".join)
def packages(request: pytest.FixtureRequest) -> tuple[str, ...]:
    removed: tuple[str, ...] = request.param
    return removed


@pytest.fixture(scope="module")
def source(packages: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the source without the packages, with links to the SAT data and the compiled modules.

    It has the bytecode too, which is valid for files of equal size and time; to compile it takes most of an import.
    """
    copied = tmp_path_factory.mktemp("source") / "timbra"
    shutil.copytree(SOURCE, copied, ignore=shutil.ignore_patterns("sat_data", "docs_site", "*-pytest-*.pyc", "*.so"))
    for package in packages:
        shutil.rmtree(copied / package)
    (copied / "sat_data").symlink_to(SOURCE / "sat_data")
    for library in SOURCE.rglob("*.so"):
        (copied / library.relative_to(SOURCE)).symlink_to(library)
    return copied.parent


def run(source: Path, *arguments: str, seconds: float = 300, folder: Path | None = None) -> str:
    """Run Python with a copy of the source; return what it prints."""
    environment = os.environ | {"PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1", "TIMBRA_TEST_LONG": ""}
    command = [sys.executable, *arguments]
    where = folder or source
    done = subprocess.run(command, env=environment, cwd=where, capture_output=True, text=True, timeout=seconds)
    assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]
    return done.stdout


def test_every_module_is_importable_without_optional_packages(source: Path) -> None:
    assert run(source, "-c", "import timbra; print(timbra.__file__)").strip() == str(source / "timbra" / "__init__.py")
    run(source, "-c", IMPORT_ALL)


def test_commands_exist_without_optional_packages(source: Path, packages: tuple[str, ...]) -> None:
    text = run(source, "-m", "timbra.cli", "--help", "--lang", "es")
    assert "Para empezar" in text
    commands = {line.split()[1] for line in text.splitlines() if line.startswith("│ ")}
    assert {"stamp", "validate", "cancel", "serve"} <= commands
    assert not commands & set(packages)


def test_demo_works_without_optional_packages(source: Path) -> None:
    run(source, "-m", "timbra.cli", "demo")


@pytest.mark.skipif(not LONG, reason="runs the tests of the core for each package: TIMBRA_TEST_LONG=1")
def test_tests_of_the_core_pass_without_optional_packages(source: Path, packages: tuple[str, ...]) -> None:
    removed = modules_with(packages)
    ignored = [f"--ignore={path}" for path in removed]
    folders = [str(TESTS / name) for name in CORE_TESTS]
    arguments = ("-m", "pytest", "-m", "not e2e", "-p", "no:cacheprovider", *ignored, *folders)
    run(source, *arguments, seconds=3600, folder=TESTS.parent)


def modules_with(packages: Iterable[str]) -> list[Path]:
    """Return the modules of tests that use packages: those of their folders, and those that import one of these."""
    sources = {path: path.read_text("utf-8") for path in TESTS.rglob("*.py")}
    names = {f"{root}.{package}" for package in packages for root in ("timbra", "tests")}
    found: set[Path] = set()
    while True:
        pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")
        new = {path for path, text in sources.items() if path not in found and pattern.search(f"{_name(path)} {text}")}
        if not new:
            return sorted(found)
        found |= new
        names = {_name(path) for path in new}


def _name(path: Path) -> str:
    return ".".join(("tests", *path.relative_to(TESTS).with_suffix("").parts))


def test_texts_of_optional_packages_are_used_by_them_alone() -> None:
    others = {text for package, text, _ in cli_texts.catalogs() if package not in OPTIONAL}
    used = ((place, text) for place, text in cli_texts.literals() if place.partition("/")[0] not in OPTIONAL)
    assert [(place, text) for place, text in used if text not in others] == []
