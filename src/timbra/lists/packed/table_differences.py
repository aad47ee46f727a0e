"""Differences between two packed lists."""

from __future__ import annotations

from dataclasses import dataclass

from timbra.lists.packed.table_reader import PARTITIONS, PackedList


@dataclass(frozen=True, slots=True)
class TableDifferences:
    """Numbers of keys.

    Attributes:
        added: Keys of the new list only.
        removed: Keys of the old list only.
        changed: Keys of both lists with different columns.
    """

    added: int
    removed: int
    changed: int


def differences(old: PackedList, new: PackedList) -> TableDifferences:
    """Compare two lists; one 256th of both is in memory at a time."""
    added = removed = changed = 0
    for number in range(PARTITIONS):
        before, after = set(old.partition(number)), set(new.partition(number))
        gone = {line[: line.index(b"|")] for line in before - after}
        come = {line[: line.index(b"|")] for line in after - before}
        both = len(gone & come)
        added += len(come) - both
        removed += len(gone) - both
        changed += both
    return TableDifferences(added, removed, changed)
