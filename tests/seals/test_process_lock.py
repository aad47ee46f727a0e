"""Processes open a token one at a time, and wait for a limited time."""

from __future__ import annotations

from pathlib import Path

import pytest

from timbra.seals.signers import process_lock
from timbra.seals.signers.process_lock import hold_process_lock


class Clock:
    """Replaces `time` in the module; `sleep` advances it. slept: the seconds of all sleeps."""

    def __init__(self) -> None:
        self.slept = 0.0

    def monotonic(self) -> float:
        return self.slept

    def sleep(self, seconds: float) -> None:
        self.slept += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(process_lock, "time", made)
    return made


@pytest.fixture
def module(tmp_path: Path) -> Path:
    made = tmp_path / "module.so"
    made.touch()
    return made


def test_hold_process_lock_waits_up_to_its_limit(module: Path, clock: Clock) -> None:
    with hold_process_lock(module):
        assert clock.slept == 0
        with hold_process_lock(module):
            assert clock.slept == pytest.approx(process_lock.MAX_WAIT_SECONDS, abs=process_lock.POLL_SECONDS)
    waited = clock.slept
    with hold_process_lock(module):
        assert clock.slept == waited


def test_hold_process_lock_does_not_wait_when_module_is_no_file(tmp_path: Path, clock: Clock) -> None:
    absent = tmp_path / "absent.so"
    with hold_process_lock(absent), hold_process_lock(Path("bare-name.so")), hold_process_lock(absent):
        assert clock.slept == 0


def test_hold_process_lock_releases_when_the_block_fails(module: Path, clock: Clock) -> None:
    with pytest.raises(OSError, match="inside"), hold_process_lock(module):
        raise OSError("inside")
    with hold_process_lock(module):
        assert clock.slept == 0
