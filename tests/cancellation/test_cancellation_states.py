"""The states of a CFDI from its stamp to its cancellation, over HTTP with a moved clock."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp
from tests.support.asgi import Answer, application, call
from tests.support.cancellation_app import ISSUER, RECEIVER, CancellationApp

from timbra import examples
from timbra.accounts.build import account_services
from timbra.examples import Change

UNKNOWN = "9d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d11"
LINE = "--b1"
FREE, WITH, BLOCKED = "Cancelable sin aceptación", "Cancelable con aceptación", "No cancelable"
CANCELLED = ("Cancelado", FREE, "Cancelado sin aceptación")
WAITING = ("Vigente", WITH, "En proceso")


@dataclass
class CancellationScenario:
    """An account with the CSD of an issuer and a receiver, and an administrator that moves the clock."""

    app: ASGIApp
    token: str
    administrator: str
    documents: dict[str, bytes]

    def call(self, method: str, path: str, **sent: Any) -> Answer:
        return call(self.app, method, path, headers={"Authorization": f"Bearer {self.token}"}, **sent)

    def upload(self, path: str, xml: bytes) -> Any:
        body = f'{LINE}\r\nContent-Disposition: form-data; name="xml"\r\n\r\n'.encode() + xml + f"\r\n{LINE}--".encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "multipart/form-data; boundary=b1"}
        answer = call(self.app, "POST", path, headers=headers, body=body)
        assert answer.status == 200, answer.body
        return answer.json

    def control(self, method: str, path: str, body: object = None) -> Any:
        headers = {"Authorization": f"Bearer {self.administrator}"}
        sent = b"" if body is None else json.dumps(body).encode()
        answer = call(self.app, method, f"/sandbox{path}", headers=headers, body=sent)
        assert answer.status == 200, answer.body
        return answer.json["data"]

    def advance(self, duration: str) -> None:
        self.control("POST", "/clock/advance", {"duration": duration})

    def stamp(self, replaces: str = "") -> str:
        """Stamp an invoice of 5,800 pesos that is dated now and return its UUID."""
        changes: dict[str, Change] = {"@Folio": str(len(self.documents))}
        if replaces:
            changes["CfdiRelacionados"] = examples.relation("04", replaces)
        now = self.control("GET", "/clock")["centralMexico"]
        text = examples.ingreso(changes, concepts=[examples.concepto(price="5000.00")], fecha=now)
        data = self.upload("/cfdi33/issue/v4", text.encode())["data"]
        self.documents[data["uuid"]] = data["cfdi"].encode()
        return str(data["uuid"])

    def old(self) -> str:
        """A CFDI whose cancellation the receiver must accept by now."""
        uuid = self.stamp()
        self.advance("3d")
        return uuid

    def cancel(self, uuid: str, motivo: str = "02", substitute: str = "") -> str:
        path = f"/cfdi33/cancel/{ISSUER}/{uuid}/{motivo}/{substitute}"
        answer = self.call("POST", path)
        assert answer.status == 200, answer.body
        [(folio, code)] = answer.json["data"]["uuid"].items()
        assert folio == uuid.upper()
        return str(code)

    def status(self, uuid: str) -> tuple[str, str, str]:
        """As a validation of the document tells it."""
        report = self.upload("/validate/cfdi", self.documents[uuid])
        return report["statusSat"], report["isCancelable"], report["statusCancelation"]

    def steps(self, uuid: str) -> list[str]:
        return [event["step"] for event in self.control("GET", f"/cfdi/{uuid}/history")]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> CancellationApp:
    sandbox_app = CancellationApp(tmp_path_factory.mktemp("template") / "data")
    sandbox_app.container.get(account_services).accounts.create("admin@example.mx", "a long password", "administrator")
    sandbox_app.container.close()
    return sandbox_app


@pytest.fixture
def scenario(template: CancellationApp, tmp_path: Path) -> Iterator[CancellationScenario]:
    container = template.copied(tmp_path / "data").container
    token = container.get(account_services).accounts.create_infinite_token
    yield CancellationScenario(application(container), token("ana@example.com"), token("admin@example.mx"), {})
    container.close()


def test_substitution_in_the_right_order_cancels(scenario: CancellationScenario) -> None:
    wrong = scenario.stamp()
    assert scenario.status(wrong) == ("Vigente", FREE, "")
    right = scenario.stamp(replaces=wrong)
    assert scenario.status(wrong) == ("Vigente", BLOCKED, "")
    assert scenario.cancel(wrong) == "204"
    assert scenario.cancel(wrong, "01", right.upper()) == "201"
    assert (scenario.status(wrong), scenario.status(right)) == (CANCELLED, ("Vigente", FREE, ""))
    assert scenario.cancel(wrong, "01", right) == "202"
    assert scenario.steps(wrong) == ["cancelled"]


def test_substitution_in_the_wrong_order_has_no_effect(scenario: CancellationScenario) -> None:
    wrong = scenario.stamp()
    assert scenario.cancel(wrong, "01", UNKNOWN) == "201"
    assert scenario.status(wrong) == ("Vigente", FREE, "")
    late = scenario.stamp(replaces=wrong)
    assert scenario.status(wrong) == ("Vigente", BLOCKED, "")
    scenario.advance("30d")
    assert scenario.status(wrong) == ("Vigente", BLOCKED, "")
    assert scenario.steps(wrong) == ["ineffective"]
    assert scenario.cancel(wrong, "01", late) == "201"
    assert scenario.status(wrong) == ("Vigente", BLOCKED, "En proceso")


def test_cancellation_without_the_relation_has_no_effect(scenario: CancellationScenario) -> None:
    wrong, unrelated = scenario.stamp(), scenario.stamp()
    assert scenario.cancel(wrong, "01", unrelated) == "201"
    assert scenario.status(wrong) == ("Vigente", FREE, "")
    [event] = scenario.control("GET", f"/cfdi/{wrong}/history")
    assert (event["step"], event["motivo"], event["foliosustitucion"]) == ("ineffective", "01", unrelated)
    assert "TipoRelacion 04" in event["reason"]


def test_cancellation_expires_when_the_receiver_does_not_answer(scenario: CancellationScenario) -> None:
    uuid = scenario.old()
    assert scenario.status(uuid) == ("Vigente", WITH, "")
    assert scenario.cancel(uuid) == "201"
    assert scenario.status(uuid) == WAITING
    assert scenario.call("GET", f"/pendings/{RECEIVER}").json["data"] == {"uuid": [uuid.upper()]}
    assert scenario.cancel(uuid) == "202"
    scenario.control("POST", "/clock/set", {"instant": "2026-11-25T23:59:59"})
    assert scenario.status(uuid) == WAITING
    scenario.advance("1s")
    assert scenario.status(uuid) == ("Cancelado", WITH, "Plazo vencido")
    assert scenario.call("GET", f"/pendings/{RECEIVER}").json["codStatus"] == "1101"
    requested, expired = scenario.control("GET", f"/cfdi/{uuid}/history")
    assert (requested["step"], expired["step"]) == ("requested", "expired")
    assert expired["centralMexico"] == "2026-11-26T00:00:00"
    assert (expired["from"], expired["to"]) == (["Vigente", "En proceso"], ["Cancelado", "Plazo vencido"])


def test_cancellation_can_be_repeated_after_a_rejection(scenario: CancellationScenario) -> None:
    uuid = scenario.old()
    scenario.cancel(uuid)
    rejected = scenario.call("POST", f"/acceptreject/{RECEIVER}/{uuid}/Rechazo").json
    [folio] = rejected["data"]["folios"]
    assert (rejected["codStatus"], folio) == (
        "1000",
        {"uuid": uuid.upper(), "estatusUUID": "1000", "respuesta": "Rechazo"},
    )
    assert scenario.status(uuid) == ("Vigente", WITH, "Solicitud rechazada")
    assert scenario.cancel(uuid) == "201"
    assert scenario.status(uuid) == WAITING
    answered = scenario.control("POST", f"/cfdi/{uuid}/answer", {"answer": "accept"})
    assert (answered["uuid"], answered["code"]) == (uuid.upper(), "1000")
    assert scenario.status(uuid) == ("Cancelado", WITH, "Cancelado con aceptación")
    assert scenario.steps(uuid) == ["requested", "rejected", "requested", "accepted"]


def test_cancellation_is_answered_by_the_automatic_reply(scenario: CancellationScenario) -> None:
    script = {"rfc": RECEIVER, "answer": "reject", "delaySeconds": 7200}
    assert scenario.control("POST", "/scripts", {"rfc": RECEIVER, "answer": "reject", "delay": "2h"}) == [script]
    assert scenario.control("GET", "/scripts") == [script]
    uuid = scenario.old()
    scenario.cancel(uuid)
    assert scenario.status(uuid) == WAITING
    scenario.advance("2h")
    assert scenario.status(uuid) == ("Vigente", WITH, "Solicitud rechazada")
    assert scenario.control("DELETE", f"/scripts/{RECEIVER.lower()}") == []
    scenario.control("POST", "/scripts", {"rfc": RECEIVER, "answer": "accept"})
    assert scenario.control("POST", "/scripts", {"rfc": RECEIVER, "answer": "silence"}) == []
    assert scenario.control("DELETE", "/scripts") == []


def test_cancellation_is_210_after_the_annual_limit(scenario: CancellationScenario) -> None:
    uuid = scenario.stamp()
    scenario.control("POST", "/clock/set", {"instant": "2027-03-31T23:59:59"})
    assert scenario.status(uuid) == ("Vigente", WITH, "")
    scenario.advance("1s")
    assert scenario.cancel(uuid) == "210"
    assert scenario.status(uuid) == ("Vigente", WITH, "")
    assert scenario.steps(uuid) == []


def test_relations_returns_parents_and_children(scenario: CancellationScenario) -> None:
    wrong = scenario.stamp()
    nothing = scenario.call("POST", f"/relations/{ISSUER}/{wrong}")
    assert (nothing.status, nothing.json["codStatus"], nothing.json["data"]) == (200, "2001", None)
    right = scenario.stamp(replaces=wrong)
    parties = {"rfcEmisor": ISSUER, "rfcReceptor": RECEIVER}
    up = scenario.call("POST", f"/relations/{ISSUER}/{right}").json["data"]
    down = scenario.call("POST", f"/relations/{RECEIVER}/{wrong}").json["data"]
    assert (up["uuidConsultado"], up["uuidsRelacionadosHijos"]) == (right.upper(), [])
    assert up["uuidsRelacionadosPadres"] == [{"uuid": wrong.upper(), **parties}]
    assert down["uuidsRelacionadosHijos"] == [{"uuid": right.upper(), **parties}]
    foreign = scenario.call("POST", f"/relations/{ISSUER}/{UNKNOWN}")
    assert (foreign.status, foreign.json["codStatus"], foreign.json["status"]) == (400, "2002", "error")


def test_cancellation_is_ca2000_without_effect_when_the_authority_is_down(scenario: CancellationScenario) -> None:
    uuid = scenario.stamp()
    scenario.control("POST", "/faults", {"name": "authority-down", "times": 1})
    answer = scenario.call("POST", f"/cfdi33/cancel/{ISSUER}/{uuid}/02")
    assert (answer.status, answer.json["message"][:6], "retry-after" in answer.headers) == (400, "CA2000", True)
    assert scenario.status(uuid) == ("Vigente", FREE, "")


def test_queries_have_contract_codes_when_the_authority_is_down(scenario: CancellationScenario) -> None:
    uuid = scenario.stamp()
    scenario.control("POST", "/faults", {"name": "authority-down"})
    relations = scenario.call("POST", f"/relations/{ISSUER}/{uuid}")
    pendings = scenario.call("GET", f"/pendings/{RECEIVER}")
    answers = scenario.call("POST", f"/acceptreject/{RECEIVER}/{uuid}/Aceptacion")
    assert [(answer.status, answer.json["message"][:6]) for answer in (relations, pendings, answers)] == [
        (400, "CA2100"),
        (400, "CA2300"),
        (400, "CA2300"),
    ]


@pytest.mark.parametrize(
    ("method", "path", "body", "code"),
    [
        ("POST", "/scripts", {"rfc": RECEIVER, "answer": "perhaps"}, "script-invalid"),
        ("POST", "/scripts", {"rfc": RECEIVER, "answer": "accept", "delay": "soon"}, "time-invalid"),
        ("POST", f"/cfdi/{UNKNOWN}/answer", {"answer": "accept"}, "document-unknown"),
        ("POST", f"/cfdi/{UNKNOWN}/answer", {}, "script-invalid"),
        ("GET", f"/cfdi/{UNKNOWN}/history", None, "document-unknown"),
        ("GET", "/cfdi/x/history", None, "document-unknown"),
    ],
)
def test_sandbox_controls_reject_invalid_requests(
    scenario: CancellationScenario, method: str, path: str, body: object, code: str
) -> None:
    sent = b"" if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {scenario.administrator}"}
    answer = call(scenario.app, method, f"/sandbox{path}", headers=headers, body=sent)
    assert (answer.status, answer.json["message"].split(" ")[0]) == (400, code)
    assert scenario.call(method, f"/sandbox{path}", body=sent).json["message"][:6] == "TB4010"
