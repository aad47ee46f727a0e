"""Changes by one worker or by a command are visible to the other worker of the node at once."""

from __future__ import annotations

import time
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from httpx2 import Client, Response
from tests.resilience.deployment import Deployment
from tests.support.account_requests import NEW_USER, USERS
from tests.support.databases import need_postgresql, postgresql_database
from tests.support.effort import cases, rounds
from tests.support.server import AGE, PASSWORD, USER, Server, invoice

from timbra import examples
from timbra.accounts.build import account_services
from timbra.accounts.certificates import certificate_services
from timbra.app.composition import open_container
from timbra.sandbox.build import sandbox_services
from timbra.seals.certificates.certificate import CertificateKind

ROUNDS = rounds(5, 20)
WORKERS = 2
DEADLINE = 30.0


# Nodes that share PostgreSQL see the changes of each other: test_nodes.py.
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


@contextmanager
def running_node(deployment: Deployment) -> Iterator[Server]:
    """Run a node of two workers and wait until both answer."""
    with deployment.node(deployment.seed(), workers=WORKERS) as started:
        seen: set[str] = set()
        deadline = time.monotonic() + DEADLINE
        while len(seen) < WORKERS:
            assert time.monotonic() < deadline, "one worker answers everything"
            seen.add(send(started, "GET", "/health/live").headers["x-request-id"].partition("-")[0])
        yield started


def send(server: Server, method: str, path: str, *, token: str | None = None, **content: object) -> Response:
    """Send a request on a new connection, which any worker may accept."""
    headers = {"Authorization": f"Bearer {server.token if token is None else token}"}
    with Client(base_url=server.address, timeout=30, headers=headers) as client:
        return client.request(method, path, **content)  # type: ignore[arg-type]


def invoice_of(deployment: Deployment, folio: str) -> bytes:
    return invoice(deployment.folder, folio, AGE, **deployment.shared)


def issue(server: Server, xml: bytes) -> int:
    return send(server, "POST", "/cfdi33/issue/v1", files={"xml": ("a.xml", xml)}).status_code


def use(server: Server, token: str | None = None) -> int:
    return send(server, "GET", "/certificates", token=token).status_code


def assert_all(outcomes: Sequence[object], *wanted: object) -> None:
    """Assert that every round had the wanted outcomes."""
    expected = list(wanted) * ROUNDS
    wrong = sum(outcome != one for outcome, one in zip(outcomes, expected, strict=True))
    assert wrong == 0, f"{wrong} of {len(expected)} outcomes are wrong"


def test_workers_accept_a_user_that_was_just_created(server: Server) -> None:
    outcomes: list[int] = []
    for number in range(ROUNDS):
        user = {**NEW_USER, "email": f"user{number}@xenon.mx"}
        made = send(server, "POST", USERS, json=user).json()["data"]
        login = {"user": user["email"], "password": user["password"]}
        for _ in range(2):
            answer = send(server, "POST", "/v2/security/authenticate", json=login)
            session = (answer.json().get("data") or {}).get("token", "none")
            outcomes += [answer.status_code, use(server, session), use(server, made["accessToken"])]
    assert_all(outcomes, *[200] * 6)


def test_workers_reject_sealing_with_a_deleted_certificate(deployment: Deployment, server: Server) -> None:
    upload, number = new_certificate(deployment)
    outcomes: list[int] = []
    for place in range(ROUNDS):
        xml = [invoice_of(deployment, f"{place}-{one}") for one in range(4)]
        assert send(server, "POST", "/certificates/save", json=upload).status_code == 200
        outcomes += [issue(server, one) for one in xml[:2]]
        assert send(server, "DELETE", f"/certificates/{number}").status_code == 200
        outcomes += [issue(server, one) for one in xml[2:]]
    assert_all(outcomes, 200, 200, 400, 400)


