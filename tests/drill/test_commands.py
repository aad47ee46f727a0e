"""`timbra drill`: the exit code, the table, JSON and the file of the report; the drill itself is replaced."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from timbra.cli.main import app
from timbra.core.errors import ServiceError
from timbra.drill.comparison import Comparison
from timbra.drill.drill import DrillOptions
from timbra.drill.report import Alarm, FaultReport, RehearsalReport

CLEAN = Comparison(invoices=10, answered=10, stored=10, delivered=10)
PASSED = FaultReport(
    "node",
    "Un nodo muere",
    held=70.0,
    alarms=[Alarm("TimbraNodeDown", "critical", "b", 67.6)],
    mended=2.4,
    delivered=5.0,
)
SKIPPED = FaultReport("device", "El dispositivo no responde", reason="no está SoftHSM")
Drilled = list[DrillOptions]


@pytest.fixture
def drill(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Result, Drilled]]:
    """Return a function that runs the command with options over the faults and the comparison of a drill."""

    def run(
        *arguments: str, faults: tuple[FaultReport, ...] = (PASSED,), found: Comparison = CLEAN
    ) -> tuple[Result, Drilled]:
        drilled: Drilled = []

        def run_drill(options: DrillOptions, on_step: Callable[[str], None]) -> RehearsalReport:
            drilled.append(options)
            on_step("Arranca el ensayo")
            about = "2026-11-29T12:00:00Z", 600.0, "1.0", "Linux", "PostgreSQL 15", 2, 5.0
            return RehearsalReport(*about, faults=[*faults], comparison=found)

        monkeypatch.setattr("timbra.drill.drill.run_drill", run_drill)
        return CliRunner().invoke(app, ["drill", *arguments]), drilled

    return run


def test_drill_prints_a_row_for_each_fault(drill: Callable[..., tuple[Result, Drilled]]) -> None:
    result, [options] = drill("--minutes", "2", "--rate", "3", "--only", "node", "--only", "disk")
    assert result.exit_code == 0
    assert result.stdout == "node\tpassed\tTimbraNodeDown\t68\t0\t2\t5\n"
    assert "0 perdidos, 0 duplicados" in result.stderr
    assert (options.minutes, options.rate, options.faults) == (2, 3, ["node", "disk"])
    assert options.plan.faults == {"node", "disk"}


def test_drill_fails_with_a_lost_stamp(drill: Callable[..., tuple[Result, Drilled]]) -> None:
    result, _ = drill(found=replace(CLEAN, lost=("6f1c",)))
    assert result.exit_code == 1
    assert "1 perdidos" in result.stderr


def test_drill_fails_with_a_fault_that_fired_no_alert(drill: Callable[..., tuple[Result, Drilled]]) -> None:
    result, _ = drill(faults=(PASSED, replace(PASSED, alarms=())))
    assert result.exit_code == 1
    assert "Un nodo muere: ninguna alarma avisó" in result.stderr


def test_drill_does_not_pass_with_a_skipped_fault(drill: Callable[..., tuple[Result, Drilled]]) -> None:
    result, _ = drill(faults=(PASSED, SKIPPED))
    assert result.exit_code == 3
    assert result.stdout.splitlines()[1] == "device\tskipped\tno está SoftHSM\t\t0\t\t"


def test_drill_writes_its_report(drill: Callable[..., tuple[Result, Drilled]], tmp_path: Path) -> None:
    for name, begin in (("report.md", "# Simulacro: pasó\n"), ("report.html", "<!doctype html>\n")):
        result, _ = drill("--json", "--report", str(tmp_path / name))
        assert result.exit_code == 0
        assert json.loads(result.stdout)["outcome"] == "passed"
        assert (tmp_path / name).read_text("utf-8").startswith(begin)


def test_drill_rejects_a_report_of_another_kind_and_a_used_folder(
    drill: Callable[..., tuple[Result, Drilled]], tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    for arguments in (("--report", "report.txt"), ("--folder", str(tmp_path)), ("--only", "moon")):
        result, drilled = drill(*arguments)
        assert (result.exit_code, drilled) == (2, [])


@pytest.mark.parametrize(
    "error", [ServiceError("CO1000", "La base de datos no está vacía."), TimeoutError("node a: 120 s")]
)
def test_drill_says_why_it_could_not_go_on(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("timbra.drill.drill.run_drill", fail)
    result = CliRunner().invoke(app, ["drill"])
    assert result.exit_code == 1
    assert str(error.detail if isinstance(error, ServiceError) else error) in result.stderr
