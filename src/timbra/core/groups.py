"""Groups of documents that go through each step of their work together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

GROUP_DOCUMENTS, GROUP_BYTES = 32, 256 * 1024
"""Documents, with their trees, that are in memory together."""


def in_groups(documents: Iterable[T], size: Callable[[T], int]) -> Iterator[list[T]]:
    """Yield documents in groups, so that the code and data of a step stay in the caches of the processor.

    Args:
        documents: read no further than to the end of the group.
        size: returns the bytes of a document.

    Yields:
        At most `GROUP_DOCUMENTS`, which end with the one that reaches `GROUP_BYTES`.
    """
    group: list[T] = []
    total = 0
    for document in documents:
        group.append(document)
        total += size(document)
        if len(group) == GROUP_DOCUMENTS or total >= GROUP_BYTES:
            yield group
            group, total = [], 0
    if group:
        yield group
