"""Scripted faults: every fault over HTTP, counts, the file, and rules that make no sense."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from httpx2 import HTTPError, Response
from pydantic import ValidationError
from tests.emulator.emulator_support import (
    EmulatorRun,
    acuse_of,
    fault_of,
    login_message,
    running_emulator,
)
from tests.support.waiting import wait_until

from timbra.core.errors import ServiceError
from timbra.emulator.faults import EmulatedService, FaultRule, FaultScript
from timbra.emulator.options import EmulatorConfiguration

GOOD = "Comprobante recibido satisfactoriamente"


def login(emulator: EmulatorRun) -> Response:
    return emulator.send_login(login_message(emulator.provider()))


def test_reset_closes_the_connection_before_the_request_is_processed(emulator: EmulatorRun) -> None:
    xml, uuid = emulator.stamped()
    token = emulator.login()
    emulator.upload(xml, f"{uuid}.xml")
    emulator.fault("connection-reset", service="reception", times=1)
    with pytest.raises(HTTPError):
        emulator.announce(token, uuid)
    assert emulator.control("GET", f"/receptions/{uuid}").status_code == 404
    assert acuse_of(emulator.announce(token, uuid))[0]["CodEstatus"] == GOOD


def test_answer_lost_closes_the_connection_after_the_document_was_received(emulator: EmulatorRun) -> None:
    xml, uuid = emulator.stamped()
    token = emulator.login()
    emulator.upload(xml, f"{uuid}.xml")
    emulator.fault("answer-lost", service="reception", times=1)
    with pytest.raises(HTTPError):
        emulator.announce(token, uuid)
    received = emulator.control("GET", f"/receptions/{uuid}").json()
    again = emulator.announce(token, uuid)
    assert received["acuse"].encode() in again.content


def test_reject_stops_listening_for_a_while(emulator: EmulatorRun) -> None:
    emulator.fault("connection-refused", service="status", seconds=0.5)
    emulator.control("DELETE", "/faults")
    assert emulator.control("POST", "/pause", {"seconds": 0.5}).status_code == 200
    rejected: list[bool] = []

    def answers() -> bool:
        try:
            rejected.append(False)
            return emulator.client.get(emulator.url("/lco")).status_code == 404
        except HTTPError:
            rejected[-1] = True
            return False

    wait_until(lambda: not answers())
    assert emulator.control("GET", "/state").status_code == 200
    wait_until(answers)
    assert True in rejected


def test_reject_of_a_script_begins_with_the_affected_request(emulator: EmulatorRun) -> None:
    emulator.fault("connection-refused", service="lists", seconds=0.3, times=1)
    with pytest.raises(HTTPError):
        emulator.client.get(emulator.url("/lco"))
    wait_until(lambda: _answers(emulator, "/lco"))


def _answers(emulator: EmulatorRun, path: str) -> bool:
    try:
        emulator.client.get(emulator.url(path))
    except HTTPError:
        return False
    return True


def test_status_storm_ends_after_its_count(emulator: EmulatorRun) -> None:
    emulator.fault("status", service="authentication", status=502, times=3)
    assert [login(emulator).status_code for _ in range(4)] == [502, 502, 502, 200]


def test_skip_lets_requests_pass_first(emulator: EmulatorRun) -> None:
    emulator.fault("status", service="authentication", skip=2, times=1)
    assert [login(emulator).status_code for _ in range(4)] == [200, 200, 503, 200]


def test_soap_fault_has_code_and_text_of_the_rule(emulator: EmulatorRun) -> None:
    emulator.fault("soap-fault", service="authentication", code="Server", message="a < b", times=1)
    assert fault_of(login(emulator)) == ("Server", "a < b")


def test_slow_answers_after_the_wait(emulator: EmulatorRun) -> None:
    emulator.fault("slow", service="authentication", seconds=0.05, times=1)
    assert login(emulator).status_code == 200
    assert emulator.control("GET", "/faults").json() == []


def test_stale_token_is_answered_with_501(emulator: EmulatorRun) -> None:
    emulator.fault("stale-token", service="reception", times=1)
    xml, uuid = emulator.stamped()
    token = emulator.login()
    assert acuse_of(emulator.deliver(xml, uuid, token))[0]["CodEstatus"] == "501"
    assert acuse_of(emulator.announce(token, uuid))[0]["CodEstatus"] == GOOD


def test_incidencia_comes_with_a_good_status(emulator: EmulatorRun) -> None:
    emulator.fault("incidencia", service="reception", code="999", message="Algo <raro>", times=1)
    xml, uuid = emulator.stamped()
    attributes, incidencias = acuse_of(emulator.deliver(xml, uuid))
    assert (attributes["CodEstatus"], incidencias) == (GOOD, [("999", "Algo <raro>")])
    assert emulator.control("GET", f"/receptions/{uuid}").json()["incidencias"][0]["code"] == "999"


def test_reject_does_not_receive_the_document(emulator: EmulatorRun) -> None:
    emulator.fault("reject", service="reception", code="505", message="No.", times=1)
    xml, uuid = emulator.stamped()
    attributes, incidencias = acuse_of(emulator.deliver(xml, uuid))
    assert (attributes["CodEstatus"], incidencias) == ("505", [("505", "No.")])
    assert emulator.control("GET", f"/receptions/{uuid}").status_code == 404


def test_other_uuid_names_another_document_in_the_acuse(emulator: EmulatorRun) -> None:
    emulator.fault("other-uuid", service="reception", times=1)
    xml, uuid = emulator.stamped()
    attributes, _ = acuse_of(emulator.deliver(xml, uuid))
    assert attributes["UUID"] != uuid
    assert acuse_of(emulator.announce(emulator.login(), uuid))[0]["UUID"] == uuid


def test_truncated_answers_with_half_of_the_body(emulator: EmulatorRun) -> None:
    whole = emulator.client.get(emulator.url("/lco?restype=container&comp=list")).content
    emulator.fault("truncated", service="lists", times=1)
    half = emulator.client.get(emulator.url("/lco?restype=container&comp=list")).content
    assert half == whole[: len(whole) // 2]


@pytest.mark.parametrize(
    "rule",
    [
        {"fault": "fire"},
        {"fault": "status", "service": "nothing"},
        {"fault": "slow"},
        {"fault": "status", "seconds": 1},
        {"fault": "incidencia"},
        {"fault": "stale-token", "service": "upload"},
        {"fault": "status", "status": 200},
        {"fault": "connection-reset", "times": 0},
        {"fault": "connection-reset", "other": 1},
    ],
    ids=str,
)
def test_rule_without_sense_is_rejected(emulator: EmulatorRun, rule: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        FaultRule.model_validate(rule)
    assert emulator.control("POST", "/faults", rule).status_code == 400


def test_take_counts_rules_of_a_service_independently() -> None:
    script = FaultScript(
        [
            FaultRule(fault="status", service=EmulatedService.UPLOAD, times=1),
            FaultRule(fault="status", status=500),
        ]
    )
    found = [script.take(service).get("status") for service in (EmulatedService.UPLOAD, EmulatedService.UPLOAD)]
    assert [rule.status for rule in found if rule is not None] == [503, 500]
    assert [rule.status for rule in script.rules()] == [500]


def test_take_of_a_fault_for_all_services_leaves_out_those_to_which_it_does_not_apply() -> None:
    script = FaultScript([FaultRule(fault="incidencia", code="1")])
    assert script.take(EmulatedService.LISTS).get("incidencia") is None
    assert script.take(EmulatedService.RECEPTION).get("incidencia") is not None


@pytest.fixture
def configured(tmp_path: Path) -> Iterator[tuple[EmulatorRun, Path]]:
    path = tmp_path / "emulator.yaml"
    path.write_text("options: {token_seconds: 42}\nfaults:\n- {fault: status, service: status, times: 2}\n")
    with running_emulator(tmp_path / "data", path) as run:
        yield run, path


def test_file_sets_options_and_faults_and_is_read_again(configured: tuple[EmulatorRun, Path]) -> None:
    emulator, path = configured
    assert emulator.control("GET", "/options").json()["token_seconds"] == 42
    assert emulator.control("GET", "/faults").json() == [{"fault": "status", "service": "status", "times": 2}]
    path.write_text(json.dumps({"faults": [{"fault": "connection-reset", "service": "lists"}]}))
    os.utime(path, (1, 1))
    assert emulator.control("GET", "/faults").json() == [{"fault": "connection-reset", "service": "lists"}]
    assert emulator.control("GET", "/options").json()["token_seconds"] == 600
    path.write_text("faults: [{fault: fire}]")
    os.utime(path, (2, 2))
    assert emulator.control("GET", "/faults").json() == [{"fault": "connection-reset", "service": "lists"}]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("faults: [{fault: fire}]", "faults.0.fault"),
        ("[", "JSON"),
        ("options: {x: 1}", "options.x"),
        ("5", "EmulatorFile"),
    ],
)
def test_file_that_cannot_be_read_is_rejected_at_the_start(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "emulator.yaml"
    path.write_text(text)
    with pytest.raises(ServiceError, match="emulator-configuration") as rejected:
        EmulatorConfiguration(path)
    assert reason in str(rejected.value)


def test_file_that_is_missing_is_rejected_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(ServiceError, match="emulator-configuration"):
        EmulatorConfiguration(tmp_path / "missing.yaml")
