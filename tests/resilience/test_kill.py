"""SIGKILL at any moment loses no answered stamp and doubles none, seen from clients over HTTP."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

from tests.resilience.audit import audit, kept, repeat, settle
from tests.resilience.clients import Book, LoadClients
from tests.resilience.deployment import Deployment
from tests.resilience.killing import kill_all, wait_for, workers_of
from tests.resilience.stamp_requests import Orders
from tests.support.server import Server

ROUNDS = 10
CLIENTS = 6
WORKERS = 2
LONGEST_ROUND = 1.0
REPEATED = 100


def test_kills_lose_and_double_no_answered_stamp(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    jitter = random.Random(seed)
    site, book = Deployment(tmp_path / "data"), Book()
    token = site.seed()
    orders = Orders(site, seed)
    in_flight = [_round(site, token, orders, book, jitter) for _ in range(ROUNDS)]
    print(f"{len(orders.drawn)} orders, {len(book.told)} answers, {len(book.lost)} broken off: {in_flight}")
    assert sum(count > 0 for count in in_flight) > ROUNDS // 2
    assert len(book.told) > 10 * ROUNDS
    print(audit(site.settings, book))
    stored = {one.number for one in kept(site.settings)}
    print(f"{len(stored.intersection(book.unanswered))} stored without an answer")
    with site.node(token, workers=WORKERS) as server:
        settle(server, orders, book, stored)
        repeat(server, orders, book, REPEATED)
    print(audit(site.settings, book))


def _round(site: Deployment, token: str, orders: Orders, book: Book, jitter: random.Random) -> int:
    """One life of the server; how many requests its end broke off."""
    lost = len(book.lost)
    with site.node(token, workers=WORKERS) as server:
        load_clients = LoadClients(CLIENTS, server.address, token, orders, book, retries=False)
        load_clients.start()
        time.sleep(jitter.uniform(0, LONGEST_ROUND))
        assert kill_all(server, jitter) >= 1
        load_clients.stop()
    return len(book.lost) - lost


def test_one_killed_worker_is_replaced_while_the_other_serves(tmp_path: Path) -> None:
    site, book = Deployment(tmp_path / "data"), Book()
    token = site.seed()
    orders = Orders(site, 1)
    with site.node(token, workers=WORKERS) as server:
        wait_for(lambda: len(workers_of(server)) == WORKERS, 10)
        load_clients = LoadClients(CLIENTS, server.address, token, orders, book, retries=True)
        load_clients.start()
        for _ in range(2):
            _kill_one(server, book)
        load_clients.stop()
        settle(server, orders, book, {one.number for one in kept(site.settings)})
    print(audit(site.settings, book))


def _kill_one(server: Server, book: Book) -> None:
    """Kills the older worker once both answer; the other lives on and answers until a new one is there."""
    wait_for(lambda: len({one.worker for one in book.told[-50:]}) == WORKERS, 20)
    first, second = workers_of(server)
    answered = len(book.told)
    os.kill(first.pid, signal.SIGKILL)
    wait_for(lambda: len(book.told) > answered + CLIENTS, 20)
    wait_for(lambda: len(workers_of(server)) == WORKERS and first not in workers_of(server), 20)
    assert second.is_running()
