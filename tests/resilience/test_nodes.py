"""Failures of two nodes, their proxies and their database under clients: no stamp is lost or duplicated."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.resilience.clients import Client
from tests.resilience.database_proxy import Fault
from tests.resilience.deployment import Deployment
from tests.resilience.scenario import NodeScenario, node_scenario
from tests.support.account_requests import NEW_USER, USERS
from tests.support.databases import need_postgresql, postgresql_database
from tests.support.effort import cases, rounds
from tests.support.postgresql_cluster import need_cluster
from tests.support.requirements import need
from tests.support.server import USER, Server
from tests.support.waiting import wait_until

from timbra._rsa8 import load_batches
from timbra.accounts.build import account_services
from timbra.app.composition import open_container

WORKERS = 2
USERS_CREATED = rounds(4, 10)


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeScenario]:
    need_cluster()
    with node_scenario(tmp_path_factory.mktemp("node_scenario"), 1) as made:
        yield made


QUICK = ("kill_in_batch", "kill_node", "kill_database", "fill_disk")
"""A killed worker, a killed delivery process and a lost connection have suite tests of their own."""
ACTIONS = (*QUICK, "kill_worker", "kill_delivery", "disconnect_node", "step_fiscal_clock", "step_wall_clock")
FAULTS = (Fault.RESET_BEFORE, Fault.RESET_AFTER, Fault.SILENCE_AFTER)
"""Silence lasts until the time-out, and before a commit it differs from a reset by that alone."""


@pytest.mark.parametrize("action", cases(QUICK, ACTIONS))
def test_failures_lose_and_duplicate_no_stamp(scenario: NodeScenario, action: str) -> None:
    need("mount", action != "fill_disk" or scenario.disk is not None, "a tmpfs cannot be mounted here")
    need("avx512ifma", action != "kill_in_batch" or load_batches()[0] is not None, "batches are not used here")
    scenario.start_clients()
    scenario.wait_for_stamps()
    print(scenario.actions()[action]())
    scenario.stop_clients()
    print(scenario.audit())


@pytest.mark.parametrize("fault", cases(FAULTS, list(Fault)))
def test_commit_with_a_lost_answer_is_resolved_before_the_response(scenario: NodeScenario, fault: Fault) -> None:
    [order] = scenario.orders.distinct(1)
    node = scenario.nodes[0]
    proxy = scenario.proxies[node.name]
    applied = len(proxy.applied)
    proxy.arm(fault)
    client = Client(node.server.address, node.server.token)
    first, again = client.send(order), client.send(order)
    client.close()
    scenario.answer_log.answers += [first, again]
    assert proxy.applied[applied:] == [fault]
    assert (first.code, again.code, again.uuid) == ("200", "307", first.uuid)
    print(scenario.audit(1))


def test_changes_of_one_node_become_visible_on_the_other(tmp_path: Path) -> None:
    need_postgresql()
    with postgresql_database() as url, ExitStack() as stack:
        deployment = Deployment(tmp_path / "node", url)
        token = deployment.seed()
        one, other = (stack.enter_context(deployment.node(token, name=name)) for name in "ab")
        with one.client() as mine, other.client() as theirs, open_container(deployment.settings) as container:
            number = mine.get("/certificates").json()["data"][0]["certificate_number"]
            assert mine.delete(f"/certificates/{number}").status_code == 200
            account_id = container.get(account_services).accounts.find(USER).account_id
            container.get(account_services).balances.remove(
                account_id, container.get(account_services).balances.get(account_id).remaining
            )

            def is_disabled() -> bool:
                stored = {item["certificate_number"]: item for item in theirs.get("/certificates").json()["data"]}
                return stored[number]["is_active"] is False

            wait_until(is_disabled)
            container.get(account_services).accounts.revoke(token)
            for client in (mine, theirs):
                wait_until(lambda client=client: client.get("/certificates").status_code == 401)  # type: ignore[misc]


def test_user_created_on_one_node_is_accepted_on_the_other_at_once(tmp_path: Path) -> None:
    need_postgresql()
    outcomes: list[int] = []
    with postgresql_database() as url, ExitStack() as stack:
        deployment = Deployment(tmp_path / "node", url)
        token = deployment.seed()
        one, other = (stack.enter_context(deployment.node(token, name=name)) for name in "ab")
        with one.client() as mine, other.client() as theirs:
            for number in range(USERS_CREATED):
                user = {**NEW_USER, "email": f"user{number}@xenon.mx"}
                made = mine.post(USERS, json=user).json()["data"]
                login = {"user": user["email"], "password": user["password"]}
                outcomes.append(theirs.post("/v2/security/authenticate", json=login).status_code)
                theirs.headers["Authorization"] = f"Bearer {made['accessToken']}"
                outcomes.append(theirs.get("/certificates").status_code)
    assert outcomes == [200] * 2 * USERS_CREATED


def test_nodes_that_start_concurrently_share_one_authority(tmp_path: Path) -> None:
    need_postgresql()
    with postgresql_database() as url, ExitStack() as stack, ThreadPoolExecutor() as pool:
        deployment = Deployment(tmp_path / "node", url)
        starting = [pool.submit(stack.enter_context, deployment.node("", name=name, workers=WORKERS)) for name in "abc"]
        nodes = [start.result() for start in starting]
        published = [sorted(path.name for path in (node.data / "certificates").iterdir()) for node in nodes]
        assert len(published[0]) == 2
        assert published == [published[0]] * len(nodes)
        token = deployment.seed()
        for node in nodes:
            accepting: set[str] = set()
            wait_until(lambda node=node, accepting=accepting: _accept(node, token, accepting))  # type: ignore[misc]


def _accept(node: Server, token: str, accepting: set[str]) -> bool:
    """Use the token on a new connection, and return whether all workers of the node have accepted it."""
    with node.client() as client:
        answer = client.get("/certificates", headers={"Authorization": f"Bearer {token}"})
    if answer.status_code == 200:
        accepting.add(answer.headers["x-request-id"].partition("-")[0])
    return len(accepting) == WORKERS
