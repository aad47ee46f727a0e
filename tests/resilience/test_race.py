"""The same documents through two processes at the same time: one stamp each."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path

from tests.resilience.audit import audit, stored_stamps
from tests.resilience.clients import AnswerLog, Client, StampAnswer, clients_of_all_workers
from tests.resilience.deployment import Deployment
from tests.resilience.stamp_requests import Order, Orders
from tests.support.databases import need_postgresql, postgresql_database
from tests.support.effort import rounds

CLIENTS = 8
WORKERS = 2
DOCUMENTS = rounds(20, 50)


def test_workers_give_concurrent_documents_one_stamp_each(tmp_path: Path) -> None:
    deployment = Deployment(tmp_path / "data")
    token = deployment.seed()
    orders = Orders(deployment, 1).distinct(DOCUMENTS)
    with deployment.node(token, workers=WORKERS) as server:
        _race(deployment, clients_of_all_workers(CLIENTS, WORKERS, server.address, token), orders)


def test_nodes_give_concurrent_documents_one_stamp_each(tmp_path: Path) -> None:
    need_postgresql()
    with postgresql_database() as url:
        deployment = Deployment(tmp_path / "data", url)
        token = deployment.seed()
        orders = Orders(deployment, 1).distinct(DOCUMENTS)
        with deployment.node(token) as one, deployment.node(token, name="other") as other:
            clients = [Client(node.address, token) for node in (one, other) for _ in range(CLIENTS // 2)]
            _race(deployment, clients, orders)


def _race(deployment: Deployment, clients: list[Client], orders: list[Order]) -> None:
    answers = _all_at_once(clients, orders)
    stored = {one.number: one.uuid for one in stored_stamps(deployment.settings)}
    assert sorted(stored) == [order.number for order in orders]
    assert Counter(one.code for one in answers) == {"200": DOCUMENTS, "307": (CLIENTS - 1) * DOCUMENTS}
    assert [one for one in answers if one.uuid != stored[one.number]] == []
    assert len({one.worker for one in answers if one.code == "200"}) == WORKERS
    print(audit(deployment.settings, AnswerLog(answers)))


def _all_at_once(clients: list[Client], orders: list[Order]) -> list[StampAnswer]:
    """Send every document from all clients at the same time."""
    barrier = threading.Barrier(len(clients), timeout=120)
    answers: list[StampAnswer] = []

    def send(client: Client) -> None:
        for order in orders:
            barrier.wait()
            answers.append(client.send(order))
        client.close()

    threads = [threading.Thread(target=send, args=(client,), daemon=True) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(600)
    assert len(answers) == len(clients) * len(orders)
    return answers
