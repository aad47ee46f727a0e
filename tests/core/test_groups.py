"""Groups of documents."""

from __future__ import annotations

import pytest

from timbra.core.groups import GROUP_BYTES, GROUP_DOCUMENTS, in_groups


@pytest.mark.parametrize(
    ("sizes", "lengths"),
    [
        ([], []),
        ([1] * GROUP_DOCUMENTS, [GROUP_DOCUMENTS]),
        ([1] * (GROUP_DOCUMENTS + 1), [GROUP_DOCUMENTS, 1]),
        ([1, GROUP_BYTES - 1, 1], [2, 1]),
        ([1, GROUP_BYTES - 2, 1, 1], [3, 1]),
        ([2 * GROUP_BYTES, 0, 0], [1, 2]),
    ],
)
def test_in_groups_ends_a_group_at_its_limits(sizes: list[int], lengths: list[int]) -> None:
    documents = [b"x" * size for size in sizes]
    groups = list(in_groups(documents, len))
    assert [len(group) for group in groups] == lengths
    assert [document for group in groups for document in group] == documents


def test_in_groups_reads_no_further_than_the_group() -> None:
    remaining = iter([b"x" * GROUP_BYTES, b"y"])
    assert next(in_groups(remaining, len)) == [b"x" * GROUP_BYTES]
    assert next(remaining) == b"y"
