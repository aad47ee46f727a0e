"""The sandbox endpoints over HTTP, on a real container."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from starlette.types import ASGIApp
from tests.support.asgi import Answer, application, call, upload
from tests.support.fake_services import ADMINISTRATOR_TOKEN, FakeServices
from tests.support.sandbox_support import FOLIO, invoice

from timbra.accounts.build import account_services
from timbra.app.composition import open_container
from timbra.seals.certificates.certificate import read_certificate
from timbra.settings import Settings


@dataclass(frozen=True)
class Sandbox:
    """An application with an administrator and an account."""

    app: ASGIApp
    administrator: str
    account: str

    def call(self, method: str, path: str, body: object = None, *, token: str | None = None) -> Answer:
        headers = {"Authorization": f"Bearer {token or self.administrator}"}
        sent = b"" if body is None else json.dumps(body).encode()
        return call(self.app, method, f"/sandbox{path}", headers=headers, body=sent)

    def data(self, method: str, path: str, body: object = None) -> Any:
        answer = self.call(method, path, body)
        assert answer.status == 200, answer.body
        return answer.json["data"]

    def rejection(self, method: str, path: str, body: object = None) -> tuple[int, str]:
        answer = self.call(method, path, body)
        return answer.status, answer.json["message"].partition(" ")[0]


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    with open_container(Settings(data=tmp_path_factory.mktemp("sandbox"))) as container:
        container.get(account_services).accounts.create("admin@example.mx", "a long password", "administrator")
        container.get(account_services).accounts.create("user@example.mx", "a long password")
        tokens = [
            container.get(account_services).accounts.create_infinite_token(f"{user}@example.mx")
            for user in ("admin", "user")
        ]
        yield Sandbox(application(container), *tokens)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/taxpayers"),
        ("POST", "/taxpayers"),
        ("POST", "/refresh"),
        ("POST", "/clock/reset"),
        ("DELETE", "/faults"),
        ("POST", "/certificates/30001000000500003416/revoke"),
        ("POST", "/ledger"),
    ],
)
def test_endpoints_require_an_administrator(sandbox: Sandbox, method: str, path: str) -> None:
    answer = sandbox.call(method, path, token=sandbox.account)
    assert (answer.status, answer.json["message"][:6]) == (401, "TB4010")


def test_account_mints_and_sees_its_own_certificates(sandbox: Sandbox) -> None:
    own = sandbox.call("POST", "/certificates", {"rfc": "EKU9003173C9"}, token=sandbox.account).json["data"]
    other = sandbox.data("POST", "/certificates", {"rfc": "EKU9003173C9"})
    (row,) = sandbox.call("GET", "/certificates", token=sandbox.account).json["data"]
    assert row == {
        "certificateNumber": own["certificateNumber"],
        "rfc": "EKU9003173C9",
        "kind": "CSD",
        "status": "A",
        "pending": None,
        "validFrom": row["validFrom"],
        "validTo": row["validTo"],
        "listed": True,
    }
    numbers = {entry["certificateNumber"] for entry in sandbox.data("GET", "/certificates")}
    assert {own["certificateNumber"], other["certificateNumber"]} <= numbers
    found = call(
        sandbox.app,
        "GET",
        "/sandbox/certificates",
        headers={"Authorization": f"Bearer {sandbox.administrator}"},
        query=f"search={own['certificateNumber']}",
    )
    assert [entry["certificateNumber"] for entry in found.json["data"]] == [own["certificateNumber"]]


def test_endpoints_answer_404_outside_the_sandbox() -> None:
    app = FakeServices(sandbox=False).app()
    answer = call(app, "GET", "/sandbox/clock", headers={"Authorization": f"Bearer {ADMINISTRATOR_TOKEN}"})
    assert (answer.status, answer.json["message"][:6]) == (404, "TB4040")


def test_taxpayer_endpoints_add_change_and_list(sandbox: Sandbox) -> None:
    fields = {"rfc": "zua160101ab3", "name": "ZUA PRUEBA", "postal_code": "06000", "regimes": ["601"], "obligations": 2}
    status, code = sandbox.rejection("GET", "/taxpayers/XAX160101AB3")
    assert (status, code) == (400, "taxpayer-unknown")
    added = sandbox.data("POST", "/taxpayers", fields)
    assert added == {
        "rfc": "ZUA160101AB3",
        "name": "ZUA PRUEBA",
        "postalCode": "06000",
        "regimes": ["601"],
        "obligations": 2,
        "cancelled": False,
        "situation": "",
        "listed": True,
        "pending": {},
    }
    changed = sandbox.data("PATCH", "/taxpayers/zua160101ab3", {"obligations": 0, "cancelled": True})
    assert (changed["obligations"], changed["pending"]) == (2, {"obligations": 0, "cancelled": True})
    assert sandbox.data("POST", "/refresh")["changed"] == 1
    listed = {entry["rfc"]: entry for entry in sandbox.data("GET", "/taxpayers")}
    assert (listed["ZUA160101AB3"]["obligations"], listed["ZUA160101AB3"]["cancelled"]) == (0, True)
    assert "EKU9003173C9" in listed
    assert sandbox.data("GET", "/taxpayers/zua160101ab3") == listed["ZUA160101AB3"]
    assert sandbox.rejection("POST", "/taxpayers", fields) == (400, "taxpayer-exists")


def test_add_taxpayer_accepts_field_names_of_the_previous_version(sandbox: Sandbox) -> None:
    added = sandbox.data("POST", "/taxpayers", {"rfc": "ZUB160101AB3", "name": "ZUB", "postalCode": "06000"})
    assert added["postalCode"] == "06000"
    changed = sandbox.data("PATCH", "/taxpayers/ZUB160101AB3", {"postal_code": "01000"})
    assert changed["pending"] == {"postalCode": "01000"}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"rfc": "X"},
        {"rfc": 5, "name": "A"},
        {"rfc": "ZUA160101AB3", "name": ["A"]},
        {"rfc": "ZUA160101AB3", "name": "A", "regimes": [{}]},
        {"rfc": "ZUA160101AB3", "name": "A", "obligations": "many"},
        {"rfc": "ZUA160101AB3", "name": "A", "obligations": 1.5},
        {"rfc": "ZUA160101AB3", "name": "A", "cancelled": "maybe"},
    ],
)
def test_add_taxpayer_rejects_invalid_fields(sandbox: Sandbox, body: object) -> None:
    status, code = sandbox.rejection("POST", "/taxpayers", body)
    assert (status, code in ("taxpayer-invalid", "TB4005")) == (400, True)


def test_clock_endpoints_set_advance_and_reset(sandbox: Sandbox) -> None:
    assert sandbox.data("GET", "/clock")["running"] is True
    stood = sandbox.data("POST", "/clock/set", {"instant": "2026-11-17T12:00:00"})
    assert (stood["centralMexico"], stood["running"]) == ("2026-11-17T12:00:00", False)
    assert sandbox.data("POST", "/clock/advance", {"duration": "72h"})["centralMexico"] == "2026-11-20T12:00:00"
    assert sandbox.data("POST", "/clock/set", {"instant": "2026-11-17T12:00:00", "running": True})["running"] is True
    assert sandbox.rejection("POST", "/clock/advance", {"duration": "soon"}) == (400, "time-invalid")
    assert sandbox.rejection("POST", "/clock/set", {}) == (400, "time-invalid")
    assert sandbox.data("POST", "/clock/reset")["running"] is True


def test_fault_endpoints_set_and_clear(sandbox: Sandbox) -> None:
    assert sandbox.data("GET", "/faults") == []
    every = {"probability": 1.0, "seed": 1, "route": "", "account": ""}
    latency = {"name": "latency", "remaining": 3, "seconds": 0.5, **every}
    assert sandbox.data("POST", "/faults", {"name": "latency", "times": 3, "seconds": 0.5}) == latency
    assert sandbox.data("POST", "/faults", {"name": "authority-down"})["remaining"] is None
    assert [fault["name"] for fault in sandbox.data("GET", "/faults")] == ["authority-down", "latency"]
    assert sandbox.data("DELETE", "/faults/authority-down") == [latency]
    assert sandbox.data("DELETE", "/faults") == []
    assert sandbox.rejection("POST", "/faults", {"name": "fire"}) == (400, "fault-invalid")


def test_latency_fault_affects_accounts_only(sandbox: Sandbox) -> None:
    sandbox.data("POST", "/faults", {"name": "latency", "times": 1, "seconds": 0.01})
    sandbox.data("GET", "/clock")
    assert len(sandbox.data("GET", "/faults")) == 1
    headers = {"Authorization": f"Bearer {sandbox.account}"}
    assert call(sandbox.app, "GET", "/stamps", headers=headers).status == 200
    assert sandbox.data("GET", "/faults") == []


def test_certificate_endpoints_mint_serve_and_revoke(sandbox: Sandbox) -> None:
    minted = sandbox.data("POST", "/certificates", {"rfc": "EKU9003173C9", "password": "12345678a"})
    certificate = read_certificate(b64decode(minted["b64Cer"]))
    assert (certificate.number, certificate.rfc) == (minted["certificateNumber"], "EKU9003173C9")
    assert minted["password"] == "12345678a"
    path, headers = f"/sandbox/certificates/{certificate.number}.cer", {"Authorization": f"Bearer {sandbox.account}"}
    assert call(sandbox.app, "GET", path).status == 401
    published = call(sandbox.app, "GET", path, headers=headers)
    assert (published.status, published.headers["content-type"]) == (200, "application/pkix-cert")
    assert published.body == certificate.der
    saved = {"b64Cer": minted["b64Cer"], "b64Key": minted["b64Key"], "password": "12345678a", "type": "stamp"}
    stored = call(sandbox.app, "POST", "/certificates/save", headers=headers, body=json.dumps(saved).encode())
    assert stored.json == {"data": "CSD Guardados Correctamente.", "status": "success"}
    (item,) = call(sandbox.app, "GET", "/certificates/rfc/eku9003173c9", headers=headers).json["data"]
    assert (item["certificate_number"], item["csd_certificate"]) == (certificate.number, minted["b64Cer"])
    assert sandbox.data("POST", f"/certificates/{certificate.number}/revoke")["pending"] == "R"
    assert sandbox.rejection("POST", "/certificates/00000000000000000000/revoke") == (400, "certificate-unknown")


@pytest.mark.parametrize("number", ["00000000000000000000", "x", "..%2f..%2fetc"])
def test_certificate_endpoint_answers_404_for_an_unknown_number(sandbox: Sandbox, number: str) -> None:
    assert sandbox.rejection("GET", f"/certificates/{number}.cer") == (404, "TB4041")


def test_mint_rejects_an_unknown_taxpayer_with_the_missing_fields(sandbox: Sandbox) -> None:
    answer = sandbox.call("POST", "/certificates", {"rfc": "QQQ160101AB9"})
    assert (answer.status, answer.json["message"].partition(" ")[0]) == (400, "taxpayer-unknown")
    assert answer.json["messageDetail"]


def test_health_of_a_real_container_has_the_data_version(sandbox: Sandbox) -> None:
    answer = call(sandbox.app, "GET", "/health")
    assert answer.status == 200
    assert answer.json["data"]["data_version"]


def test_import_document_returns_whether_the_cfdi_was_new(sandbox: Sandbox) -> None:
    headers, body = upload(invoice())
    headers["Authorization"] = f"Bearer {sandbox.administrator}"
    answers = [call(sandbox.app, "POST", "/sandbox/ledger", headers=headers, body=body) for _ in range(2)]
    assert [answer.json["data"] for answer in answers] == [{"uuid": FOLIO, "new": True}, {"uuid": FOLIO, "new": False}]
