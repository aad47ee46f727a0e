"""How deliveries share the processor with the requests of their process."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DeliveryPace:
    """The pace of deliveries.

    Attributes:
        rest: Pause after a batch, as a multiple of the time of the batch.
        longest_rest: The longest pause, in seconds.
    """

    batch: int
    rest: float
    longest_rest: float = 0.1


BESIDE_REQUESTS = DeliveryPace(16, 3.0)
"""In a thread of a process that serves requests: a small batch, and a pause that leaves the processor to them."""
OWN_PROCESS = DeliveryPace(128, 1.0, 0.02)
"""In a process of its own: a transaction holds SQLite's write lock for few milliseconds; stamps come between two."""
