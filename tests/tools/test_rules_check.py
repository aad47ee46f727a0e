"""`make rules-check`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import rules_check


@pytest.mark.parametrize("path", rules_check.RECORD_TESTS, ids=lambda path: path.stem)
def test_each_test_of_records_exists(path: Path) -> None:
    assert path.is_file()


def test_run_tests_prints_why_pytest_could_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rules_check, "RECORD_TESTS", (tmp_path / "test_absent.py",))
    assert rules_check._run_tests() != 0
    assert "test_absent.py" in capsys.readouterr().err
