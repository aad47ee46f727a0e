"""The scaffold of a rule writes drafts to the right modules, and no draft stays in the project."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tools.new_rule import MARK
from tools.rules_check import results

from timbra.rules.registry import RULE_SETS

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


def test_new_rule_drafts_one_record_in_the_module_of_the_node(copy: Path) -> None:
    done = scaffold(copy, "CFDI40899", "Receptor/@UsoCFDI")
    assert done.returncode == 0, done.stderr
    (drafted,) = [file for file in (copy / "src").rglob("*.py") if MARK in file.read_text("utf-8")]
    assert (drafted.parent.name, drafted.name[:8]) == ("cfdi40", "receptor")
    text = drafted.read_text("utf-8")
    compile(text, drafted.name, "exec")
    assert '@rule(\n    "CFDI40899",\n    at="Receptor/@UsoCFDI",' in text
    assert "CFDI40899,cfdi40" in (drafted.parent / "coverage.csv").read_text("utf-8")


def test_new_rule_record_can_be_imported(copy: Path) -> None:
    assert scaffold(copy, "CFDI40899", "Receptor/@UsoCFDI").returncode == 0
    program = (
        "from timbra.rules.rulesets.cfdi40 import RULE_SET; rule = RULE_SET.rule('CFDI40899')\n"
        "print(rule.at, rule.source.endswith('fila CFDI40899'))"
    )
    environment = {"PYTHONPATH": str(copy / "src"), "PATH": ""}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, env=environment)
    assert done.stdout.strip() == "Receptor/@UsoCFDI True", done.stderr


def test_results_of_a_rule_set_name_every_check() -> None:
    rule_set = next(each for each in RULE_SETS if each.name == "ine11")
    outcome = [result for rule in rule_set.rules for result in results(rule_set, rule)]
    assert [problem for _, problem in outcome if problem] == []
    assert {check for check, _ in outcome} == {"passes", "fails", "removed", "documented"}


def test_new_rule_rejects_a_missing_place(copy: Path) -> None:
    done = scaffold(copy, "CFDI40228", "")
    assert done.returncode != 0
    assert "AT=" in done.stderr


@pytest.mark.parametrize("code", ["CFDI40147", "XYZ1"])
def test_new_rule_rejects_an_existing_or_unknown_code(copy: Path, code: str) -> None:
    done = scaffold(copy, code, "Receptor/@UsoCFDI")
    assert done.returncode != 0
    assert code in done.stderr
