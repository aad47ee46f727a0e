"""Two nodes, their wires and their database, broken in turn under clients: nothing lost, nothing doubled."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.api.account_requests import NEW_USER, USERS
from tests.resilience.clients import Client
from tests.resilience.deployment import Deployment
from tests.resilience.scenario import Stage, stage
from tests.resilience.wire import Fault
from tests.store.databases import need_postgresql, postgresql_database
from tests.support.postgresql_cluster import need_cluster
from tests.support.requirements import need
from tests.support.server import SEEN_SECONDS, USER

from timbra.bootstrap import open_container


@pytest.fixture(scope="module")
def play(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    need_cluster()
    with stage(tmp_path_factory.mktemp("stage"), 1) as made:
        yield made


ACTS = (
    "kill_worker",
    "kill_node",
    "kill_database",
    "cut_wire",
    "fill_disk",
    "step_fiscal_clock",
    "step_wall_clock",
)


@pytest.mark.parametrize("act", ACTS)
def test_nothing_is_lost_and_nothing_doubled(play: Stage, act: str) -> None:
    need("mount", act != "fill_disk" or play.disk is not None, "a tmpfs cannot be mounted here")
    play.open_doors()
    play.recover()
    print(play.acts()[act]())
    play.close_doors()
    print(play.audit())


@pytest.mark.parametrize("fault", Fault)
def test_a_commit_of_unknown_fate_is_found_out_before_the_answer(play: Stage, fault: Fault) -> None:
    [order] = play.orders.distinct(1)
    node = play.nodes[0]
    struck = len(node.wire.struck)
    node.wire.arm(fault)
    client = Client(node.server.address, node.server.token)
    told, again = client.send(order), client.send(order)
    client.close()
    play.book.told += [told, again]
    assert node.wire.struck[struck:] == [fault]
    assert (told.code, again.code, again.uuid) == ("200", "307", told.uuid)
    print(play.audit(1))


def test_what_one_node_changes_the_other_knows_within_a_second(tmp_path: Path) -> None:
    need_postgresql()
    with postgresql_database() as url, ExitStack() as life:
        site = Deployment(tmp_path / "node", url)
        token = site.seed()
        one, other = (life.enter_context(site.node(token, name=name)) for name in "ab")
        with one.client() as mine, other.client() as theirs, open_container(site.settings) as container:
            number = mine.get("/certificates").json()["data"][0]["certificate_number"]
            assert mine.delete(f"/certificates/{number}").status_code == 200
            account_id = container.account_services.accounts.find(USER).account_id
            container.account_services.balances.remove(
                account_id, container.account_services.balances.get(account_id).remaining
            )
            time.sleep(SEEN_SECONDS)
            stored = {item["certificate_number"]: item for item in theirs.get("/certificates").json()["data"]}
            assert stored[number]["is_active"] is False
            container.account_services.accounts.revoke(token)
            time.sleep(SEEN_SECONDS)
            assert [client.get("/certificates").status_code for client in (mine, theirs)] == [401, 401]


def test_one_node_accepts_at_once_a_user_that_the_other_has_made(tmp_path: Path) -> None:
    need_postgresql()
    outcomes: list[int] = []
    with postgresql_database() as url, ExitStack() as life:
        site = Deployment(tmp_path / "node", url)
        token = site.seed()
        one, other = (life.enter_context(site.node(token, name=name)) for name in "ab")
        with one.client() as mine, other.client() as theirs:
            for number in range(10):
                user = {**NEW_USER, "email": f"user{number}@xenon.mx"}
                made = mine.post(USERS, json=user).json()["data"]
                login = {"user": user["email"], "password": user["password"]}
                outcomes.append(theirs.post("/v2/security/authenticate", json=login).status_code)
                theirs.headers["Authorization"] = f"Bearer {made['accessToken']}"
                outcomes.append(theirs.get("/certificates").status_code)
    assert outcomes == [200] * 20


def test_nodes_that_start_at_once_make_one_service(tmp_path: Path) -> None:
    need_postgresql()
    with postgresql_database() as url, ExitStack() as life, ThreadPoolExecutor() as pool:
        site = Deployment(tmp_path / "node", url)
        starting = [pool.submit(life.enter_context, site.node("", name=name, workers=2)) for name in "abc"]
        nodes = [start.result() for start in starting]
        published = [sorted(path.name for path in (node.data / "certificates").iterdir()) for node in nodes]
        assert len(published[0]) == 2
        assert published == [published[0]] * len(nodes)
        token = site.seed()
        time.sleep(SEEN_SECONDS)
        for node in nodes:
            with node.client() as client:
                client.headers["Authorization"] = f"Bearer {token}"
                assert client.get("/certificates").status_code == 200
