"""One bit flipped anywhere in a data folder: the check names it, or it is shown to be free space."""

from __future__ import annotations

import os
import random
from collections import Counter
from pathlib import Path

import pytest
from tests.fsck.flips import Flip, FlippedFolder
from tests.fsck.support import populate, settle
from tests.support.cancellation_app import CancellationApp
from tests.support.effort import rounds
from tests.support.sandbox_activity import Activity
from tests.support.store_records import MovableClock

from timbra.fsck.coverage import NOT_COVERED

AT_WORK = "at work"
SEED = int(os.environ.get("TIMBRA_TEST_SEED", "20261129"))

NOT_PROVED = {
    "sandbox_document.state",
    "sandbox_document.cancellation",
    "usage_day.refusals",
    "sqlite_sequence.seq",
    "generation",
}
"""What docs/fsck.md names as not proved, and the numbers that SQLite gives next."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> FlippedFolder:
    data: Path = tmp_path_factory.mktemp("data") / "sandbox"
    app = CancellationApp(data, wall=MovableClock())
    Activity(app, 3).run(rounds(5, 40))
    for _ in range(rounds(5, 60)):
        app.invoice()
    populate(app)
    settle(app.container)
    app.container.close()
    return FlippedFolder(data, clock="2026-11-17T12:00:00")


def is_proved(place: str) -> bool:
    return place not in NOT_PROVED and NOT_COVERED.get(place.partition(".")[0]) != AT_WORK


def test_every_flipped_bit_is_named_or_free(folder: FlippedFolder) -> None:
    drawing, counts, missed = random.Random(SEED), Counter[str](), []
    for number in range(rounds(25, 10_000)):
        flip = folder.draw(drawing)
        outcome = folder.outcome(flip)
        changed = any(map(is_proved, outcome.changed or ()))
        # A byte in use whose flip changes no content is in an index, a page or a schema: it is missed as well.
        is_missed = changed if outcome.is_free or outcome.changed else not outcome.named
        if is_missed:
            missed.append((flip, outcome.changed))
        kind = "free" if outcome.is_free else "named" if outcome.named else "missed" if is_missed else "at work"
        counts[kind] += 1
        if is_missed or number % 100 == 99:
            print(f"{number + 1} of {folder.size} bytes, seed {SEED}: {dict(counts)} {missed[-1:]}", flush=True)
    assert not missed


def test_a_flipped_bit_of_every_byte_beside_the_database_is_named(folder: FlippedFolder) -> None:
    drawing = random.Random(SEED)
    places = [(name, place) for name, size in folder.beside.items() for place in range(size)]
    drawing.shuffle(places)
    missed = []
    for name, place in places[: rounds(15, len(places))]:
        if not folder.outcome(Flip(name, place, drawing.randrange(8))).named and is_proved(name):
            missed.append((name, place))
    print(f"{len(places)} bytes of {len(folder.beside)} files, seed {SEED}")
    assert not missed
