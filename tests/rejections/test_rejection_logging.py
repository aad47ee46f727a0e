"""The rejection log records rejected stamping requests."""

from __future__ import annotations

import pytest
from tests.support.asgi import BEARER, call, upload
from tests.support.fake_services import FakeServices

from timbra.core.errors import DocumentLocation, ServiceError

XML = b"<cfdi:Comprobante/>"
PATH = "/cfdi33/issue/v4"


@pytest.fixture
def fakes() -> FakeServices:
    return FakeServices()


def rejected(fakes: FakeServices, failure: BaseException | None, path: str = PATH) -> dict[str, str]:
    fakes.stamping_services.stamping.failure = failure
    headers, body = upload(XML)
    return call(fakes.app(), "POST", path, headers=headers, body=body).headers


def test_rejection_is_recorded_with_its_request_and_document(fakes: FakeServices) -> None:
    failure = ServiceError("CFDI40147", "detalle", location=DocumentLocation("Receptor/@Rfc"))
    headers = rejected(fakes, failure)

    [request] = fakes.operations_services.rejections.requests
    assert (request.account_id, request.operation, request.document) == (7, PATH, XML)
    assert request.request_id == headers["x-request-id"]
    assert (request.error.code, request.error.detail) == ("CFDI40147", "detalle")


@pytest.mark.parametrize("failure", [ServiceError("vault-damaged", "secreto"), RuntimeError("secreto")])
def test_internal_error_is_recorded_as_co1000_without_detail(fakes: FakeServices, failure: Exception) -> None:
    rejected(fakes, failure)

    [request] = fakes.operations_services.rejections.requests
    assert (request.error.code, request.error.detail) == ("CO1000", None)


def test_rejection_without_a_document_is_recorded_without_one(fakes: FakeServices) -> None:
    call(fakes.app(), "POST", PATH, headers=BEARER | {"Content-Type": "multipart/form-data; boundary=b"}, body=b"x")

    [request] = fakes.operations_services.rejections.requests
    assert request.document is None


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer x.y.z"}])
def test_unauthenticated_request_is_not_recorded(fakes: FakeServices, headers: dict[str, str]) -> None:
    call(fakes.app(), "POST", PATH, headers=headers, body=b"x")

    assert fakes.operations_services.rejections.requests == []


def test_successful_stamp_is_not_recorded(fakes: FakeServices) -> None:
    rejected(fakes, None)

    assert fakes.operations_services.rejections.requests == []
