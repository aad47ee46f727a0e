"""The fixtures in a session of pytest of another project."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.effort import LONG
from tests.support.page_code import read_page

EXAMPLES = read_page(Path(__file__).parents[2] / "docs" / "testing.md").blocks_in("python")
"""The examples of the page: tests with the fixtures, and a program without pytest."""


def run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in the folder of a project."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", *arguments]
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    return subprocess.run(command, cwd=folder, env=variables | environment, capture_output=True, text=True, timeout=300)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "test_invoices.py").write_text(EXAMPLES[0])
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    return tmp_path


@pytest.mark.parametrize("arguments", [(), ("-n", "2")] if LONG else [()])
def test_fixtures_serve_a_session(project: Path, arguments: tuple[str, ...]) -> None:
    result = run(project, *arguments)
    assert "3 passed" in result.stdout, result.stdout


def test_a_seed_file_that_does_not_exist_is_a_sentence(project: Path) -> None:
    (project / "pytest.ini").write_text("[pytest]\ntimbra_seed = seed.yaml\n")
    result = run(project)
    assert "3 errors" in result.stdout
    assert "The Timbra server did not start." in result.stdout
    assert "seed.yaml" in result.stdout


def test_an_address_without_a_server_is_a_sentence(project: Path) -> None:
    result = run(project, "--timbra-url", "http://127.0.0.1:9")
    assert "http://127.0.0.1:9 does not answer" in result.stdout


def test_the_example_without_pytest_runs() -> None:
    command = [sys.executable, "-c", EXAMPLES[1]]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+ 0\n", result.stdout), result.stderr


def test_the_plugin_names_the_extra_without_pytest() -> None:
    program = "import sys; sys.modules['pytest'] = None; import timbra.pytest_plugin"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "pip install 'timbra[pytest]'" in result.stderr
