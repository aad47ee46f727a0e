"""Batches: when a batch fails, it is retried in halves, so that a poisoned row fails alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from sqlalchemy.exc import StatementError

from timbra.core.errors import ServiceError

Row = TypeVar("Row")
FEW = 8
"""Up to so many rows are one part."""


@dataclass(slots=True)
class BatchResult(Generic[Row]):
    """The result of a batch.

    Attributes:
        done: Rows that succeeded.
        failed: Rows that failed alone, each with its error.
        left: Rows that were not processed because of `interruption`.
        interruption: A transient failure, which concerns all rows.
    """

    done: list[Row] = field(default_factory=list)
    failed: list[tuple[Row, Exception]] = field(default_factory=list)
    left: list[Row] = field(default_factory=list)
    interruption: Exception | None = None


def parts_of(rows: Sequence[Row], largest: int) -> Iterator[Sequence[Row]]:
    """Yield the rows in parts for statements whose text depends on the number of rows.

    A driver keeps each prepared statement, some with 100 KiB. More than eight rows therefore come in parts whose sizes
    are powers of two: a few statements serve any number of rows.

    Args:
        largest: The largest part, a power of two.
    """
    start = 0
    while left := len(rows) - start:
        size = left if left <= FEW else min(largest, 1 << (left.bit_length() - 1))
        yield rows[start : start + size]
        start += size


def is_transient(error: Exception) -> bool:
    """Whether a retry may succeed and the failure concerns all rows: a service or a database is out of reach."""
    if isinstance(error, ServiceError):
        return error.retry_after is not None or error.code in ("authority-down", "mail-down")
    return isinstance(error.orig if isinstance(error, StatementError) else error, OSError | MemoryError)


def run_isolated(rows: Sequence[Row], work: Callable[[Sequence[Row]], object]) -> BatchResult[Row]:
    """Call `work` with all rows; when it fails, with halves of them down to single rows. Raises no exception of `work`.

    Args:
        work: Processes all given rows or none of them. A transient failure ends the batch.
    """
    result: BatchResult[Row] = BatchResult()
    parts = [rows] if rows else []
    while parts:
        part = parts.pop()
        try:
            work(part)
        except Exception as error:
            if is_transient(error):
                result.interruption = error
                result.left = [row for rest in (part, *reversed(parts)) for row in rest]
                break
            if len(part) == 1:
                result.failed.append((part[0], error))
            else:
                parts += [part[len(part) // 2 :], part[: len(part) // 2]]
        else:
            result.done += part
    return result
