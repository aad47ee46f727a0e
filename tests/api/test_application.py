"""What holds for every route: tokens, envelopes, bounds, ids, logs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from structlog.testing import capture_logs
from tests.api.asgi import BEARER, ask, upload
from tests.api.fake_services import FakeServices, small_settings

from timbra.api.framework.router import Router
from timbra.api.operation_table import OPERATIONS
from timbra.authority.sandbox.controls.faults import Fault
from timbra.errors import ServiceError

STAMP = "/cfdi33/stamp/v4"


@pytest.mark.parametrize("path", [STAMP, "/validate/cfdi", "/v4/cfdi33/issue/json/v4"])
@pytest.mark.parametrize(
    ("authorization", "message"),
    [
        (None, "AU4101 - El token proporcionado viene vacio."),
        ("Bearer ", "El token debe contener 3 partes"),
        ("Bearer None", "El token debe contener 3 partes"),
        ("Bearer x.y.z", "Firma inválidad. Se esperaba otra firma para este token"),
    ],
)
def test_token_rejections(path: str, authorization: str | None, message: str) -> None:
    headers = {} if authorization is None else {"Authorization": authorization}
    answer = ask(FakeServices().app(), "POST", path, headers=headers)
    assert answer.status == 401
    assert answer.json == {"message": message, "messageDetail": None, "data": None, "status": "error"}


@pytest.mark.parametrize(
    "failure",
    [
        RuntimeError("secret /etc/x"),
        KeyError("secret"),
        ServiceError("nope", "secret"),
        ServiceError("vault-damaged", "secret"),
    ],
)
def test_nothing_internal_leaves(failure: Exception) -> None:
    fakes = FakeServices()
    fakes.stamping_services.stamping.failure = failure
    headers, body = upload(b"<a/>")
    with capture_logs() as logged:
        answer = ask(fakes.app(), "POST", STAMP, headers=headers, body=body)
    assert answer.status == 400
    assert answer.json["message"].startswith("CO1000 - ")
    assert b"secret" not in answer.body
    assert any(line["log_level"] == "error" for line in logged)


@pytest.mark.parametrize("code", ["CO1000", "signer-unavailable"])
def test_out_of_reach_is_503_with_retry_after(code: str) -> None:
    fakes = FakeServices()
    fakes.stamping_services.stamping.failure = ServiceError(code, retry_after=5)
    headers, body = upload(b"<a/>")
    answer = ask(fakes.app(), "POST", STAMP, headers=headers, body=body)
    assert (answer.status, answer.headers["retry-after"]) == (503, "5")


def test_every_answer_has_its_own_request_id() -> None:
    app = FakeServices().app()
    ids = {ask(app, method, path).headers["x-request-id"] for method in ("GET", "POST") for path in (STAMP, "/health")}
    assert len(ids) == 4


def test_neither_bodies_nor_tokens_are_logged() -> None:
    headers, body = upload(b"<a secret='1'/>")
    with capture_logs() as logged:
        ask(FakeServices().app(), "POST", STAMP, headers=headers, body=body, query="password=secret")
    assert [line["event"] for line in logged] == ["answered"]
    assert logged[0]["account"] == 7
    assert "secret" not in str(logged)
    assert BEARER["Authorization"] not in str(logged)


def test_a_body_over_the_limit_is_never_kept() -> None:
    fakes = FakeServices(settings=small_settings(max_body_bytes=1000))
    taken = 0

    def pieces() -> Iterator[bytes]:
        nonlocal taken
        while True:
            taken += 1
            yield b"x" * 500

    app = fakes.app()
    headers, _ = upload(b"")
    answer = ask(app, "POST", STAMP, headers={**headers, "Content-Length": "5000"}, body=[b"x" * 500] * 10)
    assert (answer.status, answer.json["message"][:6]) == (400, "TB4001")
    assert answer.json["messageDetail"]
    assert answer.headers["connection"] == "close"
    at_limit = ask(app, "POST", STAMP, headers=headers, body=[b"x" * 500] * 3)
    assert at_limit.json["message"][:6] == "TB4001"


def test_a_body_that_waits_for_leave_is_rejected_before_it_is_sent() -> None:
    fakes = FakeServices(settings=small_settings(max_body_bytes=1000))
    headers, _ = upload(b"")
    headers |= {"Expect": "100-continue", "Content-Length": "5000"}
    answer = ask(fakes.app(), "POST", STAMP, headers=headers, body=iter([b""]))
    assert (answer.json["message"][:6], answer.headers["connection"]) == ("TB4001", "close")


def test_a_short_body_is_told() -> None:
    headers, body = upload(b"<a/>")
    headers |= {"Content-Length": str(len(body) + 1)}
    answer = ask(FakeServices().app(), "POST", STAMP, headers=headers, body=[body])
    assert (answer.status, answer.json["message"][:6]) == (400, "TB4002")


def test_pieces_make_one_body() -> None:
    fakes = FakeServices()
    headers, body = upload(b"<a/>")
    answer = ask(fakes.app(), "POST", STAMP, headers=headers, body=[body[:10], b"", body[10:]])
    assert answer.status == 200
    assert fakes.stamping_services.stamping.orders[0][1].xml == b"<a/>"


def test_lost_answer() -> None:
    fakes = FakeServices()
    fakes.sandbox_services.faults.on["answer-lost"] = Fault("answer-lost")
    closed: list[bool] = []
    headers, body = upload(b"<a/>")
    extensions = {"timbra.abort_connection": {"close": lambda: closed.append(True)}}
    with pytest.raises(ValueError, match="not enough values"):
        ask(fakes.app(), "POST", STAMP, headers=headers, body=body, extensions=extensions)
    assert closed == [True]
    assert len(fakes.stamping_services.stamping.orders) == 1


def test_production_knows_no_faults() -> None:
    fakes = FakeServices(sandbox=False)
    fakes.sandbox_services.faults.on |= {
        "answer-lost": Fault("answer-lost"),
        "latency": Fault("latency", seconds=60),
    }
    headers, body = upload(b"<a/>")
    assert ask(fakes.app(), "POST", STAMP, headers=headers, body=body).status == 200


def test_a_stopping_server_asks_to_come_back() -> None:
    fakes = FakeServices()
    fakes.stamping_services.stamping.failure = asyncio.CancelledError()
    headers, body = upload(b"<a/>")
    answer = ask(fakes.app(), "POST", STAMP, headers=headers, body=body)
    assert (answer.status, answer.headers["retry-after"], answer.json["status"]) == (503, "1", "error")


def test_health_is_public() -> None:
    answer = ask(FakeServices().app(), "GET", "/health")
    assert (answer.status, answer.json["status"]) == (200, "success")
    assert answer.json["data"]["data_version"] == "2026.11"


@pytest.mark.parametrize("body", [b'{"data": "\\ud800"}', b'{"\\ud800": 1}', b'{"data": "\\u0000"}'])
def test_json_with_text_that_cannot_be_stored_is_rejected_in_the_envelope(body: bytes) -> None:
    headers = BEARER | {"Content-Type": "application/json"}
    answer = ask(FakeServices().app(), "POST", "/certificates/save", headers=headers, body=body)
    assert (answer.status, answer.json["message"][:6]) == (400, "TB4004")
    assert "no es un carácter de texto" in answer.json["messageDetail"]


def test_a_rejection_whose_detail_cannot_be_written_is_answered_in_the_envelope() -> None:
    fakes = FakeServices()
    fakes.stamping_services.stamping.failure = ServiceError("301", "El atributo \ud800 no existe.")
    headers, body = upload(b"<a/>")
    answer = ask(fakes.app(), "POST", STAMP, headers=headers, body=body)
    assert (answer.status, answer.json["messageDetail"]) == (400, "El atributo \ufffd no existe.")


def test_addresses_are_read_as_text_that_can_be_stored() -> None:
    found = Router(OPERATIONS).find("GET", "/taxpayers/a\0b\ud800")
    assert found is not None
    assert found[1] == {"rfc": "a\ufffdb\ufffd"}
