"""Several processes on one database, and processes that are killed."""

from __future__ import annotations

import random
import signal
import time
from collections import Counter

from sqlalchemy import func, select
from tests.support.effort import rounds
from tests.support.events import write_deliveries
from tests.support.store_records import claim
from tests.support.store_worker import Answer, Worker

from timbra.core.clock import WallClock
from timbra.database.database import open_database
from timbra.database.tables.stamps import EVENT, OUTBOX, STAMP
from timbra.stamps.port import AlreadyStamped
from timbra.stamps.repository import DatabaseStamps
from timbra.stamps.usage import UsageCounter

KILLS = rounds(8, 20)


def stored(address: str) -> dict[str, str]:
    """Return the folio of every stored seal, and assert that each has one event and one delivery."""
    database = open_database(address)
    write_deliveries(database)
    with database.read() as connection:
        found = connection.execute(select(STAMP.c.folio, STAMP.c.uuid)).all()
        for table, subject in ((EVENT, EVENT.c.subject), (OUTBOX, OUTBOX.c.subject)):
            assert connection.execute(select(func.count()).select_from(table)).scalar_one() == len(found)
            assert set(connection.execute(select(subject)).scalars()) == {uuid for _, uuid in found}
    assert UsageCounter(database).total(1) == len(found)
    database.close()
    assert len({seal for seal, _ in found}) == len(found)
    return {row.folio: row.uuid for row in found}


def test_claim_gives_one_folio_for_each_seal_to_concurrent_processes(address: str) -> None:
    workers = [Worker(address, 60, 7, 40) for _ in range(4)]
    answers = [answer for worker in workers for answer in worker.rest()]
    assert [worker.process.exitcode for worker in workers] == [0] * 4
    assert len(answers) == 4 * 40 * 7
    folios = stored(address)
    assert all(folios[seal] == folio for _, seal, folio in answers)
    assert Counter(seal for kind, seal, _ in answers if kind == "Stored") == dict.fromkeys(folios, 1)


def test_claim_keeps_answered_stamps_when_processes_are_killed(address: str) -> None:
    jitter = random.Random(1)
    answers: list[Answer] = []
    for _ in range(KILLS):
        worker = Worker(address, 100_000, 3)
        answers += worker.first()
        time.sleep(jitter.uniform(0, 0.06))
        worker.process.kill()
        answers += worker.rest()
        assert worker.process.exitcode == -signal.SIGKILL
    folios = stored(address)
    assert len(answers) >= 3 * KILLS
    assert [answer for answer in answers if folios.get(answer[1]) != answer[2]] == []
    seals = Counter(seal for kind, seal, _ in answers if kind == "Stored")
    assert max(seals.values()) == 1


def test_claim_returns_the_stored_stamps_when_repeated_after_a_kill(address: str) -> None:
    worker = Worker(address, 50, 10)
    worker.first()
    worker.process.kill()
    worker.rest()
    before = stored(address)
    database = open_database(address)
    stamps = DatabaseStamps(database, WallClock())
    outcomes = stamps.claim([claim(seal) for seal in before])
    stamps.close()
    database.close()
    repeats = [outcome.record.uuid for outcome in outcomes if isinstance(outcome, AlreadyStamped)]
    assert repeats == list(before.values())
    assert stored(address) == before
