"""No test asserts a duration; deadlines of waiting are allowed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.timed_assertions import timed_assertions

TESTS = Path(__file__).parent


def test_timed_assertions_are_absent_from_all_tests() -> None:
    found = [
        f"{path.relative_to(TESTS)}:{line}"
        for path in sorted(TESTS.rglob("*.py"))
        if path != Path(__file__)
        for line in timed_assertions(path.read_text("utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "assert time.monotonic() - begun < 5",
        "from time import perf_counter_ns\nbegun = perf_counter_ns()\nassert begun - before < 5",
        "from time import perf_counter as now\nbegun = now()\nassert 5 > now() - begun",
        "elapsed = time.perf_counter() - begun\nassert elapsed < 5",
        "fast = time.process_time() - begun < 5\nassert fast",
        "all = []\nall.append(time.time() - begun)\nassert min(all) < 5",
        "def seconds():\n    begun = time.monotonic()\n    return time.monotonic() - begun\nassert seconds() < 5",
        "assert loop.time() - begun < 5",
        "assert timeit.timeit(work) < 5",
        "taken = timeit.repeat(work)\nassert min(taken) < 5",
        "from timeit import timeit\nassert timeit(work) < 5",
        "run('import time; print(time.process_time() - start)')",
        "if (passed := time.monotonic() - begun) > 1:\n    assert passed < 5",
    ],
)
def test_timed_assertions_finds_durations(source: str) -> None:
    assert len(timed_assertions(source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "deadline = time.monotonic() + 10\nwhile waiting():\n    assert time.monotonic() < deadline",
        "while time.monotonic() - begun < 60:\n    act()",
        "process.wait(deadline - time.monotonic())",
        "assert process.wait(20) == 0",
        "assert total - discount == 5",
        "assert clock.now() - noon == timedelta(hours=1)",
        "assert measured.time == 5",
    ],
)
def test_timed_assertions_allows_deadlines_and_other_differences(source: str) -> None:
    assert timed_assertions(source) == []
