"""The list of stamps of an account."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from tests.support.asgi import BEARER, call
from tests.support.fake_services import FakeServices

from timbra.stamps.port import StampPage, StampRecord

RECORD = StampRecord(
    seal_hash=b"h" * 32,
    uuid="05c519de-0000-4000-8000-000000000001",
    account_id=7,
    environment="sandbox",
    request_id="r-1",
    stamped_at=datetime(2026, 11, 17, 18, 0, 5, tzinfo=UTC),
    version="4.0",
    kind="I",
    serie="A",
    folio="1",
    fecha="2026-11-17T11:59:00",
    issuer_rfc="EKU9003173C9",
    receiver_rfc="URE180429TM6",
    total="116.00",
    issuer_certificate="30001000000500003416",
    provider_certificate="00001000000000000001",
    rule_set="r",
    data_version="d",
    lists_version="l",
    cfdi=b"<xml/>",
)


@pytest.mark.parametrize(
    ("query", "expected_call"),
    [("", (7, None, 50)), ("limit=200&cursor=abc", (7, "abc", 200)), ("Limit=1&cursor=", (7, None, 1))],
)
def test_stamps_returns_a_page(query: str, expected_call: tuple[int, str | None, int]) -> None:
    fakes = FakeServices()
    fakes.stamping_services.stamps.result = StampPage((RECORD,), "next")
    answer = call(fakes.app(), "GET", "/stamps", headers=BEARER, query=query)
    assert fakes.stamping_services.stamps.calls == [expected_call]
    assert answer.status == 200
    assert answer.json["data"]["cursor"] == "next"
    (record,) = answer.json["data"]["records"]
    assert record["fechaTimbrado"] == "2026-11-17T12:00:05"
    assert (record["uuid"], record["total"], record["rfcEmisor"]) == (RECORD.uuid, "116.00", "EKU9003173C9")
    assert "cfdi" not in record


@pytest.mark.parametrize("limit", ["0", "201", "-1", "x", "1.5", "9999999999999999999999", "²"])
def test_stamps_rejects_an_invalid_limit(limit: str) -> None:
    from urllib.parse import quote

    fakes = FakeServices()
    answer = call(fakes.app(), "GET", "/stamps", headers=BEARER, query=f"limit={quote(limit)}")
    assert (answer.status, answer.json["message"][:6], fakes.stamping_services.stamps.calls) == (400, "TB4005", [])
