"""The promises in the README name tests that exist, and the dates of the newest results."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.promises import PROMISES, Promise, last_runs, promise_list

TESTS = Path(__file__).resolve().parents[1]
RESULTS = """
- **Fuzzing**, `make fuzz`

## Results

### 2026-01-02

- **Fuzzing**: first
- **Fuzzing of readers**: other

### 2026-03-04

- **Fuzzing**: second
"""


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.text)
def test_promise_has_tests_that_exist_or_a_longer_check(promise: Promise) -> None:
    assert promise.tests or promise.check
    assert [path for path in promise.tests if not (TESTS / path).exists()] == []


def test_last_runs_are_the_newest_of_each_title() -> None:
    assert last_runs(RESULTS) == {"Fuzzing": "2026-03-04", "Fuzzing of readers": "2026-01-02"}


def test_promises_need_a_result_of_each_check() -> None:
    with pytest.raises(ValueError, match="Chaos test"):
        promise_list(RESULTS)
