"""Processes that open a token take turns, but never wait without end."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from timbra.seals import turns
from timbra.seals.turns import one_at_a_time


def seconds_to_enter(module: Path) -> float:
    start = time.monotonic()
    with one_at_a_time(module):
        return time.monotonic() - start


def test_the_second_waits_for_the_first_but_not_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "module.so"
    module.touch()
    monkeypatch.setattr(turns, "LONGEST_WAIT", 0.05)
    with one_at_a_time(module):
        assert seconds_to_enter(module) >= 0.05
    monkeypatch.setattr(turns, "LONGEST_WAIT", 30)
    assert seconds_to_enter(module) < 10


def test_a_module_that_is_no_file_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "LONGEST_WAIT", 30)
    with one_at_a_time(tmp_path / "absent.so"), one_at_a_time(Path("bare-name.so")):
        assert seconds_to_enter(tmp_path / "absent.so") < 10


def test_a_failure_inside_passes_and_frees_the_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "module.so"
    module.touch()
    monkeypatch.setattr(turns, "LONGEST_WAIT", 30)
    with pytest.raises(OSError, match="inside"), one_at_a_time(module):
        raise OSError("inside")
    assert seconds_to_enter(module) < 10
