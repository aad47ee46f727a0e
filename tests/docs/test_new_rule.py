"""The scaffold of a rule writes drafts to the right modules, and no draft stays in the project."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tools.new_rule import MARK

ROOT = Path(__file__).resolve().parents[2]


def test_source_has_no_drafts() -> None:
    left = [str(file) for file in (ROOT / "src").rglob("*.py") if MARK in file.read_text("utf-8")]
    assert left == []


def scaffold(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tools.new_rule", *arguments]
    environment = {"PYTHONPATH": f"{copy / 'src'}:{copy}", "PATH": ""}
    return subprocess.run(command, cwd=copy, capture_output=True, text=True, timeout=60, env=environment)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for folder in ("src", "tools"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_new_rule_drafts_beside_the_rules_of_the_node(copy: Path) -> None:
    done = scaffold(copy, "CFDI40228", "Receptor/@UsoCFDI")
    assert done.returncode == 0, done.stderr
    drafted = [file for file in (copy / "src").rglob("*.py") if MARK in file.read_text("utf-8")]
    assert {file.parent.name for file in drafted} == {"cfdi40", "rules"}
    rule = next(file for file in drafted if file.parent.name == "cfdi40")
    assert rule.name.startswith("receptor")
    compile(rule.read_text("utf-8"), rule.name, "exec")
    assert '@rule("CFDI40228", at="Receptor/@UsoCFDI")' in rule.read_text("utf-8")


def test_new_rule_rejects_a_missing_place(copy: Path) -> None:
    done = scaffold(copy, "CFDI40228", "")
    assert done.returncode != 0
    assert "AT=" in done.stderr


@pytest.mark.parametrize("code", ["CFDI40147", "XYZ1"])
def test_new_rule_rejects_an_existing_or_unknown_code(copy: Path, code: str) -> None:
    done = scaffold(copy, code, "Receptor/@UsoCFDI")
    assert done.returncode != 0
    assert code in done.stderr
