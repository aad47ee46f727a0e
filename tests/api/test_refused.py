"""What the edge notes of refused requests of stamping."""

from __future__ import annotations

import pytest
from tests.api.asgi import BEARER, ask, upload
from tests.api.fake_house import FakeHouse

from timbra.api.app import build
from timbra.errors import Place, ServiceError

XML = b"<cfdi:Comprobante/>"
PATH = "/cfdi33/issue/v4"


@pytest.fixture
def house() -> FakeHouse:
    return FakeHouse()


def refused(house: FakeHouse, failure: BaseException | None, path: str = PATH) -> dict[str, str]:
    house.stamping.failure = failure
    headers, body = upload(XML)
    return ask(build(house), "POST", path, headers=headers, body=body).headers


def test_a_refusal_is_noted_with_its_request_and_document(house: FakeHouse) -> None:
    failure = ServiceError("CFDI40147", "detalle", place=Place("Receptor/@Rfc"))
    headers = refused(house, failure)

    [noted] = house.refusals.noted
    assert (noted.account_id, noted.operation, noted.document) == (7, PATH, XML)
    assert noted.request_id == headers["x-request-id"]
    assert (noted.error.code, noted.error.detail) == ("CFDI40147", "detalle")


@pytest.mark.parametrize("failure", [ServiceError("vault-damaged", "secreto"), RuntimeError("secreto")])
def test_what_is_wrong_with_the_server_is_noted_as_that_alone(house: FakeHouse, failure: Exception) -> None:
    refused(house, failure)

    [noted] = house.refusals.noted
    assert (noted.error.code, noted.error.detail) == ("CO1000", None)


def test_a_body_that_carries_no_document_is_noted_without_one(house: FakeHouse) -> None:
    ask(build(house), "POST", PATH, headers=BEARER | {"Content-Type": "multipart/form-data; boundary=b"}, body=b"x")

    [noted] = house.refusals.noted
    assert noted.document is None


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer x.y.z"}])
def test_strangers_leave_no_note(house: FakeHouse, headers: dict[str, str]) -> None:
    ask(build(house), "POST", PATH, headers=headers, body=b"x")

    assert house.refusals.noted == []


def test_a_stamp_leaves_no_note(house: FakeHouse) -> None:
    refused(house, None)

    assert house.refusals.noted == []
