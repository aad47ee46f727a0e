"""`make audit` distinguishes vulnerabilities from a service that cannot be reached."""

from __future__ import annotations

import sys

import pytest
from tools.audit import FOUND, NOT_COMPARED, audit

OUTPUTS = {
    0: ("", "no known vulnerabilities"),
    FOUND: ("lxml 6.0 PYSEC-2026-1", "PYSEC-2026-1"),
    NOT_COMPARED: ("requests.exceptions.ConnectionError: no route", "NOT COMPARED"),
}


@pytest.mark.parametrize("code", OUTPUTS)
def test_audit_states_the_result(capsys: pytest.CaptureFixture[str], code: int) -> None:
    text, expected = OUTPUTS[code]
    program = f"import sys; print({text!r}); sys.exit({1 if code else 0})"
    assert audit("requirements/runtime.txt", [sys.executable, "-c", program]) == code
    assert expected in capsys.readouterr().out
