"""Comparison of two tables in constant memory: sums of hashes by bucket.

Rows that agree have equal sums in whatever order they are read. A bucket whose sums differ is read again, row by row.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

MASK = (1 << 64) - 1
ROWS_PER_BUCKET = 256
MOST_BUCKETS = 1 << 16


def buckets_for(rows: int) -> int:
    """Return the number of buckets for so many rows, a power of two."""
    return min(max(1 << (rows // ROWS_PER_BUCKET).bit_length(), 64), MOST_BUCKETS)


class BucketSums:
    """Sums of the hashes of rows. `number`: of the buckets, a power of two."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._sums = [0] * number

    def bucket_of(self, key: Hashable) -> int:
        return hash(key) & (self.number - 1)

    def add(self, key: Hashable, row: Hashable) -> None:
        """Add a row to the bucket of its key."""
        self._sums[hash(key) & (self.number - 1)] += hash(row)

    def differing(self, other: BucketSums) -> Iterator[int]:
        """Yield the buckets whose sums differ."""
        for bucket, (mine, others) in enumerate(zip(self._sums, other._sums, strict=True)):
            if (mine - others) & MASK:
                yield bucket
