"""A server whose signing device fails: requests are answered, the server is not ready, and goes on afterwards."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest
from httpx2 import Client, Response
from tests.emulator.emulator_support import EmulatorRun, running_emulator
from tests.support.effort import cases
from tests.support.faulty_token import FaultyToken, faulty_token
from tests.support.forked_program import run
from tests.support.rehearsal import RehearsedProvider
from tests.support.rehearsal_server import environment_of, rehearsal_server
from tests.support.server import Server
from tests.support.waiting import wait_until

from timbra.stamping.build import stamping_services

SIGN_SECONDS = 0.5
WORKERS = 2
CHECKS = 12
"""Queries of the readiness that reach every worker, each with a connection of its own; a busy worker accepts few."""
FAILURES = cases(("hanging", "with_wrong_signatures"), ("hanging", "without_sessions", "with_wrong_signatures", "away"))
"""A device that does not answer and one that answers wrongly; tests/seals has the errors of a device, the others."""
METRICS_TOKEN = "a-token-of-the-metrics-of-a-test-0123456789"
SETTLED_SECONDS = 4.0
"""A worker calls itself ready for 2 s after its last signature, and keeps a result for 1 s."""
NOT_READY = "el proveedor no puede timbrar"


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmulatorRun]:
    with running_emulator(tmp_path_factory.mktemp("emulator"), clock="") as run:
        yield run


@pytest.fixture(scope="module")
def token(emulator: EmulatorRun, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FaultyToken]:
    with faulty_token(tmp_path_factory.mktemp("token"), emulator.provider().key) as found:
        yield found


@pytest.fixture(scope="module")
def provider(
    emulator: EmulatorRun, token: FaultyToken, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RehearsedProvider]:
    folder = tmp_path_factory.mktemp("provider")
    settings = {**token.settings(sessions=2), "metrics_token": METRICS_TOKEN}
    made = RehearsedProvider(emulator, folder, provider_sign_timeout_seconds=SIGN_SECONDS, **settings)
    yield made
    made.close()


@pytest.fixture(scope="module")
def server(provider: RehearsedProvider) -> Iterator[Server]:
    with rehearsal_server(provider, workers=WORKERS) as started:
        yield started


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with server.client() as found:
        yield found


def issue(client: Client, xml: bytes) -> Response:
    return client.post("/cfdi33/issue/v4", files={"xml": ("a.xml", xml)})


def failing(client: Client) -> str:
    answer = client.get("/health/ready")
    return answer.text if answer.status_code == 503 else ""


def stored(provider: RehearsedProvider) -> int:
    page = provider.container.get(stamping_services).stamps.page(None, cursor=None, limit=500)
    return len(page.records)


def are_ready(server: Server) -> set[int]:
    """Return the statuses of the readiness of all workers."""
    found = set()
    for _ in range(CHECKS):
        with server.client() as fresh:
            found.add(fresh.get("/health/ready").status_code)
    return found


def counted(client: Client, code: str) -> int:
    """Return how many requests failed with an internal code."""
    page = client.get("/metrics", headers={"Authorization": f"Bearer {METRICS_TOKEN}"}).text
    prefix = f'timbra_internal_errors_total{{code="{code}"}} '
    return sum(int(float(line.removeprefix(prefix))) for line in page.splitlines() if line.startswith(prefix))


@pytest.mark.parametrize("failure", FAILURES)
def test_stamps_are_answered_with_503_while_the_device_fails_and_go_on_afterwards(
    client: Client, server: Server, provider: RehearsedProvider, token: FaultyToken, failure: str
) -> None:
    wait_until(lambda: are_ready(server) == {200})
    code = "signature-faulty" if failure == "with_wrong_signatures" else "signer-unavailable"
    assert issue(client, provider.request().xml).json()["status"] == "success"
    before, documents, already = stored(provider), [provider.request().xml for _ in range(6)], counted(client, code)
    with getattr(token, failure)():
        answers = [issue(client, xml) for xml in documents]
        assert [answer.status_code for answer in answers] == [503] * 6
        assert all(int(answer.headers["Retry-After"]) > 0 for answer in answers)
        assert {answer.json()["message"].partition(" ")[0].rstrip(".") for answer in answers} == {"CO1000"}
        assert all("token" not in answer.text.lower() for answer in answers)
        settled = time.monotonic() + SETTLED_SECONDS
        wait_until(lambda: are_ready(server) == {503} and time.monotonic() > settled)
        assert [are_ready(server) for _ in range(3)] == [{503}] * 3
        assert NOT_READY in failing(client)
        wait_until(lambda: counted(client, code) == already + 6)
    wait_until(lambda: are_ready(server) == {200})
    assert stored(provider) == before
    # A document whose request was answered with CO1000 has no stamp: a repeat gets its first one.
    repeated = [issue(client, xml).json() for xml in documents]
    assert [answer["status"] for answer in repeated] == ["success"] * 6
    again = [issue(client, xml).json() for xml in documents]
    assert {answer["message"].partition(".")[0] for answer in again} == {"307"}
    assert stored(provider) == before + 6


def check(provider: RehearsedProvider) -> dict[str, list[str]]:
    """Run `timbra provider check` in a process of its own, and return its rows by condition."""
    variables = environment_of(provider.settings) | {"TIMBRA_DATA": str(provider.settings.data)}
    done = run("timbra.cli", "provider", "check", "--online", environment={**os.environ, **variables})
    return {line.split("\t")[0]: line.split("\t")[1:] for line in done.stdout.splitlines()}


def test_provider_check_names_a_device_that_hangs(provider: RehearsedProvider, token: FaultyToken) -> None:
    with token.hanging():
        found = check(provider)
    assert found["llave del certificado"] == ["error", "El dispositivo de firma no respondió en 0.5 s."]
    assert found["autenticación de cancelación"][0] == "error"
    # The queue waits for the next probe of the outage that the device caused; servers of other tests have ended.
    others = ("lista ", "fuente ", "cola ", "nodos")
    states = {name: row[0] for name, row in check(provider).items() if not name.startswith(others)}
    of_the_machine = {"reloj", "proxy", "dirección pública", "correo"}
    assert {name: state for name, state in states.items() if state != "ok" and name not in of_the_machine} == {}
    assert {states[name] for name in of_the_machine} <= {"ok", "warning"}
