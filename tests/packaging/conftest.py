"""The source distribution and the wheels, built once from the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.compiler import has_compiler
from tests.support.requirements import need

ROOT = Path(__file__).parents[2]


def build(source: Path, target: str, destination: Path, **environment: str) -> Path:
    """Build one distribution with hatchling.

    Args:
        source: Folder with pyproject.toml.
        target: `sdist` or `wheel`.
        destination: Folder for the file.
        environment: Additional environment variables; by default the wheel is pure.
    """
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(destination)]
    variables = os.environ | ({"TIMBRA_BUILD_NATIVE": "0"} | environment)
    finished = subprocess.run(command, cwd=source, env=variables, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    return next(destination.iterdir())


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def native_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need("C compiler", has_compiler(), "there is no C compiler")
    return build(ROOT, "wheel", tmp_path_factory.mktemp("native"), TIMBRA_BUILD_NATIVE="1")


@pytest.fixture(scope="session")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "sdist", tmp_path_factory.mktemp("sdist"))
