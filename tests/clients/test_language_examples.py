"""The programs of `examples/` issue an invoice, repeat it, and give the reason of a rejection."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.dev_server import sandbox_with_cached_keys
from tests.support.effort import LONG

from timbra.testing import Sandbox, running_sandbox

ROOT = Path(__file__).parents[2] / "examples"
PROGRAMS = {
    "python": ("python3", "issue.py"),
    "node": ("node", "issue.mjs"),
    "java": ("java", "Issue.java"),
    "php": ("php", "issue.php"),
    "ruby": ("ruby", "issue.rb"),
    "go": ("go", "run", "main.go"),
}
QUICK = ("python", "node")
NOT_RUN = {"csharp"}
STAMP = re.compile(r"([0-9a-f-]{36}) \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\n", re.IGNORECASE)


@pytest.fixture(scope="module")
def running() -> Iterator[Sandbox]:
    with sandbox_with_cached_keys(), running_sandbox() as started:
        yield started


def run(language: str, folder: Path, invoice: str, sandbox: Sandbox) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder of its own with an invoice."""
    (folder / "invoice.xml").write_text(invoice, "utf-8")
    program, *rest = PROGRAMS[language]
    *options, source = rest
    command = [program, *options, str(ROOT / language / source), "invoice.xml"]
    environment = {**os.environ, "TIMBRA_URL": sandbox.url, "TIMBRA_TOKEN": sandbox.token, "NO_PROXY": "127.0.0.1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("language", PROGRAMS if LONG else QUICK)
def test_program_issues_repeats_and_reports(language: str, running: Sandbox, tmp_path: Path) -> None:
    if shutil.which(PROGRAMS[language][0]) is None:
        pytest.skip(f"{PROGRAMS[language][0]} is not installed")
    running.reset()
    invoice = running.example()
    first, second = (run(language, tmp_path, invoice, running) for _ in range(2))
    found = STAMP.fullmatch(first.stdout)
    assert found, first.stderr
    assert second.stdout == first.stdout
    assert "TimbreFiscalDigital" in (tmp_path / f"{found[1]}.xml").read_text("utf-8")
    wrong = run(language, tmp_path, invoice.replace('Version="4.0"', 'Version="3.2"'), running)
    assert wrong.returncode == 1
    assert wrong.stderr.strip()
    assert [stamp.uuid.lower() for stamp in running.stamps()] == [found[1].lower()]


def test_every_example_is_run_or_said_not_to_be() -> None:
    folders = {folder.name for folder in ROOT.iterdir() if folder.is_dir()}
    assert folders == set(PROGRAMS) | NOT_RUN
    assert "not run" in next(line for line in (ROOT / "README.md").read_text("utf-8").splitlines() if "C#" in line)
