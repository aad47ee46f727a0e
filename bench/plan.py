"""The sizes of a whole and of a quick run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Plan:
    """Sizes of a run: counts of requests or calls of a round.

    Attributes:
        rounds: interleaved rounds, after one round of warm-up.
        paced_windows, paced_seconds: number and length of the measurements of latency.
        saturation_shares: shares of the measured rate at which latency is tried, the highest first.
        repeats, validations: calls of a round by number of concepts.
        is_whole: whether all tables are measured, or only those of one worker on SQLite.
    """

    rounds: int
    requests: int
    calls: int
    pairs: int
    paced_windows: int
    paced_seconds: float
    cold_starts: int
    saturation_shares: tuple[float, ...]
    repeats: dict[int, int]
    validations: dict[int, int]
    is_whole: bool
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
    saturation_shares=(0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.5, 0.4, 0.3),
    repeats={1: 300, 3: 300, 10: 150, 100: 40, 1000: 7, 10_000: 2},
    validations={1: 200, 3: 200, 10: 100, 100: 20, 1000: 4, 10_000: 1},
    is_whole=True,
)
QUICK = Plan(
    rounds=3,
    requests=200,
    calls=100,
    pairs=100,
    paced_windows=3,
    paced_seconds=1.5,
    cold_starts=1,
    saturation_shares=(0.8, 0.5, 0.3),
    repeats={},
    validations={},
    is_whole=False,
)
"""The lines that a change of the way of a request moves, in about four minutes."""
