"""The life of a CFDI from its stamp to its end, over HTTP alone; the clock is moved, the status read at each step."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp
from tests.api.asgi import Answer, application, ask
from tests.support.cancellation_app import ISSUER, RECEIVER, CancellationApp

from timbra import examples
from timbra.examples import Change

UNKNOWN = "9d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d11"
LINE = "--b1"
FREE, WITH, BLOCKED = "Cancelable sin aceptación", "Cancelable con aceptación", "No cancelable"
CANCELLED = ("Cancelado", FREE, "Cancelado sin aceptación")
WAITING = ("Vigente", WITH, "En proceso")


@dataclass
class Story:
    """One account with the CSD of an issuer and a receiver; another that may move the clock."""

    app: ASGIApp
    token: str
    administrator: str
    documents: dict[str, bytes]

    def ask(self, method: str, path: str, **sent: Any) -> Answer:
        return ask(self.app, method, path, headers={"Authorization": f"Bearer {self.token}"}, **sent)

    def upload(self, path: str, xml: bytes) -> Any:
        body = f'{LINE}\r\nContent-Disposition: form-data; name="xml"\r\n\r\n'.encode() + xml + f"\r\n{LINE}--".encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "multipart/form-data; boundary=b1"}
        answer = ask(self.app, "POST", path, headers=headers, body=body)
        assert answer.status == 200, answer.body
        return answer.json

    def control(self, method: str, path: str, body: object = None) -> Any:
        headers = {"Authorization": f"Bearer {self.administrator}"}
        sent = b"" if body is None else json.dumps(body).encode()
        answer = ask(self.app, method, f"/sandbox{path}", headers=headers, body=sent)
        assert answer.status == 200, answer.body
        return answer.json["data"]

    def advance(self, duration: str) -> None:
        self.control("POST", "/clock/advance", {"duration": duration})

    def stamp(self, replaces: str = "") -> str:
        """The UUID of a new invoice of 5,800 pesos, dated now."""
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
        answer = self.ask("POST", path)
        assert answer.status == 200, answer.body
        [(told, code)] = answer.json["data"]["uuid"].items()
        assert told == uuid.upper()
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
    sandbox_app.container.account_services.accounts.create("admin@example.mx", "a long password", "administrator")
    sandbox_app.container.close()
    return sandbox_app


@pytest.fixture
def story(template: CancellationApp, tmp_path: Path) -> Iterator[Story]:
    container = template.copied(tmp_path / "data").container
    token = container.account_services.accounts.create_infinite_token
    yield Story(application(container), token("ana@example.com"), token("admin@example.mx"), {})
    container.close()


def test_a_substitution_in_the_right_order(story: Story) -> None:
    wrong = story.stamp()
    assert story.status(wrong) == ("Vigente", FREE, "")
    right = story.stamp(replaces=wrong)
    assert story.status(wrong) == ("Vigente", BLOCKED, "")
    assert story.cancel(wrong) == "204"
    assert story.cancel(wrong, "01", right.upper()) == "201"
    assert (story.status(wrong), story.status(right)) == (CANCELLED, ("Vigente", FREE, ""))
    assert story.cancel(wrong, "01", right) == "202"
    assert story.steps(wrong) == ["cancelled"]


def test_a_substitution_in_the_wrong_order_is_received_and_does_nothing(story: Story) -> None:
    wrong = story.stamp()
    assert story.cancel(wrong, "01", UNKNOWN) == "201"
    assert story.status(wrong) == ("Vigente", FREE, "")
    late = story.stamp(replaces=wrong)
    assert story.status(wrong) == ("Vigente", BLOCKED, "")
    story.advance("30d")
    assert story.status(wrong) == ("Vigente", BLOCKED, "")
    assert story.steps(wrong) == ["ineffective"]
    assert story.cancel(wrong, "01", late) == "201"
    assert story.status(wrong) == ("Vigente", BLOCKED, "En proceso")


def test_a_relation_that_is_missing(story: Story) -> None:
    wrong, unrelated = story.stamp(), story.stamp()
    assert story.cancel(wrong, "01", unrelated) == "201"
    assert story.status(wrong) == ("Vigente", FREE, "")
    [event] = story.control("GET", f"/cfdi/{wrong}/history")
    assert (event["step"], event["motivo"], event["foliosustitucion"]) == ("ineffective", "01", unrelated)
    assert "TipoRelacion 04" in event["reason"]


def test_a_receiver_that_keeps_silent(story: Story) -> None:
    uuid = story.old()
    assert story.status(uuid) == ("Vigente", WITH, "")
    assert story.cancel(uuid) == "201"
    assert story.status(uuid) == WAITING
    assert story.ask("GET", f"/pendings/{RECEIVER}").json["data"] == {"uuid": [uuid.upper()]}
    assert story.cancel(uuid) == "202"
    story.control("POST", "/clock/set", {"instant": "2026-11-25T23:59:59"})
    assert story.status(uuid) == WAITING
    story.advance("1s")
    assert story.status(uuid) == ("Cancelado", WITH, "Plazo vencido")
    assert story.ask("GET", f"/pendings/{RECEIVER}").json["codStatus"] == "1101"
    requested, expired = story.control("GET", f"/cfdi/{uuid}/history")
    assert (requested["step"], expired["step"]) == ("requested", "expired")
    assert expired["centralMexico"] == "2026-11-26T00:00:00"
    assert (expired["from"], expired["to"]) == (["Vigente", "En proceso"], ["Cancelado", "Plazo vencido"])


def test_a_receiver_that_rejects_and_later_accepts(story: Story) -> None:
    uuid = story.old()
    story.cancel(uuid)
    rejected = story.ask("POST", f"/acceptreject/{RECEIVER}/{uuid}/Rechazo").json
    [folio] = rejected["data"]["folios"]
    assert (rejected["codStatus"], folio) == (
        "1000",
        {"uuid": uuid.upper(), "estatusUUID": "1000", "respuesta": "Rechazo"},
    )
    assert story.status(uuid) == ("Vigente", WITH, "Solicitud rechazada")
    assert story.cancel(uuid) == "201"
    assert story.status(uuid) == WAITING
    answered = story.control("POST", f"/cfdi/{uuid}/answer", {"answer": "accept"})
    assert (answered["uuid"], answered["code"]) == (uuid.upper(), "1000")
    assert story.status(uuid) == ("Cancelado", WITH, "Cancelado con aceptación")
    assert story.steps(uuid) == ["requested", "rejected", "requested", "accepted"]


def test_a_receiver_by_its_script(story: Story) -> None:
    script = {"rfc": RECEIVER, "answer": "reject", "delaySeconds": 7200}
    assert story.control("POST", "/scripts", {"rfc": RECEIVER, "answer": "reject", "delay": "2h"}) == [script]
    assert story.control("GET", "/scripts") == [script]
    uuid = story.old()
    story.cancel(uuid)
    assert story.status(uuid) == WAITING
    story.advance("2h")
    assert story.status(uuid) == ("Vigente", WITH, "Solicitud rechazada")
    assert story.control("DELETE", f"/scripts/{RECEIVER.lower()}") == []
    story.control("POST", "/scripts", {"rfc": RECEIVER, "answer": "accept"})
    assert story.control("POST", "/scripts", {"rfc": RECEIVER, "answer": "silence"}) == []
    assert story.control("DELETE", "/scripts") == []


def test_the_year_closes(story: Story) -> None:
    uuid = story.stamp()
    story.control("POST", "/clock/set", {"instant": "2027-03-31T23:59:59"})
    assert story.status(uuid) == ("Vigente", WITH, "")
    story.advance("1s")
    assert story.cancel(uuid) == "210"
    assert story.status(uuid) == ("Vigente", WITH, "")
    assert story.steps(uuid) == []


def test_relations_as_both_sides_see_them(story: Story) -> None:
    wrong = story.stamp()
    nothing = story.ask("POST", f"/relations/{ISSUER}/{wrong}")
    assert (nothing.status, nothing.json["codStatus"], nothing.json["data"]) == (200, "2001", None)
    right = story.stamp(replaces=wrong)
    parties = {"rfcEmisor": ISSUER, "rfcReceptor": RECEIVER}
    up = story.ask("POST", f"/relations/{ISSUER}/{right}").json["data"]
    down = story.ask("POST", f"/relations/{RECEIVER}/{wrong}").json["data"]
    assert (up["uuidConsultado"], up["uuidsRelacionadosHijos"]) == (right.upper(), [])
    assert up["uuidsRelacionadosPadres"] == [{"uuid": wrong.upper(), **parties}]
    assert down["uuidsRelacionadosHijos"] == [{"uuid": right.upper(), **parties}]
    stranger = story.ask("POST", f"/relations/{ISSUER}/{UNKNOWN}")
    assert (stranger.status, stranger.json["codStatus"], stranger.json["status"]) == (400, "2002", "error")


def test_an_authority_that_is_down_answers_503_and_nothing_happened(story: Story) -> None:
    uuid = story.stamp()
    story.control("POST", "/faults", {"name": "authority-down", "times": 1})
    answer = story.ask("POST", f"/cfdi33/cancel/{ISSUER}/{uuid}/02")
    assert (answer.status, answer.json["message"][:14], "retry-after" in answer.headers) == (
        503,
        "authority-down",
        True,
    )
    assert story.status(uuid) == ("Vigente", FREE, "")


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
def test_controls_that_are_rejected(story: Story, method: str, path: str, body: object, code: str) -> None:
    sent = b"" if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {story.administrator}"}
    answer = ask(story.app, method, f"/sandbox{path}", headers=headers, body=sent)
    assert (answer.status, answer.json["message"].split(" ")[0]) == (400, code)
    assert story.ask(method, f"/sandbox{path}", body=sent).json["message"][:6] == "TB4010"
