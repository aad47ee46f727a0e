"""A running server in operation: metrics of all workers, logs without secrets, graceful shutdown."""

from __future__ import annotations

import json
import re
import signal
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from httpx2 import Client, Response, get
from tests.support.server import PASSWORD, USER, Server, invoice, minted, running, seed

from timbra.cli.serve import default_workers

METRICS_TOKEN = "what-only-the-monitor-knows"
DEADLINE = 60.0
LONG_DRAIN = {"TIMBRA_DRAIN_SECONDS": "600"}


def issue(client: Client, xml: bytes) -> Response:
    return client.post("/cfdi33/issue/v1", files={"xml": ("a.xml", xml)})


def new_client(server: Server) -> Client:
    """Return a client with a new connection, which any worker may accept."""
    return server.client()


def counted(page: str, name: str) -> float:
    """Return the sum of all samples with this prefix."""
    return sum(float(line.rpartition(" ")[2]) for line in page.splitlines() if line.startswith(name))


def eventually(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_metrics_of_any_worker_include_all_workers(tmp_path: Path) -> None:
    data = tmp_path / "data"
    token = seed(data)
    with running(data, token=token, workers=2, environment={"TIMBRA_METRICS_TOKEN": METRICS_TOKEN}) as server:
        for number in range(3):
            issue_alone(server, invoice(data, str(number)))
        rejected: Counter[str] = Counter()
        while len(rejected) < 2:
            rejected[issue_alone(server, b"<no/>").headers["x-request-id"].partition("-")[0]] += 1
        eventually(lambda: all(page_has_counts(server, rejected.total()) for _ in range(4)))


def page_has_counts(server: Server, rejected: int) -> bool:
    with Client(base_url=server.address, headers={"Authorization": f"Bearer {METRICS_TOKEN}"}) as client:
        page = client.get("/metrics").text
    return (
        counted(page, 'timbra_rejections_total{code="301"}') == rejected
        and counted(page, 'timbra_stamp_claims_total{outcome="stored"}') == 3
        and counted(page, "timbra_commit_duration_seconds_count") == 3
        and counted(page, 'timbra_stamp_stage_duration_seconds_count{stage="parse"}') >= 1
    )


def test_logs_have_request_ids_and_no_secret(tmp_path: Path) -> None:
    data = tmp_path / "data"
    token = seed(data)
    credential = minted(data)
    environment = {"TIMBRA_LOG_LEVEL": "debug", "TIMBRA_LOG_FORMAT": "json", "TIMBRA_METRICS_TOKEN": METRICS_TOKEN}
    log = tmp_path / "log"
    with log.open("wb") as sink, running(data, token=token, environment=environment, log=sink) as server:
        ids = send_requests_with_secrets(server, credential.certificate_der, credential.key_der, credential.password)
    written = log.read_text()
    lines: list[dict[str, Any]] = [json.loads(line) for line in written.splitlines()]
    assert ids <= {line.get("request_id") for line in lines}
    assert {line["path"] for line in lines if line["event"] == "answered"} >= {"/portal/entrar", "/cfdi33/issue/v1"}
    session_token = json.loads((tmp_path / "session").read_text())
    secrets = [
        PASSWORD,
        credential.password,
        token,
        session_token,
        METRICS_TOKEN,
        b64encode(credential.key_der).decode(),
    ]
    assert [secret for secret in secrets if secret in written or secret.rpartition(".")[2] in written] == []


def send_requests_with_secrets(server: Server, certificate: bytes, key: bytes, password: str) -> set[str | None]:
    """Send valid and invalid requests with secrets and return the request ids of the responses."""
    answers = []
    with Client(base_url=server.address) as client:
        login = client.post("/v2/security/authenticate", json={"user": USER, "password": PASSWORD})
        (server.data.parent / "session").write_text(json.dumps(login.json()["data"]["token"]))
        answers += [
            login,
            client.post("/v2/security/authenticate", json={"user": PASSWORD, "password": PASSWORD + "x"}),
        ]
        answers.append(client.get("/metrics", headers={"Authorization": f"Bearer {METRICS_TOKEN}"}))
        answers.append(client.get("/stamps", headers={"Authorization": f"Bearer {server.token}x"}))
        answers += [client.get("/portal/entrar"), client.get("/estaticos/nothing"), client.get("/validador")]
    with server.client() as client:
        upload = {"type": "stamp", "b64Cer": b64encode(certificate).decode(), "b64Key": b64encode(key).decode()}
        answers.append(client.post("/certificates/save", json={**upload, "password": password}))
        answers.append(client.post("/certificates/save", json={**upload, "password": password + "x"}))
        answers += [issue(client, invoice(server.data)), issue(client, b"<no/>"), client.get("/health")]
    return {answer.headers["x-request-id"] for answer in answers}


def test_shutdown_fails_readiness_first_and_finishes_accepted_requests(tmp_path: Path) -> None:
    data = tmp_path / "data"
    token = seed(data)
    xml = [invoice(data, str(number)) for number in range(4)]
    with running(data, token=token, workers=2, environment=LONG_DRAIN) as server:
        with new_client(server) as client:
            assert client.get("/health/ready").json()["data"]["status"] == "ready"
        server.process.send_signal(signal.SIGTERM)
        with new_client(server) as client:
            eventually(lambda: client.get("/health/ready").status_code == 503)
            assert "deteniendo" in client.get("/health/ready").json()["messageDetail"]
            assert client.get("/health/live").status_code == 200
        with ThreadPoolExecutor() as pool:
            answers = list(pool.map(lambda one: issue_alone(server, one), xml))
        assert [answer.status_code for answer in answers] == [200] * 4
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(DEADLINE) == 0


def test_second_signal_ends_the_drain(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with running(data, token=seed(data), workers=2, environment=LONG_DRAIN) as server:
        server.process.send_signal(signal.SIGTERM)
        with new_client(server) as client:
            eventually(lambda: client.get("/health/ready").status_code == 503)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(DEADLINE) == 0


def test_serve_starts_a_worker_for_each_usable_cpu_when_no_number_is_given(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with running(data, token=seed(data), workers=None) as server:
        answering: set[str] = set()

        def all_answer() -> bool:
            with new_client(server) as client:
                answering.add(client.get("/health/live").headers["x-request-id"].partition("-")[0])
            return len(answering) == default_workers("")

        eventually(all_answer)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(DEADLINE) == 0


def issue_alone(server: Server, xml: bytes) -> Response:
    with new_client(server) as client:
        return issue(client, xml)


def test_log_format_text_writes_readable_lines(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("wb") as sink:
        environment = {"TIMBRA_LOG_LEVEL": "info", "TIMBRA_LOG_FORMAT": "text"}
        with running(tmp_path / "data", environment=environment, log=sink) as server:
            get(f"{server.address}/health/live")
    assert re.search(r"answered .*path=/health/live .*status=200", log.read_text())
