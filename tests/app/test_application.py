"""Behaviour of every route: tokens, envelopes, limits, request ids, logs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from structlog.testing import capture_logs
from tests.support.asgi import BEARER, call, upload
from tests.support.fake_services import FakeServices, small_settings

from timbra.app.operation_table import OPERATIONS
from timbra.core.errors import ServiceError
from timbra.sandbox.faults import Fault
from timbra.web.framework.router import Router

STAMP = "/cfdi33/stamp/v4"


@pytest.mark.parametrize("path", [STAMP, "/validate/cfdi", "/v4/cfdi33/issue/json/v4"])
@pytest.mark.parametrize(
    ("authorization", "message"),
    [
        (None, "AU4101 - El token proporcionado viene vacio."),
        ("Bearer ", "AU4101 - El token proporcionado viene vacio."),
        ("bearer", "AU4101 - El token proporcionado viene vacio."),
        ("Bearer None", "El token debe contener 3 partes"),
        ("Bearer x.y.z", "Firma inválidad. Se esperaba otra firma para este token"),
    ],
)
def test_request_is_rejected_without_a_valid_token(path: str, authorization: str | None, message: str) -> None:
    headers = {} if authorization is None else {"Authorization": authorization}
    answer = call(FakeServices().app(), "POST", path, headers=headers)
    assert answer.status == 401
    assert answer.json == {"message": message, "messageDetail": None, "data": None, "status": "error"}


@pytest.mark.parametrize(
    ("failure", "counted"),
    [
        (RuntimeError("secret /etc/x"), "CO1000"),
        (KeyError("secret"), "CO1000"),
        (ServiceError("nope", "secret"), "nope"),
        (ServiceError("vault-damaged", "secret"), "vault-damaged"),
    ],
)
def test_response_hides_internal_errors(failure: Exception, counted: str) -> None:
    fakes = FakeServices()
    fakes.stamping_services.stamping.failure = failure
    headers, body = upload(b"<a/>")
    with capture_logs() as logged:
        answer = call(fakes.app(), "POST", STAMP, headers=headers, body=body)
    assert answer.status == 400
    assert answer.json["message"].startswith("CO1000 - ")
    assert b"secret" not in answer.body
    assert any(line["log_level"] == "error" for line in logged)
    counts = fakes.metrics.counts
    assert {key: value for key, value in counts.items() if key[0] == "internal_errors"} == {
        ("internal_errors", (counted,)): 1
    }


@pytest.mark.parametrize("code", ["CO1000", "signer-unavailable"])
def test_response_is_503_with_retry_after_when_the_service_is_unavailable(code: str) -> None:
    fakes = FakeServices()
    fakes.stamping_services.stamping.failure = ServiceError(code, retry_after=5)
    headers, body = upload(b"<a/>")
    answer = call(fakes.app(), "POST", STAMP, headers=headers, body=body)
    assert (answer.status, answer.headers["retry-after"]) == (503, "5")


def test_response_has_a_unique_request_id() -> None:
    app = FakeServices().app()
    ids = {call(app, method, path).headers["x-request-id"] for method in ("GET", "POST") for path in (STAMP, "/health")}
    assert len(ids) == 4


def test_access_log_excludes_bodies_and_tokens() -> None:
    headers, body = upload(b"<a secret='1'/>")
    with capture_logs() as logged:
        call(FakeServices().app(), "POST", STAMP, headers=headers, body=body, query="password=secret")
    assert [line["event"] for line in logged] == ["answered"]
    assert logged[0]["account"] == 7
    assert "secret" not in str(logged)
    assert BEARER["Authorization"] not in str(logged)


def test_body_over_the_limit_is_not_read_to_its_end() -> None:
    fakes = FakeServices(settings=small_settings(max_body_bytes=1000))
    taken = 0

    def pieces() -> Iterator[bytes]:
        nonlocal taken
        while True:
            taken += 1
            yield b"x" * 500

    app = fakes.app()
    headers, _ = upload(b"")
    answer = call(app, "POST", STAMP, headers={**headers, "Content-Length": "5000"}, body=[b"x" * 500] * 10)
    assert (answer.status, answer.json["message"][:6]) == (400, "TB4001")
    assert answer.json["messageDetail"]
    assert answer.headers["connection"] == "close"
    at_limit = call(app, "POST", STAMP, headers=headers, body=[b"x" * 500] * 3)
    assert at_limit.json["message"][:6] == "TB4001"


def test_body_over_the_limit_is_rejected_before_100_continue() -> None:
    fakes = FakeServices(settings=small_settings(max_body_bytes=1000))
    headers, _ = upload(b"")
    headers |= {"Expect": "100-continue", "Content-Length": "5000"}
    answer = call(fakes.app(), "POST", STAMP, headers=headers, body=iter([b""]))
    assert (answer.json["message"][:6], answer.headers["connection"]) == ("TB4001", "close")


def test_body_shorter_than_its_length_is_rejected() -> None:
    headers, body = upload(b"<a/>")
    headers |= {"Content-Length": str(len(body) + 1)}
    answer = call(FakeServices().app(), "POST", STAMP, headers=headers, body=[body])
    assert (answer.status, answer.json["message"][:6]) == (400, "TB4002")


def test_body_is_joined_from_its_pieces() -> None:
    fakes = FakeServices()
    headers, body = upload(b"<a/>")
    answer = call(fakes.app(), "POST", STAMP, headers=headers, body=[body[:10], b"", body[10:]])
    assert answer.status == 200
    assert fakes.stamping_services.stamping.orders[0][1].xml == b"<a/>"


def test_answer_lost_fault_closes_the_connection() -> None:
    fakes = FakeServices()
    fakes.sandbox_services.faults.on["answer-lost"] = Fault("answer-lost")
    closed: list[bool] = []
    headers, body = upload(b"<a/>")
    extensions = {"timbra.abort_connection": {"close": lambda: closed.append(True)}}
    with pytest.raises(ValueError, match="not enough values"):
        call(fakes.app(), "POST", STAMP, headers=headers, body=body, extensions=extensions)
    assert closed == [True]
    assert len(fakes.stamping_services.stamping.orders) == 1


def test_faults_are_ignored_in_production() -> None:
    fakes = FakeServices(sandbox=False)
    fakes.sandbox_services.faults.on |= {
        "answer-lost": Fault("answer-lost"),
        "latency": Fault("latency", seconds=60),
    }
    headers, body = upload(b"<a/>")
    assert call(fakes.app(), "POST", STAMP, headers=headers, body=body).status == 200


def test_response_is_503_with_retry_after_when_the_server_stops() -> None:
    fakes = FakeServices()
    fakes.stamping_services.stamping.failure = asyncio.CancelledError()
    headers, body = upload(b"<a/>")
    answer = call(fakes.app(), "POST", STAMP, headers=headers, body=body)
    assert (answer.status, answer.headers["retry-after"], answer.json["status"]) == (503, "1", "error")


def test_health_requires_no_token() -> None:
    answer = call(FakeServices().app(), "GET", "/health")
    assert (answer.status, answer.json["status"]) == (200, "success")
    assert answer.json["data"]["data_version"] == "2026.11"


@pytest.mark.parametrize("body", [b'{"data": "\\ud800"}', b'{"\\ud800": 1}', b'{"data": "\\u0000"}'])
def test_json_with_text_that_cannot_be_stored_is_rejected_in_the_envelope(body: bytes) -> None:
    headers = BEARER | {"Content-Type": "application/json"}
    answer = call(FakeServices().app(), "POST", "/certificates/save", headers=headers, body=body)
    assert (answer.status, answer.json["message"][:6]) == (400, "TB4004")
    assert "no es un carácter de texto" in answer.json["messageDetail"]


def test_rejection_replaces_characters_that_cannot_be_encoded() -> None:
    fakes = FakeServices()
    fakes.stamping_services.stamping.failure = ServiceError("301", "El atributo \ud800 no existe.")
    headers, body = upload(b"<a/>")
    answer = call(fakes.app(), "POST", STAMP, headers=headers, body=body)
    assert (answer.status, answer.json["messageDetail"]) == (400, "El atributo \ufffd no existe.")


def test_router_replaces_characters_that_cannot_be_stored() -> None:
    found = Router(OPERATIONS).find("GET", "/taxpayers/a\0b\ud800")
    assert found is not None
    assert found[1] == {"rfc": "a\ufffdb\ufffd"}
