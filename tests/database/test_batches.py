"""Batches whose rows fail."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.exc import StatementError

from timbra.core.errors import ServiceError
from timbra.database.batches import is_transient, parts_of, run_isolated

DOWN = ServiceError("CO1000", retry_after=5)


class Work:
    """Accepts parts without poisoned numbers, completely or not at all; fails from call `down_after` on."""

    def __init__(self, poisoned: set[int], down_after: int = 1_000_000) -> None:
        self.poisoned = poisoned
        self.down_after = down_after
        self.taken: list[int] = []
        self.calls = 0

    def __call__(self, rows: Sequence[int]) -> None:
        self.calls += 1
        if self.calls > self.down_after:
            raise DOWN
        if self.poisoned & set(rows):
            raise ValueError(min(self.poisoned & set(rows)))
        self.taken += rows


@given(st.integers(0, 70), st.sets(st.integers(0, 69)))
def test_run_isolated_fails_exactly_the_poisoned_rows(size: int, poisoned: set[int]) -> None:
    work = Work(poisoned)
    result = run_isolated(range(size), work)
    assert result.done == work.taken == [row for row in range(size) if row not in poisoned]
    assert [(row, error.args) for row, error in result.failed] == [
        (row, (row,)) for row in range(size) if row in poisoned
    ]
    assert (result.left, result.interruption) == ([], None)


@given(st.integers(1, 70), st.sets(st.integers(0, 69)), st.integers(0, 20))
def test_run_isolated_stops_at_a_transient_failure(size: int, poisoned: set[int], calls: int) -> None:
    result = run_isolated(range(size), Work(poisoned, calls))
    processed = [*result.done, *(row for row, _ in result.failed), *result.left]
    assert sorted(processed) == list(range(size))
    assert bool(result.left) == (result.interruption is DOWN)


def test_run_isolated_finds_one_poisoned_row_in_few_calls() -> None:
    work = Work({4_321})
    run_isolated(range(5_000), work)
    assert work.calls < 2 * 14


@pytest.mark.parametrize(
    ("error", "transient"),
    [
        (DOWN, True),
        (ServiceError("authority-down"), True),
        (ServiceError("mail-down"), True),
        (OSError(), True),
        (MemoryError(), True),
        (StatementError("no memory", "SELECT 1", (), MemoryError()), True),
        (StatementError("no text", "SELECT 1", (), TypeError()), False),
        (ServiceError("CO1000"), False),
        (ServiceError("301"), False),
        (ValueError(), False),
    ],
)
def test_is_transient_tells_failures_that_pass_by_themselves(error: Exception, *, transient: bool) -> None:
    assert is_transient(error) is transient


@pytest.mark.parametrize("count", [0, 1, 8, 9, 64, 65, 200, 256])
def test_parts_of_yields_all_rows_in_few_sizes(count: int) -> None:
    rows = list(range(count))
    parts = list(parts_of(rows, 64))
    assert [row for part in parts for row in part] == rows
    assert len(parts) <= count // 64 + 6
    assert {len(part) for part in parts} <= {1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64}
