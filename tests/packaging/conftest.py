"""The source distribution and the wheel, built once from the checkout."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def build(source: Path, target: str, destination: Path) -> Path:
    """Build one distribution with hatchling.

    Args:
        source: Folder with pyproject.toml.
        target: `sdist` or `wheel`.
        destination: Folder for the file.
    """
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(destination)]
    finished = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    return next(destination.iterdir())


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "sdist", tmp_path_factory.mktemp("sdist"))
