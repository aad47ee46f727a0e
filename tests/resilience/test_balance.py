"""Eight concurrent clients and a balance of five stamps: five get one."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.resilience.audit import stored_stamps
from tests.resilience.clients import Client, StampAnswer, clients_of_all_workers
from tests.resilience.deployment import ASSIGNED, Deployment
from tests.resilience.stamp_requests import Order, Orders
from tests.support.databases import need_postgresql, postgresql_database
from tests.support.server import USER
from tests.support.waiting import wait_until

from timbra.accounts.build import account_services
from timbra.app.composition import open_container

CLIENTS = 8
WORKERS = 2
STAMPS = 5


def test_workers_share_a_balance(tmp_path: Path) -> None:
    deployment = Deployment(tmp_path / "data")
    token = _with_five(deployment)
    with deployment.node(token, workers=WORKERS) as server:
        _race(deployment, clients_of_all_workers(CLIENTS, WORKERS, server.address, token))


def test_nodes_share_a_balance(tmp_path: Path) -> None:
    need_postgresql()
    with postgresql_database() as url:
        deployment = Deployment(tmp_path / "data", url)
        token = _with_five(deployment)
        with deployment.node(token) as one, deployment.node(token, name="other") as other:
            _race(deployment, [Client(node.address, token) for node in (one, other) for _ in range(CLIENTS // 2)])


def _with_five(deployment: Deployment) -> str:
    token = deployment.seed()
    with open_container(deployment.settings) as container:
        container.get(account_services).balances.remove(
            container.get(account_services).accounts.find(USER).account_id, ASSIGNED - STAMPS
        )
    return token


def _race(deployment: Deployment, clients: list[Client]) -> None:
    """Stamp concurrently with five stamps, and again with one stamp more."""
    orders = Orders(deployment, 1).distinct(2 * CLIENTS)
    first = _all_at_once(clients, orders[:CLIENTS])
    assert _codes(first) == {"200": STAMPS, "AU2001": CLIENTS - STAMPS}
    assert _balance(deployment) == (0, STAMPS)
    with open_container(deployment.settings) as container:
        assert (
            container.get(account_services).balances.add(
                container.get(account_services).accounts.find(USER).account_id, 1
            )
            == 1
        )
    second: list[StampAnswer] = []

    def is_stamped() -> bool:
        """Send all orders; a node rejects them until it reads that the balance grew."""
        second.extend(_all_at_once(clients, orders[CLIENTS:]))
        return "200" in _codes(second)

    wait_until(is_stamped)
    assert _codes(second) == {"200": 1, "AU2001": len(second) - 1}
    assert _balance(deployment) == (0, STAMPS + 1)
    answered = {one.number: one.uuid for one in (*first, *second) if one.code == "200"}
    assert {one.number: one.uuid for one in stored_stamps(deployment.settings)} == answered
    for client in clients:
        client.close()


def _all_at_once(clients: list[Client], orders: list[Order]) -> list[StampAnswer]:
    barrier = threading.Barrier(len(clients), timeout=120)

    def send(client: Client, order: Order) -> StampAnswer:
        barrier.wait()
        return client.send(order)

    with ThreadPoolExecutor(len(clients)) as pool:
        return list(pool.map(send, clients, orders))


def _codes(answers: list[StampAnswer]) -> Counter[str]:
    return Counter(one.code.partition(" ")[0] for one in answers)


def _balance(deployment: Deployment) -> tuple[int, int]:
    with open_container(deployment.settings) as container:
        account = container.get(account_services).accounts.find(USER)
        return account.remaining, account.used
