"""The same documents through two processes at the same time: one stamp each."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path

from tests.resilience import audit
from tests.resilience.clients import Client, Told, clients_of_all_workers
from tests.resilience.orders import Order, Orders
from tests.support.server import furnish, running

CLIENTS = 8
WORKERS = 2
DOCUMENTS = 50


def test_eight_clients_and_two_workers_give_each_document_one_stamp(tmp_path: Path) -> None:
    data = tmp_path / "data"
    token = furnish(data)
    orders = Orders(data, 1).distinct(DOCUMENTS)
    with running(data, token=token, workers=WORKERS) as server:
        clients = clients_of_all_workers(CLIENTS, WORKERS, server.address, token)
        told = _all_at_once(clients, orders)
    kept = {one.number: one.uuid for one in audit.kept(data)}
    assert sorted(kept) == [order.number for order in orders]
    assert Counter(one.code for one in told) == {"200": DOCUMENTS, "307": (CLIENTS - 1) * DOCUMENTS}
    assert [one for one in told if one.uuid != kept[one.number]] == []
    winners = Counter(one.worker for one in told if one.code == "200")
    assert len(winners) == WORKERS
    assert audit.stamped_events(data) == Counter(kept.values())


def _all_at_once(clients: list[Client], orders: list[Order]) -> list[Told]:
    """Every client sends every document in the same order, each document when all clients are ready for it."""
    barrier = threading.Barrier(len(clients), timeout=30)
    told: list[Told] = []

    def send(client: Client) -> None:
        for order in orders:
            barrier.wait()
            told.append(client.send(order))
        client.close()

    threads = [threading.Thread(target=send, args=(client,), daemon=True) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(told) == len(clients) * len(orders)
    return told
