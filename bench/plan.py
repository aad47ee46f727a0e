"""The sizes of a whole and of a quick run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Plan:
    """Sizes of a run: counts of requests or calls of a round.

    Attributes:
        rounds: interleaved rounds, after one round of warm-up.
        paced_windows, paced_seconds: number and length of the measurements of latency.
        saturation_windows, saturation_seconds: the same for each rate that is tried.
        saturation_shares: shares of the measured rate at which latency may be tried, the lowest first; each second one
            of those that are left is tried.
        repeats, validations: calls of a round by number of concepts.
        is_whole: whether all tables are measured, or only those of one worker on SQLite.
    """

    rounds: int
    requests: int
    calls: int
    pairs: int
    paced_windows: int
    paced_seconds: float
    saturation_windows: int
    saturation_seconds: float
    saturation_shares: tuple[float, ...]
    cold_starts: int
    repeats: dict[int, int]
    validations: dict[int, int]
    is_whole: bool
    connections: int = 8
    paced_connections: int = 32


WHOLE = Plan(
    rounds=5,
    requests=1000,
    calls=400,
    pairs=300,
    paced_windows=5,
    paced_seconds=3,
    saturation_windows=3,
    saturation_seconds=3,
    saturation_shares=tuple([share / 100 for share in range(20, 100, 5)]),
    cold_starts=5,
    repeats={1: 300, 3: 300, 10: 150, 100: 40, 1000: 7, 10_000: 2},
    validations={1: 200, 3: 200, 10: 100, 100: 20, 1000: 4, 10_000: 1},
    is_whole=True,
)
"""All tables, in at most 20 minutes on two quiet cores."""
QUICK = Plan(
    rounds=3,
    requests=200,
    calls=100,
    pairs=100,
    paced_windows=3,
    paced_seconds=1,
    saturation_windows=2,
    saturation_seconds=1,
    saturation_shares=(0.2, 0.4, 0.6, 0.8),
    cold_starts=1,
    repeats={},
    validations={},
    is_whole=False,
)
"""The lines that a change of the way of a request moves, in at most two minutes on two quiet cores."""
