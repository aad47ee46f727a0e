"""The record of the machine's clock."""

from __future__ import annotations

import pytest
from structlog.testing import capture_logs
from tests.support.sandbox_app import SandboxApp

from timbra.operations.build import record_clock
from timbra.operations.clock_discipline import ClockDiscipline, ClockReading
from timbra.operations.watches import clock_discipline


def test_record_clock_has_no_alarm_in_a_sandbox(sandbox_app: SandboxApp, monkeypatch: pytest.MonkeyPatch) -> None:
    inaccurate = ClockDiscipline(lambda: ClockReading(synchronized=False, offset=0, max_error=16), 1)
    monkeypatch.setitem(sandbox_app.container.parts, clock_discipline, inaccurate)
    with capture_logs() as lines:
        record_clock(sandbox_app.container)
    assert lines == []
