"""Unreadable documents over HTTP: rejected on arrival, logged as an alarm when stored."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from tests.support.server import Server, invoice, running, seed

from timbra.app.composition import open_container
from timbra.database.build import opened_database
from timbra.database.codec import encode
from timbra.settings import Settings

BOM = b"\xef\xbb\xbf"
ISSUE = "/v4/cfdi33/issue/v4"


@dataclass(frozen=True)
class Served:
    server: Server
    log: Path

    def issue(self, xml: bytes) -> tuple[int, dict[str, Any]]:
        with self.server.client() as client:
            answer = client.post(ISSUE, files={"xml": ("cfdi.xml", xml, "text/xml")})
        return answer.status_code, answer.json()

    def alarms(self) -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]
        return [line for line in lines if line.get("code") == "document-damaged"]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("readable")
    log = folder / "log"
    variables = {"TIMBRA_LOG_FORMAT": "json", "TIMBRA_SMTP_HOST": "127.0.0.1", "TIMBRA_SMTP_SENDER": "a@example.com"}
    with (
        log.open("wb") as lines,
        running(folder / "data", token=seed(folder / "data"), log=lines, environment=variables) as server,
    ):
        yield Served(server, log)


def test_issue_rejects_two_byte_order_marks_and_keeps_one_declaration(served: Served) -> None:
    document = invoice(served.server.data, "1")
    assert served.issue(BOM + BOM + document)[1]["message"].startswith("301")
    status, answer = served.issue(BOM + document.replace(b"<?xml ", b"<?xml\t", 1))
    assert (status, answer["data"]["cfdi"].count("<?xml")) == (200, 1)
    status, again = served.issue(document)
    assert again["message"].startswith("307")
    assert again["data"]["cfdi"] == answer["data"]["cfdi"]


def test_damaged_stored_document_is_co1000_with_an_alarm_on_every_route(served: Served) -> None:
    server = served.server
    document = invoice(server.data, "2")
    uuid = served.issue(document)[1]["data"]["uuid"]
    with open_container(Settings(data=server.data)) as container, container.get(opened_database).write() as connection:
        connection.execute(
            text("UPDATE stamp SET cfdi = :cfdi WHERE uuid = :uuid"), {"cfdi": encode(b"<a"), "uuid": uuid}
        )
    with server.client() as client:
        answers = [
            client.post(ISSUE, files={"xml": ("cfdi.xml", document, "text/xml")}),
            client.get(f"/datawarehouse/v1/live/{uuid}"),
            client.post(f"/pdf/v1/api/RegeneratePdf/{uuid}"),
            client.post("/comprobante/resendemail", json={"uuid": uuid, "to": "b@example.com"}),
        ]
        metrics = client.get("/metrics").text
    for answer in answers:
        assert answer.json()["message"].startswith("CO1000"), answer.text
        assert answer.json()["messageDetail"] is None
    assert 'timbra_internal_errors_total{code="document-damaged"} 4.0' in metrics
    alarms = served.alarms()
    assert [line["level"] for line in alarms] == ["error"] * 4
    assert [line["request_id"] for line in alarms] == [answer.headers["x-request-id"] for answer in answers]
    assert all(uuid in line["detail"] for line in alarms)
