"""Repeated documents: every route that stamps answers 307 with the stamp, also in the place where Odoo reads it."""

from __future__ import annotations

from base64 import b64decode, b64encode
from functools import cache

import pytest
from starlette.types import ASGIApp
from tests.support.asgi import BEARER, Answer, call, upload
from tests.support.fake_services import CFDI, CONFLICT, STAMPED, FakeServices

from timbra.app.operation_table import OPERATIONS
from timbra.core.errors import ServiceError
from timbra.web.framework.router import expand_path

FORM = "multipart/form-data"
XML = b"<cfdi:Comprobante/>"
STAMPING = [operation for operation in OPERATIONS if operation.answer in ("Stamp", "Retencion")]
"""The operations whose success is a stamp."""
ROUTES = sorted(
    {
        (path, payload.media_type)
        for operation in STAMPING
        for template in operation.paths
        for path, _ in expand_path(template, operation.choices)
        for payload in operation.payloads
    }
)
MESSAGES = {
    "307": "307. El comprobante contiene un timbre previo.",
    "T307": "T307. El comprobante contiene un timbre previo.",
}


@cache
def served() -> tuple[FakeServices, ASGIApp]:
    """One application for all routes."""
    fakes = FakeServices()
    return fakes, fakes.app()


def repeated(path: str, media_type: str, error: ServiceError) -> Answer:
    """Return the answer of a route when its service rejects the document with an error."""
    fakes, app = served()
    fakes.stamping_services.stamping.failure = fakes.stamping_services.large.failure = error
    text = b64encode(XML) if "/b64" in path else XML
    if media_type == FORM:
        headers, body = upload(text)
    else:
        body = b'{"data": "%s"}' % text if media_type == "application/json" else b'{"Version": "4.0"}'
        headers = {**BEARER, "Content-Type": media_type}
    return call(app, "POST", path, headers=headers, body=body)


def test_routes_that_stamp_are_those_of_documents_json_and_zip() -> None:
    assert {operation.name for operation in STAMPING} == {
        *("stamp-document", "stamp-document-v4", "issue-json", "issue-json-v4", "stamp-zip"),
        *("stamp-retencion", "issue-retencion", "issue-retencion-json"),
    }
    assert len(ROUTES) > 200


@pytest.mark.parametrize("code", MESSAGES)
def test_repeat_has_the_stamped_xml_as_text_in_message_detail(code: str) -> None:
    for path, media_type in ROUTES:
        answer = repeated(path, media_type, ServiceError(code, data=STAMPED))
        assert (answer.status, answer.json["status"]) == (400, "error"), path
        assert (answer.json["message"], answer.json["messageDetail"]) == (MESSAGES[code], CFDI), path
        data = answer.json["data"]
        document = data.get("cfdi") or data.get("retencion") or CFDI
        assert (b64decode(document).decode() if "/b64" in path and document != CFDI else document) == CFDI, path
        assert None not in data.values(), path


def test_repeat_without_a_stamp_of_the_account_has_no_xml() -> None:
    detail = "El timbre está fuera de Complemento."
    for path, media_type in ROUTES:
        answer = repeated(path, media_type, ServiceError("307", detail))
        assert (answer.json["messageDetail"], answer.json["data"]) == (detail, None), path


def test_repeated_customid_has_no_xml() -> None:
    for path, media_type in ROUTES:
        answer = repeated(path, media_type, ServiceError("CFDI3307", data=CONFLICT))
        assert (answer.json["message"][:8], answer.json["messageDetail"]) == ("CFDI3307", None), path


@pytest.mark.parametrize(("path", "media_type"), [("/cfdi33/stamp/v4", FORM), ("/retencion/stamp/v3", FORM)])
def test_rejection_log_has_a_repeat_without_its_xml(path: str, media_type: str) -> None:
    logged = served()[0].operations_services.rejections.requests
    logged.clear()
    repeated(path, media_type, ServiceError("307", data=STAMPED))
    (request,) = logged
    assert (request.error.code, request.error.detail) == ("307", None)
