"""Declared limits of queues, buffers, caches, pools, loops and retries, from which docs/bounds.md is generated."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class BoundKind(StrEnum):
    """What is limited."""

    QUEUE = "queue"
    BUFFER = "buffer"
    CACHE = "cache"
    POOL = "pool"
    LOOP = "loop"
    RETRY = "retry"


@dataclass(frozen=True, slots=True)
class Bound:
    """A limit, in `BOUNDS` of the module that has it.

    Attributes:
        place: The class or function of the module that has it.
        limit: In English, with the value of its constant.
        at_limit: What happens there, as a sentence.
    """

    place: str
    kind: BoundKind
    limit: str
    at_limit: str
