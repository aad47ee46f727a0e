"""Faults that clients must survive, over the application of a sandbox: answers, headers, what is stored, records."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.asgi import Answer, application, call, upload
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra.accounts.build import account_services
from timbra.core.errors import ServiceError
from timbra.examples import ingreso
from timbra.examples.retenciones20 import retencion
from timbra.sandbox.build import sandbox_services
from timbra.sandbox.fault_selection import FaultSelection, draw

ISSUE, RETENCION, BALANCE = "/v4/cfdi33/issue/v4", "/retencion/issue/v3", "/account/balance"


class FaultyClient:
    """A client of a sandbox with a CSD."""

    def __init__(self, data: Path, **settings: Any) -> None:
        self.app = SandboxApp(data, **settings)
        self.app.store(self.app.mint())
        self.accounts = self.app.container.get(account_services).accounts
        self.asgi = application(self.app.container)
        self.token = self.accounts.session_token("ana@example.com").token
        self.faults = self.app.container.get(sandbox_services).faults
        self.number = 0

    def get(self, path: str = BALANCE) -> Answer:
        return call(self.asgi, "GET", path, headers={"Authorization": f"Bearer {self.token}"})

    def xml(self, path: str = ISSUE) -> bytes:
        """Return another document."""
        self.number += 1
        if "retencion" in path:
            return retencion({"@FolioInt": f"R{self.number}"}, fecha=FECHA).encode()
        return ingreso({"@Folio": str(self.number)}, fecha=FECHA).encode()

    def issue(self, path: str = ISSUE, xml: bytes | None = None, query: str = "", **headers: str) -> Answer:
        sent, body = upload(xml or self.xml(path))
        sent |= {"Authorization": f"Bearer {self.token}", **headers}
        return call(self.asgi, "POST", path, headers=sent, body=body, query=query)

    def lost(self, xml: bytes, path: str = ISSUE) -> bool:
        """Send a document; return whether the connection was closed without an answer."""
        closed: list[bool] = []
        headers, body = upload(xml)
        headers |= {"Authorization": f"Bearer {self.token}"}
        extensions = {"timbra.abort_connection": {"close": lambda: closed.append(True)}}
        try:
            call(self.asgi, "POST", path, headers=headers, body=body, extensions=extensions)
        except ValueError:
            assert closed == [True]
        return bool(closed)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[FaultyClient]:
    made = FaultyClient(tmp_path / "data")
    yield made
    made.app.container.close()


@pytest.mark.parametrize(
    ("fault", "status", "code"), [("unavailable", 503, "CO1000"), ("too-many-requests", 429, "TB4290")]
)
def test_fault_answers_every_operation_with_retry_after(
    client: FaultyClient, fault: str, status: int, code: str
) -> None:
    client.faults.set(fault, seconds=4)
    for answer in (client.get(), client.issue(), client.issue(RETENCION)):
        assert (answer.status, answer.headers["retry-after"], answer.headers["x-timbra-fault"]) == (status, "4", fault)
        assert answer.json["message"].startswith(code)
    client.faults.clear()
    for answer in (client.get(), client.issue(), client.issue(RETENCION)):
        assert answer.status == 200
        assert "x-timbra-fault" not in answer.headers


def test_fault_of_one_route_and_account_leaves_others(client: FaultyClient) -> None:
    client.faults.set("unavailable", selection=FaultSelection(route="/v4/cfdi33", account="ANA@example.com"))
    assert (client.issue().status, client.get().status, client.issue(RETENCION).status) == (503, 200, 200)
    client.faults.set("unavailable", selection=FaultSelection(account="bea@example.com"))
    assert client.issue().status == 200


def test_token_expired_ends_a_session_until_the_next_login(client: FaultyClient) -> None:
    client.faults.set("token-expired", 1)
    first = client.get()
    assert (first.status, first.json["message"][:6], first.headers["x-timbra-fault"]) == (
        401,
        "AU4000",
        "token-expired",
    )
    assert client.faults.active() == []
    again = client.get()
    assert (again.status, again.json["message"][:6]) == (401, "AU4000")
    client.token = client.accounts.session_token("ana@example.com").token
    assert client.get().status == 200


def test_token_expired_spares_infinite_tokens(client: FaultyClient) -> None:
    client.token = client.accounts.create_infinite_token("ana@example.com")
    client.faults.set("token-expired", 1)
    assert [client.get().status for _ in range(3)] == [200] * 3
    assert len(client.faults.active()) == 1, "the fault was not counted"


@pytest.mark.parametrize(("path", "code"), [(ISSUE, "305"), (RETENCION, "T305")])
def test_lco_changed_rejects_one_request_by_the_rule_of_the_list(client: FaultyClient, path: str, code: str) -> None:
    client.faults.set("lco-changed", 1)
    assert client.get().status == 200
    xml = client.xml(path)
    rejected = client.issue(path, xml)
    assert (rejected.status, rejected.json["message"].partition(" ")[0]) == (400, code)
    assert rejected.headers["x-timbra-fault"] == "lco-changed"
    assert client.issue(path, xml).status == 200


@pytest.mark.parametrize("path", [ISSUE, RETENCION])
def test_answer_lost_keeps_the_stamp_for_the_repeated_request(client: FaultyClient, path: str) -> None:
    client.faults.set("answer-lost", 1)
    xml = client.xml(path)
    assert client.lost(xml, path)
    repeated = client.issue(path, xml)
    assert repeated.json["message"].partition(" ")[0].strip("T.") == "307"


SHARES = {
    "strict_answer_lost": 0.0,
    "strict_unavailable": 0.4,
    "strict_too_many_requests": 0.3,
    "strict_latency": 0.0,
    "strict_token_expired": 0.0,
    "strict_lco_changed": 0.0,
}


def statuses(data: Path, seed: int, number: int = 30) -> list[int]:
    client = FaultyClient(data, strict=True, strict_seed=seed, **SHARES)
    found = [client.get().status for _ in range(number)]
    client.app.container.close()
    return found


def test_strict_sandbox_repeats_its_faults_for_a_seed(tmp_path: Path) -> None:
    first = statuses(tmp_path / "1", 3)
    assert statuses(tmp_path / "2", 3) == first
    assert statuses(tmp_path / "3", 4) != first
    assert set(first) == {200, 429, 503}
    drawn = [draw(3, "unavailable", "ana@example.com", "balance-v1", number) < 0.4 for number in range(len(first))]
    assert [status == 503 for status in first] == drawn


def test_strict_sandbox_has_the_faults_of_its_settings(tmp_path: Path) -> None:
    values: dict[str, Any] = {
        "strict_answer_lost": 0.1,
        "strict_unavailable": 0.2,
        "strict_too_many_requests": 0.3,
        "strict_latency": 0.4,
        "strict_token_expired": 0.5,
        "strict_lco_changed": 0.6,
        "strict_retry_after_seconds": 7,
        "strict_latency_seconds": 0.5,
        "strict_route": "/cfdi33",
        "strict_account": "ana",
    }
    app = SandboxApp(tmp_path / "data", strict=True, strict_seed=5, **values)
    active = {fault.name: fault for fault in app.container.get(sandbox_services).faults.active()}
    app.container.close()
    shares = {name: fault.selection.probability for name, fault in active.items()}
    assert shares == {
        "answer-lost": 0.1,
        "unavailable": 0.2,
        "too-many-requests": 0.3,
        "latency": 0.4,
        "token-expired": 0.5,
        "lco-changed": 0.6,
    }
    assert {name: fault.seconds for name, fault in active.items() if fault.seconds} == {
        "unavailable": 7,
        "too-many-requests": 7,
        "latency": 0.5,
    }
    assert {(fault.selection.seed, fault.selection.route, fault.selection.account) for fault in active.values()} == {
        (5, "/cfdi33", "ana")
    }


def test_strict_settings_reject_a_route_that_is_no_path(tmp_path: Path) -> None:
    app = SandboxApp(tmp_path / "data", strict=True, strict_route="cfdi33")
    with pytest.raises(ServiceError, match="fault-invalid"):
        app.container.get(sandbox_services)
    app.container.close()
