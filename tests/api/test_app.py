"""What holds for every route: tokens, envelopes, bounds, ids, logs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from structlog.testing import capture_logs
from tests.api.asgi import BEARER, ask, upload
from tests.api.fake_house import FakeHouse, small_settings

from timbra.api.app import build
from timbra.authority.sandbox.faults import Fault
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
def test_token_refusals(path: str, authorization: str | None, message: str) -> None:
    headers = {} if authorization is None else {"Authorization": authorization}
    answer = ask(build(FakeHouse()), "POST", path, headers=headers)
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
    house = FakeHouse()
    house.stamping.failure = failure
    headers, body = upload(b"<a/>")
    with capture_logs() as logged:
        answer = ask(build(house), "POST", STAMP, headers=headers, body=body)
    assert answer.status == 400
    assert answer.json["message"].startswith("CO1000 - ")
    assert b"secret" not in answer.body
    assert any(line["log_level"] == "error" for line in logged)


@pytest.mark.parametrize("code", ["CO1000", "signer-unavailable"])
def test_out_of_reach_is_503_with_retry_after(code: str) -> None:
    house = FakeHouse()
    house.stamping.failure = ServiceError(code, retry_after=5)
    headers, body = upload(b"<a/>")
    answer = ask(build(house), "POST", STAMP, headers=headers, body=body)
    assert (answer.status, answer.headers["retry-after"]) == (503, "5")


def test_every_answer_has_its_own_request_id() -> None:
    app = build(FakeHouse())
    ids = {ask(app, method, path).headers["x-request-id"] for method in ("GET", "POST") for path in (STAMP, "/health")}
    assert len(ids) == 4


def test_neither_bodies_nor_tokens_are_logged() -> None:
    headers, body = upload(b"<a secret='1'/>")
    with capture_logs() as logged:
        ask(build(FakeHouse()), "POST", STAMP, headers=headers, body=body, query="password=secret")
    assert [line["event"] for line in logged] == ["answered"]
    assert logged[0]["account"] == 7
    assert "secret" not in str(logged)
    assert BEARER["Authorization"] not in str(logged)


def test_a_body_over_the_limit_is_never_kept() -> None:
    house = FakeHouse(settings=small_settings(max_body_bytes=1000))
    taken = 0

    def pieces() -> Iterator[bytes]:
        nonlocal taken
        while True:
            taken += 1
            yield b"x" * 500

    app = build(house)
    headers, _ = upload(b"")
    answer = ask(app, "POST", STAMP, headers={**headers, "Content-Length": "5000"}, body=[b"x" * 500] * 10)
    assert (answer.status, answer.json["message"][:6]) == (400, "TB4001")
    assert answer.json["messageDetail"]
    assert answer.headers["connection"] == "close"
    at_limit = ask(app, "POST", STAMP, headers=headers, body=[b"x" * 500] * 3)
    assert at_limit.json["message"][:6] == "TB4001"


def test_a_body_that_waits_for_leave_is_refused_before_it_is_sent() -> None:
    house = FakeHouse(settings=small_settings(max_body_bytes=1000))
    headers, _ = upload(b"")
    headers |= {"Expect": "100-continue", "Content-Length": "5000"}
    answer = ask(build(house), "POST", STAMP, headers=headers, body=iter([b""]))
    assert (answer.json["message"][:6], answer.headers["connection"]) == ("TB4001", "close")


def test_a_short_body_is_told() -> None:
    headers, body = upload(b"<a/>")
    headers |= {"Content-Length": str(len(body) + 1)}
    answer = ask(build(FakeHouse()), "POST", STAMP, headers=headers, body=[body])
    assert (answer.status, answer.json["message"][:6]) == (400, "TB4002")


def test_pieces_make_one_body() -> None:
    house = FakeHouse()
    headers, body = upload(b"<a/>")
    answer = ask(build(house), "POST", STAMP, headers=headers, body=[body[:10], b"", body[10:]])
    assert answer.status == 200
    assert house.stamping.orders[0][1].xml == b"<a/>"


def test_lost_answer() -> None:
    house = FakeHouse()
    house.faults.on["answer-lost"] = Fault("answer-lost")
    closed: list[bool] = []
    headers, body = upload(b"<a/>")
    extensions = {"timbra.hang_up": {"close": lambda: closed.append(True)}}
    with pytest.raises(ValueError, match="not enough values"):
        ask(build(house), "POST", STAMP, headers=headers, body=body, extensions=extensions)
    assert closed == [True]
    assert len(house.stamping.orders) == 1


def test_production_knows_no_faults() -> None:
    house = FakeHouse(sandbox=False)
    house.faults.on |= {"answer-lost": Fault("answer-lost"), "latency": Fault("latency", seconds=60)}
    headers, body = upload(b"<a/>")
    assert ask(build(house), "POST", STAMP, headers=headers, body=body).status == 200


def test_a_stopping_server_asks_to_come_back() -> None:
    house = FakeHouse()
    house.stamping.failure = asyncio.CancelledError()
    headers, body = upload(b"<a/>")
    answer = ask(build(house), "POST", STAMP, headers=headers, body=body)
    assert (answer.status, answer.headers["retry-after"], answer.json["status"]) == (503, "1", "error")


def test_health_is_public() -> None:
    answer = ask(build(FakeHouse()), "GET", "/health")
    assert (answer.status, answer.json["status"]) == (200, "success")
    assert answer.json["data"]["data_version"] == "2026.11"