def new_certificate(deployment: Deployment) -> tuple[dict[str, str], str]:
    """Return the upload and the number of a certificate that replaces those of the account."""
    with open_container(deployment.settings) as container:
        account_id = container.get(account_services).accounts.find(USER).account_id
        stored = container.get(certificate_services).vault.list_certificates(account_id)
        for one in stored:
            container.get(certificate_services).vault.disable(account_id, one.number)
        period = stored[0].valid_from, stored[0].valid_to
        minted = container.get(sandbox_services).authority_ca.mint(
            examples.KEMPER.rfc, CertificateKind.CSD, examples.KEMPER.name, *period
        )
    files = {"b64Cer": minted.certificate_der, "b64Key": minted.key_der}
    encoded = {name: b64encode(content).decode() for name, content in files.items()}
    return {"type": "stamp", "password": minted.password, **encoded}, minted.number


def test_workers_reject_a_token_after_a_command_revoked_it(deployment: Deployment, server: Server) -> None:
    outcomes: list[int] = []
    for _ in range(ROUNDS):
        with open_container(deployment.settings) as container:
            token = container.get(account_services).accounts.create_infinite_token(USER)
            outcomes += [use(server, token) for _ in range(3)]
            container.get(account_services).accounts.revoke(token)
            outcomes += [use(server, token) for _ in range(3)]
    assert_all(outcomes, 200, 200, 200, 401, 401, 401)


def test_workers_reject_a_user_after_a_command_disabled_it(deployment: Deployment, server: Server) -> None:
    outcomes: list[int] = []
    with open_container(deployment.settings) as container:
        for _ in range(ROUNDS):
            container.get(account_services).accounts.set_active(USER, False)
            outcomes += [use(server) for _ in range(2)]
            container.get(account_services).accounts.set_active(USER, True)
            outcomes += [use(server) for _ in range(2)]
    assert_all(outcomes, 401, 401, 200, 200)


def test_workers_reject_a_session_after_a_password_change(deployment: Deployment, server: Server) -> None:
    outcomes: list[int] = []
    with open_container(deployment.settings) as container:
        for _ in range(ROUNDS):
            token = container.get(account_services).accounts.session_token(USER).token
            outcomes += [use(server, token) for _ in range(2)]
            container.get(account_services).accounts.set_password(USER, PASSWORD)
            outcomes += [use(server, token) for _ in range(2)]
    assert_all(outcomes, 200, 200, 401, 401)


def test_workers_stamp_after_a_command_added_a_balance(deployment: Deployment, server: Server) -> None:
    upload, _ = new_certificate(deployment)
    assert send(server, "POST", "/certificates/save", json=upload).status_code == 200
    outcomes: list[int] = []
    with open_container(deployment.settings) as container:
        account_id = container.get(account_services).accounts.find(USER).account_id
        container.get(account_services).balances.remove(
            account_id, container.get(account_services).balances.get(account_id).remaining
        )
        for place in range(ROUNDS):
            xml = invoice_of(deployment, f"balance-{place}")
            outcomes += [issue(server, xml) for _ in range(2)]
            container.get(account_services).balances.add(account_id, 1)
            outcomes.append(issue(server, xml))
    assert_all(outcomes, 400, 400, 200)


def test_workers_show_the_clock_that_a_request_moved(server: Server) -> None:
    outcomes: list[bool] = []
    for day in range(1, ROUNDS + 1):
        wanted = f"2026-11-{day:02}T18:00:00+00:00"
        assert send(server, "POST", "/sandbox/clock/set", json={"instant": wanted}).status_code == 200
        outcomes += [send(server, "GET", "/health").json()["data"]["fiscal_time"] == wanted for _ in range(3)]
    assert send(server, "POST", "/sandbox/clock/reset").status_code == 200
    assert_all(outcomes, True, True, True)


def test_workers_apply_a_fault_that_a_request_activated(server: Server) -> None:
    outcomes: list[bool] = []
    for _ in range(ROUNDS):
        for seconds in (0.001, 0.002):
            ordered = send(server, "POST", "/sandbox/faults", json={"name": "latency", "seconds": seconds})
            assert ordered.status_code == 200
            [fault] = send(server, "GET", "/sandbox/faults").json()["data"]
            outcomes.append(fault["seconds"] == seconds)
    assert send(server, "DELETE", "/sandbox/faults").status_code == 200
    assert_all(outcomes, True, True)
