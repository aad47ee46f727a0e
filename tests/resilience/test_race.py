"""The same documents through two processes at the same time: one stamp each."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path

from tests.resilience.audit import audit, kept
from tests.resilience.clients import Book, Client, Told, clients_of_all_workers
from tests.resilience.deployment import Deployment
from tests.resilience.stamp_requests import Order, Orders
from tests.store.databases import need_postgresql, postgresql_database

CLIENTS = 8
WORKERS = 2
DOCUMENTS = 50


def test_eight_clients_and_two_workers_give_each_document_one_stamp(tmp_path: Path) -> None:
    site = Deployment(tmp_path / "data")
    token = site.seed()
    orders = Orders(site, 1).distinct(DOCUMENTS)
    with site.node(token, workers=WORKERS) as server:
        _race(site, clients_of_all_workers(CLIENTS, WORKERS, server.address, token), orders)


def test_eight_clients_on_two_nodes_give_each_document_one_stamp(tmp_path: Path) -> None:
    need_postgresql()
    with postgresql_database() as url:
        site = Deployment(tmp_path / "data", url)
        token = site.seed()
        orders = Orders(site, 1).distinct(DOCUMENTS)
        with site.node(token) as one, site.node(token, name="other") as other:
            clients = [Client(node.address, token) for node in (one, other) for _ in range(CLIENTS // 2)]
            _race(site, clients, orders)


def _race(site: Deployment, clients: list[Client], orders: list[Order]) -> None:
    told = _all_at_once(clients, orders)
    stored = {one.number: one.uuid for one in kept(site.settings)}
    assert sorted(stored) == [order.number for order in orders]
    assert Counter(one.code for one in told) == {"200": DOCUMENTS, "307": (CLIENTS - 1) * DOCUMENTS}
    assert [one for one in told if one.uuid != stored[one.number]] == []
    assert len({one.worker for one in told if one.code == "200"}) == WORKERS
    print(audit(site.settings, Book(told)))


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
