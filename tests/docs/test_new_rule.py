"""The scaffold of a rule writes drafts to the right modules, and no draft stays in the project."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest
from tests.support.rule_set_examples import evaluation_of
from tools.new_rule import MARK
from tools.rules_check import results

from timbra.rules.registry import RULE_SETS
from timbra.rules.rulesets import cfdi40

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
    """A copy of the sources with their bytecode, which is valid for files of equal size and time."""
    for folder in ("src", "tools"):
        ignored = shutil.ignore_patterns("*-pytest-*.pyc", "sat_data", "docs_site")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    (tmp_path / "src/timbra/sat_data").symlink_to(ROOT / "src/timbra/sat_data")
    return tmp_path


def drafted(copy: Path) -> Path:
    """Return the module of the drafted record, besides which only the module of examples has a draft."""
    examples, file = sorted(file for file in (copy / "src").rglob("*.py") if MARK in file.read_text("utf-8"))
    assert examples == file.parent / "examples.py"
    return file


def source_of(copy: Path, code: str) -> str:
    program = f"from timbra.rules.rulesets.cfdi40 import RULE_SET; print(RULE_SET.rule({code!r}).source)"
    environment = {"PYTHONPATH": str(copy / "src"), "PATH": ""}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_new_rule_drafts_a_row_of_the_matrix_in_the_module_of_the_node(copy: Path) -> None:
    with (copy / "src/timbra/rules/rulesets/cfdi40/matrix.csv").open("a", encoding="utf-8") as rows:
        rows.write("CFDI40899,0123456789abcdef\n")
    arguments = ("CFDI40899", "Receptor/@UsoCFDI", "--cites", "MATRIX_2026_03_25", "--since", "2027-01-01")
    done = scaffold(copy, *arguments)
    assert done.returncode == 0, done.stderr
    file = drafted(copy)
    assert (file.parent.name, file.name[:8]) == ("cfdi40", "receptor")
    text = file.read_text("utf-8")
    assert '@rule(\n    "CFDI40899",\n    at="Receptor/@UsoCFDI",' in text
    assert "    cites=MATRIX_2026_03_25,\n    since=date(2027, 1, 1),\n" in text
    assert "CFDI40899,cfdi40" in (file.parent / "coverage.csv").read_text("utf-8")
    assert '    "CFDI40899": {"Receptor/@UsoCFDI": ' in (file.parent / "examples.py").read_text("utf-8")
    assert source_of(copy, "CFDI40899").endswith("2026-03-25, fila CFDI40899")


@pytest.mark.parametrize(("code", "options"), [("CFDI40999:UsoCFDI-Viajes", ()), ("ACME001", ("--rule-set", "cfdi40"))])
def test_new_rule_drafts_a_rule_that_is_no_row_without_coverage(copy: Path, code: str, options: Sequence[str]) -> None:
    done = scaffold(copy, code, "Receptor/@UsoCFDI", "--cites", "INTERFACE", *options)
    assert done.returncode == 0, done.stderr
    assert code not in (drafted(copy).parent / "coverage.csv").read_text("utf-8")
    assert source_of(copy, code).startswith("Interfaz del servicio")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("CFDI40228", ""), "AT="),
        (("CFDI40147", "Receptor/@UsoCFDI"), "CFDI40147 exists already"),
        (("XYZ1", "Receptor/@UsoCFDI"), "no rule set has codes like XYZ1"),
        (("CFDI40899", "Receptor/@UsoCFDI"), "CODE=ACME001 RULESET=cfdi40 AT=Receptor/@UsoCFDI"),
        (("CFDI40899", "Receptor/@UsoCFDI", "--cites", "INTERFACE"), "CFDI40899 is no row of SAT's matrix of CFDI 4.0"),
        (("CFDI40999:Viajes", "Receptor/@UsoCFDI"), "INTERFACE: Interfaz del servicio de timbrado"),
        (("CFDI40999:Viajes", "Receptor/@UsoCFDI", "--cites", "MATRIX_2026_03_25"), "name the document"),
        (("PDR999", "Receptor", "--cites", "MATRIX_B"), "SINCE="),
    ],
)
def test_new_rule_rejects_a_draft_that_tests_would_reject(arguments: Sequence[str], text: str) -> None:
    done = scaffold(ROOT, *arguments)
    assert done.returncode != 0
    assert text in done.stderr


def test_results_of_a_rule_set_name_every_check() -> None:
    rule_set = next(each for each in RULE_SETS if each.name == "ine11")
    outcome = [result for rule in rule_set.rules for result in results(rule_set, rule)]
    assert [problem for _, problem in outcome if problem] == []
    assert {check for check, _ in outcome} == {"passes", "fails", "removed", "documented"}


def test_examples_may_have_any_key_of_the_catalogs() -> None:
    """`timbra explain` accepts I08, which the small catalogs of the tests do not have."""
    rule = next(each for each in cfdi40.RULE_SET.rules if each.code == "CFDI40160")
    data, _ = evaluation_of(rule)
    assert data.catalogs.contains("c_UsoCFDI", "I08", date(2026, 11, 17))
