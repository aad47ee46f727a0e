"""Stamps whose transactions are counted and timed."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

from timbra.clock import Clock
from timbra.meters import COMMIT_SECONDS, COMMIT_STAMPS, OUTCOMES, Meters
from timbra.store.database import Database
from timbra.store.port import Claim, CustomIdTaken, Exhausted, Outcome, Repeated, Stored
from timbra.store.stamps import DatabaseStamps

WORDS: dict[type[Outcome], tuple[str]] = {
    Stored: ("stored",),
    Repeated: ("repeated",),
    CustomIdTaken: ("customid",),
    Exhausted: ("exhausted",),
}


class MeteredStamps(DatabaseStamps):
    """`DatabaseStamps` that tells the meters of each batch."""

    def __init__(self, database: Database, fiscal: Clock, wall: Clock | None, meters: Meters) -> None:
        super().__init__(database, fiscal, wall)
        self._meters = meters

    def claim(self, claims: Sequence[Claim]) -> list[Outcome]:
        begun = perf_counter()
        outcomes = super().claim(claims)
        meters = self._meters
        meters.observe(COMMIT_SECONDS, (), perf_counter() - begun)
        meters.observe(COMMIT_STAMPS, (), len(claims))
        for outcome in outcomes:
            meters.count(OUTCOMES, WORDS[type(outcome)])
        return outcomes
