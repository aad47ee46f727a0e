"""SIGKILL at any moment loses and duplicates no answered stamp."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path

from tests.resilience.audit import audit, repeat, settle, stored_stamps
from tests.resilience.clients import AnswerLog, LoadClients
from tests.resilience.deployment import Deployment
from tests.resilience.killing import is_alive, kill_all, processes_of, wait_for, workers_of
from tests.resilience.stamp_requests import Orders
from tests.support.effort import rounds
from tests.support.server import Server

from timbra.app.composition import open_container
from timbra.delivery.build import authority_outbox

ROUNDS = rounds(4, 10)
CLIENTS = 6
WORKERS = 2
LONGEST_ROUND = 100
"""Most answers before a server is killed."""
REPEATED = rounds(40, 100)
DEADLINE_SECONDS = 60


def test_kills_lose_and_duplicate_no_answered_stamp(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    jitter = random.Random(seed)
    deployment, answer_log = Deployment(tmp_path / "data"), AnswerLog()
    token = deployment.seed()
    orders = Orders(deployment, seed)
    in_flight = [_round(deployment, token, orders, answer_log, jitter) for _ in range(ROUNDS)]
    print(
        f"{len(orders.drawn)} orders, {len(answer_log.answers)} answers, {len(answer_log.lost)} broken off: {in_flight}"
    )
    assert sum(count > 0 for count in in_flight) > ROUNDS // 2
    print(audit(deployment.settings, answer_log))
    stored = {one.number for one in stored_stamps(deployment.settings)}
    print(f"{len(stored.intersection(answer_log.unanswered))} stored without an answer")
    with deployment.node(token, workers=WORKERS) as server:
        settle(server, orders, answer_log, stored)
        repeat(server, orders, answer_log, REPEATED)
    print(audit(deployment.settings, answer_log))


def _round(deployment: Deployment, token: str, orders: Orders, answer_log: AnswerLog, jitter: random.Random) -> int:
    """Run and kill a server, and return the number of interrupted requests."""
    lost = len(answer_log.lost)
    with deployment.node(token, workers=WORKERS) as server:
        load_clients = LoadClients(CLIENTS, server.address, token, orders, answer_log, retries=False)
        load_clients.start()
        enough = len(answer_log.answers) + jitter.randint(10, LONGEST_ROUND)
        wait_for(lambda: len(answer_log.answers) >= enough, DEADLINE_SECONDS)
        assert kill_all(server, jitter) >= 1
        load_clients.stop()
    return len(answer_log.lost) - lost


def test_killed_worker_is_replaced_while_the_other_serves(tmp_path: Path) -> None:
    deployment, answer_log = Deployment(tmp_path / "data"), AnswerLog()
    token = deployment.seed()
    orders = Orders(deployment, 1)
    with deployment.node(token, workers=WORKERS) as server:
        wait_for(lambda: len(workers_of(server)) == WORKERS, DEADLINE_SECONDS)
        load_clients = LoadClients(CLIENTS, server.address, token, orders, answer_log, retries=True)
        load_clients.start()
        for _ in range(2):
            _kill_one(server, answer_log)
        load_clients.stop()
        settle(server, orders, answer_log, {one.number for one in stored_stamps(deployment.settings)})
    print(audit(deployment.settings, answer_log))


def _kill_one(server: Server, answer_log: AnswerLog) -> None:
    """Kill the older worker when both answer; the other one must answer until it is replaced."""
    wait_for(lambda: len({one.worker for one in answer_log.answers[-50:]}) == WORKERS, DEADLINE_SECONDS)
    first, second = workers_of(server)
    answered = len(answer_log.answers)
    os.kill(first.pid, signal.SIGKILL)
    wait_for(lambda: len(answer_log.answers) > answered + CLIENTS, DEADLINE_SECONDS)
    wait_for(lambda: len(workers_of(server)) == WORKERS and first not in workers_of(server), DEADLINE_SECONDS)
    assert second.is_running()


def test_killed_supervisor_leaves_no_process_and_a_new_server_takes_over(tmp_path: Path) -> None:
    """Its workers stamp, one of them has a child process; the port is free and the deliveries go on."""
    deployment, answer_log = Deployment(tmp_path / "data"), AnswerLog()
    token = deployment.seed()
    orders = Orders(deployment, 1)
    with deployment.node(token, workers=WORKERS) as server:
        wait_for(lambda: len(workers_of(server)) == WORKERS, DEADLINE_SECONDS)
        load_clients = LoadClients(CLIENTS, server.address, token, orders, answer_log, retries=False)
        load_clients.start()
        wait_for(lambda: len(answer_log.answers) >= LONGEST_ROUND, DEADLINE_SECONDS)
        with server.client() as client:
            printed = client.post(f"/pdf/v1/api/RegeneratePdf/{answer_log.answers[0].uuid}")
            assert printed.status_code == 200
        processes = processes_of(server)
        assert len(processes) > WORKERS
        os.kill(server.process.pid, signal.SIGKILL)
        wait_for(lambda: not any(map(is_alive, processes)), DEADLINE_SECONDS)
        load_clients.stop()
    port = int(server.address.rpartition(":")[2])
    stored = {one.number for one in stored_stamps(deployment.settings)}
    with deployment.node(token, workers=WORKERS, port=port) as server:
        settle(server, orders, answer_log, stored)
        repeat(server, orders, answer_log, REPEATED)
        with open_container(deployment.settings) as container:
            wait_for(lambda: container.get(authority_outbox).size() == 0, DEADLINE_SECONDS)
    print(audit(deployment.settings, answer_log))
