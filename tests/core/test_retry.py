"""Pauses of exponential backoff."""

from __future__ import annotations

import pytest

from timbra.core.retry import Backoff


def test_backoff_doubles_its_pauses_up_to_the_limit() -> None:
    backoff = Backoff(0.5, limit=3.0, spread=0.0)
    assert [backoff.pause(failures) for failures in (1, 2, 3, 4, 9_000)] == [0.5, 1.0, 2.0, 3.0, 3.0]


@pytest.mark.parametrize(
    ("spread", "number", "pause"),
    [(1.0, 0.0, 0.0), (1.0, 1.0, 4.0), (1.0, 0.25, 1.0), (0.5, 0.0, 2.0), (0.5, 1.0, 4.0), (0.5, 0.5, 3.0)],
)
def test_backoff_waits_a_random_part_of_the_spread(spread: float, number: float, pause: float) -> None:
    assert Backoff(4.0, spread=spread, jitter=lambda: number).pause(1) == pause
