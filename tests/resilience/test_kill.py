"""SIGKILL at any moment loses no answered stamp and doubles none, seen from clients over HTTP."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.resilience import audit
from tests.resilience.clients import Book, Client, Crowd, Told
from tests.resilience.killing import kill_all, wait_for, workers_of
from tests.resilience.orders import Orders, is_contested
from tests.support.server import Server, furnish, running

ROUNDS = 20
CLIENTS = 6
WORKERS = 2
LONGEST_ROUND = 1.0


def test_twenty_kills_lose_and_double_no_answered_stamp(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    data = tmp_path / "data"
    token, book = furnish(data), Book()
    orders = Orders(data, seed)
    in_flight = [_round(data, token, orders, book, chance) for _ in range(ROUNDS)]
    print(f"{len(orders.drawn)} orders, {len(book.told)} answers, {len(book.lost)} broken off: {in_flight}")
    assert sum(count > 0 for count in in_flight) > ROUNDS // 2
    assert len(book.told) > 10 * ROUNDS
    _check(data, book, audit.kept(data))
    stored = {one.number for one in audit.kept(data)}
    print(f"{len(stored.intersection(book.unanswered))} stored without an answer")
    with running(data, token=token, workers=WORKERS) as server:
        client = Client(server.address, token)
        late = Book([client.send(orders.drawn[number]) for number in book.unanswered])
        client.close()
    assert {one.code for one in late.told if one.number in stored} <= {"307"}
    assert {one.code for one in late.told if one.number not in stored and not is_contested(one.number)} <= {"200"}
    whole = Book(book.told + late.told)
    kept = audit.kept(data)
    _check(data, whole, kept)
    assert not whole.unanswered
    assert Counter(audit.delivered(data)) == Counter(one.uuid for one in kept)


def _round(data: Path, token: str, orders: Orders, book: Book, chance: random.Random) -> int:
    """One life of the server; how many requests its end broke off."""
    lost = len(book.lost)
    with running(data, token=token, workers=WORKERS) as server:
        crowd = Crowd(CLIENTS, server.address, token, orders, book, patient=False)
        crowd.start()
        time.sleep(chance.uniform(0, LONGEST_ROUND))
        assert kill_all(server, chance) >= 1
        crowd.stop()
    return len(book.lost) - lost


def _check(data: Path, book: Book, kept: Sequence[audit.Kept]) -> None:
    """Every answer is true of what is stored, and what is stored is stored once."""
    assert {one.code for one in book.told} <= {"200", "307", "CFDI3307"}
    by_number = {one.number: one for one in kept}
    assert len(by_number) == len({one.uuid for one in kept}) == len({one.seal_hash for one in kept}) == len(kept)
    assert all(one.written_uuids == (one.uuid,) for one in kept)
    assert audit.stamped_events(data) == Counter(one.uuid for one in kept)
    wrong = {number: uuids for number, uuids in book.folios.items() if uuids != _stored_folio(by_number, number)}
    assert wrong == {}
    fresh = Counter(one.number for one in book.told if one.code == "200")
    assert not fresh or max(fresh.values()) == 1
    assert [one for one in book.told if one.code == "CFDI3307" and not _names_its_rival(one, by_number)] == []


def _stored_folio(by_number: dict[int, audit.Kept], number: int) -> set[str]:
    return {by_number[number].uuid} if number in by_number else set()


def _names_its_rival(told: Told, by_number: dict[int, audit.Kept]) -> bool:
    rival = told.number + (1 if told.number % 2 == 0 else -1)
    return is_contested(told.number) and told.number not in by_number and by_number[rival].uuid == told.uuid


def test_one_killed_worker_is_replaced_while_the_other_serves(tmp_path: Path) -> None:
    data = tmp_path / "data"
    token, book = furnish(data), Book()
    orders = Orders(data, 1)
    with running(data, token=token, workers=WORKERS) as server:
        wait_for(lambda: len(workers_of(server)) == WORKERS, 10)
        crowd = Crowd(CLIENTS, server.address, token, orders, book, patient=True)
        crowd.start()
        for _ in range(2):
            _kill_one(server, book)
        crowd.stop()
        repeats = Client(server.address, token)
        book.told += [repeats.send(orders.drawn[number]) for number in book.unanswered]
        repeats.close()
    kept = audit.kept(data)
    _check(data, book, kept)
    assert not book.unanswered
    assert Counter(audit.delivered(data)) == Counter(one.uuid for one in kept)


def _kill_one(server: Server, book: Book) -> None:
    """Kills the older worker once both answer; the other lives on and answers until a new one is there."""
    wait_for(lambda: len({one.worker for one in book.told[-50:]}) == WORKERS, 20)
    first, second = workers_of(server)
    answered = len(book.told)
    os.kill(first.pid, signal.SIGKILL)
    wait_for(lambda: len(book.told) > answered + CLIENTS, 20)
    wait_for(lambda: len(workers_of(server)) == WORKERS and first not in workers_of(server), 20)
    assert second.is_running()
