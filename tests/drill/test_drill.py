"""A drill with processes of its own: the device is taken away in the suite, all faults in the long form."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

import pytest
from tests.support.effort import LONG
from tests.support.forked_program import Program, start
from tests.support.postgresql_cluster import need_cluster
from tests.support.requirements import need

from timbra.drill.drill import DrillOptions, run_drill
from timbra.drill.fault_names import FaultName
from timbra.drill.rehearsal import Plan
from timbra.drill.report import DrillOutcome
from timbra.testing.services import soft_token


def launch(module: str, arguments: Sequence[str], environment: Mapping[str, str], log: IO[bytes]) -> Program:
    return start(module, *arguments, environment=environment, stdout=log, stderr=log)


def test_drill_says_what_alarmed_and_what_was_rejected_without_the_device(tmp_path: Path) -> None:
    need("softhsm", not soft_token.missing(), soft_token.missing())
    plan = Plan(tmp_path, launch=launch, faults=frozenset({FaultName.DEVICE}))
    steps: list[str] = []
    report = run_drill(
        DrillOptions(plan, [FaultName.DEVICE], 0.5, rate=4, scrape_seconds=0.5, minimum_seconds=2), steps.append
    )
    [fault] = report.faults
    assert (report.outcome, fault.problems()) == (DrillOutcome.PASSED, [])
    assert fault.alarms[0].name == "TimbraSignerFailed"
    assert fault.unready is not None
    assert "el proveedor no puede timbrar" in fault.said
    assert {(each.code, each.status) for each in fault.rejections} == {("CO1000", 503)}
    found = report.comparison
    assert found.is_clean
    assert found.invoices == found.answered == found.stored == found.delivered > 10
    assert "El dispositivo de firma no responde: recuperación" in steps


@pytest.mark.skipif(not LONG, reason="a whole drill takes a quarter of an hour")
def test_drill_of_all_faults_passes_by_its_command(tmp_path: Path) -> None:
    need_cluster()
    need("softhsm", not soft_token.missing(), soft_token.missing())
    command = [sys.executable, "-m", "timbra.cli", "drill", "--json", "--report", str(tmp_path / "report.html")]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TIMBRA_")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=3600, check=False)
    print(done.stdout, done.stderr)
    report = json.loads(done.stdout)
    skipped = [fault["name"] for fault in report["faults"] if fault["outcome"] == "skipped"]
    assert done.returncode == (3 if skipped else 0)
    assert skipped in ([], ["disk"])
    assert [fault["name"] for fault in report["faults"]] == ["authority", "device", "database", "node", "disk", "clock"]
    assert "<h1" in (tmp_path / "report.html").read_text("utf-8")
