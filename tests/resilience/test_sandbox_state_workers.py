"""A reset or restore is visible to every worker of the node when its answer arrives."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Response
from tests.resilience.deployment import Deployment
from tests.resilience.test_read_your_writes import invoice_of, running_node, send
from tests.support.databases import need_postgresql, postgresql_database
from tests.support.effort import cases
from tests.support.forked_program import run
from tests.support.server import USER, Server

from timbra.accounts.build import account_services
from timbra.app.composition import open_container

ROUNDS = 2
READS = 4
NEW_TAXPAYER = {"rfc": "ZUA160101AB3", "name": "ZUA PRUEBA"}


# The states of a sandbox in both databases: tests/sandbox/test_sandbox_state_service.py.
@pytest.fixture(scope="module", params=cases(["sqlite"], ["sqlite", "postgresql"]))
def deployment(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    folder = tmp_path_factory.mktemp("deployment") / "data"
    if request.param == "sqlite":
        yield Deployment(folder)
        return
    need_postgresql()
    with postgresql_database() as url:
        yield Deployment(folder, url)


@pytest.fixture(scope="module")
def server(deployment: Deployment) -> Iterator[Server]:
    with running_node(deployment) as started:
        yield started


def data(answer: Response) -> Any:
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]


def issue(server: Server, xml: bytes) -> Response:
    return send(server, "POST", "/cfdi33/issue/v4", files={"xml": ("a.xml", xml)})


def change_everything(server: Server, xml: bytes) -> str:
    """Change what workers cache, let both workers read it, and return the folio of a stamp."""
    data(send(server, "POST", "/sandbox/clock/advance", json={"duration": "1m"}))
    data(send(server, "POST", "/sandbox/faults", json={"name": "list-late"}))
    send(server, "POST", "/sandbox/taxpayers", json=NEW_TAXPAYER)
    uuid = str(data(issue(server, xml))["uuid"])
    for _ in range(READS):
        assert seen(server) == (1, 1)
    repeated = [issue(server, xml) for _ in range(2)]
    assert [answer.json()["message"][:3] for answer in repeated] == ["307", "307"]
    return uuid


def seen(server: Server) -> tuple[int, int]:
    """Return the numbers of active faults and of new taxpayers, as one of the workers sees them."""
    taxpayers = [one["rfc"] for one in data(send(server, "GET", "/sandbox/taxpayers"))]
    return len(data(send(server, "GET", "/sandbox/faults"))), taxpayers.count(NEW_TAXPAYER["rfc"])


def test_workers_show_no_old_state_after_a_reset(deployment: Deployment, server: Server) -> None:
    xml = invoice_of(deployment, "reset")
    earlier: set[str] = set()
    for _ in range(ROUNDS):
        earlier.add(change_everything(server, xml))
        assert data(send(server, "POST", "/sandbox/reset"))["stamps"] == 1
        outcomes = [seen(server) for _ in range(READS)]
        assert outcomes == [(0, 0)] * READS
        answers = [issue(server, xml) for _ in range(READS)]
        assert [answer.status_code for answer in answers] == [200] + [400] * (READS - 1)
        uuids = {(answer.json()["data"] or {})["uuid"] for answer in answers}
        assert len(uuids) == 1
        assert not uuids & earlier
        earlier |= uuids
        data(send(server, "POST", "/sandbox/reset"))


def test_workers_show_the_restored_state_only(deployment: Deployment, server: Server) -> None:
    xml, later = invoice_of(deployment, "saved"), invoice_of(deployment, "later")
    data(send(server, "POST", "/sandbox/reset"))
    saved = data(issue(server, xml))["uuid"]
    file = send(server, "GET", "/sandbox/state")
    assert file.headers["content-type"] == "application/vnd.timbra.sandbox-state+zstd"
    for _ in range(ROUNDS):
        with open_container(deployment.settings) as container:
            token = container.get(account_services).accounts.create_infinite_token(USER)
        assert send(server, "GET", "/certificates", token=token).status_code == 200
        change_everything(server, later)
        data(send(server, "POST", "/sandbox/state", content=file.content))
        assert [seen(server) for _ in range(READS)] == [(0, 0)] * READS
        statuses = {send(server, "GET", "/certificates", token=token).status_code for _ in range(READS)}
        assert statuses == {401}
        assert {issue(server, xml).json()["data"]["uuid"] for _ in range(READS)} == {saved}


def test_command_resets_a_running_server(deployment: Deployment, server: Server, tmp_path: Path) -> None:
    xml = invoice_of(deployment, "command")
    data(send(server, "POST", "/sandbox/reset"))
    file = tmp_path / "sandbox.state"
    command(deployment, "state", "save", str(file))
    first = change_everything(server, xml)
    command(deployment, "reset")
    answer = issue(server, xml)
    assert (answer.status_code, answer.json()["data"]["uuid"] != first) == (200, True)
    command(deployment, "state", "load", str(file))
    assert issue(server, xml).status_code == 200


def command(deployment: Deployment, *arguments: str) -> None:
    environment = {
        **os.environ,
        "TIMBRA_DATABASE_URL": deployment.database_url,
        "TIMBRA_MASTER_KEY": deployment.master_key,
    }
    folder = str(deployment.folder)
    run("timbra.cli", "sandbox", *arguments, "--data", folder, environment=environment).check_returncode()
