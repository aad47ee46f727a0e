"""The sizes of a whole and of a quick run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Plan:
    """Sizes of a run: counts of requests or calls of a round.

    Attributes:
        rounds: interleaved rounds, after one round of warm-up.
        paced_windows, paced_seconds: number and length of the measurements of latency.
        repeats, validations: calls of a round by number of concepts.
    """

    rounds: int
    requests: int
    calls: int
    pairs: int
    paced_windows: int
    paced_seconds: float
    cold_starts: int
    repeats: dict[int, int]
    validations: dict[int, int]
    connections: int = 8
    paced_connections: int = 32


WHOLE = Plan(
    rounds=7,
    requests=1500,
    calls=600,
    pairs=400,
    paced_windows=7,
    paced_seconds=4,
    cold_starts=5,
    repeats={1: 300, 3: 300, 10: 150, 100: 40, 1000: 7, 10_000: 2},
    validations={1: 200, 3: 200, 10: 100, 100: 20, 1000: 4, 10_000: 1},
)
QUICK = Plan(
    rounds=3,
    requests=500,
    calls=200,
    pairs=200,
    paced_windows=3,
    paced_seconds=2,
    cold_starts=3,
    repeats={1: 60, 3: 60, 10: 40, 100: 15, 1000: 3},
    validations={1: 50, 3: 50, 10: 30, 100: 8, 1000: 2},
)
