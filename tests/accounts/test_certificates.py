"""The certificate endpoints."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.asgi import BEARER, call
from tests.support.fake_services import FakeServices

from timbra.accounts.administration.certificates import CertificateUpload
from timbra.core.errors import ServiceError

NUMBER = "30001000000500003416"
ITEM = {
    "issuer_rfc": "EKU9003173C9",
    "certificate_number": NUMBER,
    "csd_certificate": "MII=",
    "is_active": True,
    "issuer_business_name": "ESCUELA KEMPER URGATE",
    "valid_from": "2026-01-01T00:00:00Z",
    "valid_to": "2030-01-01T00:00:00Z",
    "certificate_type": "stamp",
}


@pytest.mark.parametrize(
    ("body", "upload"),
    [
        (
            {"type": "stamp", "b64Cer": "Y2Vy", "b64Key": "a2V5", "password": "p", "is_active": False},
            CertificateUpload("stamp", "Y2Vy", "a2V5", "p", active=False),
        ),
        (
            {"password": "p", "type": "stamp", "b64Cer": "Y2Vy", "b64Key": "a2V5"},
            CertificateUpload("stamp", "Y2Vy", "a2V5", "p"),
        ),
        (
            {"Type": None, "B64Cer": "Y2Vy", "B64Key": "a2V5", "Password": "p", "Is_Active": None},
            CertificateUpload("stamp", "Y2Vy", "a2V5", "p"),
        ),
        ({}, CertificateUpload("stamp", "", "", "")),
        ({"is_active": "false"}, CertificateUpload("stamp", "", "", "", active=False)),
    ],
)
@pytest.mark.parametrize("path", ["/certificates/save", "//certificates/save/"])
def test_save_passes_the_upload_to_the_service(path: str, body: dict[str, Any], upload: CertificateUpload) -> None:
    fakes = FakeServices()
    answer = call(fakes.app(), "POST", path, headers=BEARER, body=json.dumps(body).encode())
    assert fakes.certificate_services.certificates.calls == [("save", 7, upload)]
    assert (answer.status, answer.json) == (200, {"data": "CSD Guardados Correctamente.", "status": "success"})


@pytest.mark.parametrize("body", [b"{", b"[]", b'{"b64Cer": {}}', b'{"is_active": "maybe"}'])
def test_save_rejects_malformed_json(body: bytes) -> None:
    fakes = FakeServices()
    answer = call(fakes.app(), "POST", "/certificates/save", headers=BEARER, body=body)
    assert answer.status == 400
    assert answer.json["message"] in ("Certificados", "TB4004 - El cuerpo JSON está mal formado.")
    assert answer.json["messageDetail"]
    assert fakes.certificate_services.certificates.calls == []


@pytest.mark.parametrize(
    ("method", "path", "expected_call", "data"),
    [
        ("GET", "/certificates", ("listed", 7), [ITEM]),
        ("GET", "//certificates/", ("listed", 7), [ITEM]),
        ("GET", "/certificates/type/stamp", ("by_type", 7, "stamp"), [ITEM]),
        ("GET", "/Certificates/RFC/eku9003173c9", ("by_rfc", 7, "eku9003173c9"), []),
        ("GET", f"/certificates/{NUMBER}", ("one", 7, NUMBER), ITEM),
        ("GET", "/certificates/rfc/EKU9003173C9/stamp", ("active", 7, "EKU9003173C9", "stamp"), ITEM),
        ("DELETE", f"/certificates/{NUMBER}", ("disable", 7, NUMBER), "CSD Eliminado Correctamente."),
    ],
)
@pytest.mark.parametrize("body", [b"", b"{}"])
def test_read_endpoints_return_data_of_the_service(
    method: str, path: str, expected_call: tuple[object, ...], data: object, body: bytes
) -> None:
    fakes = FakeServices()
    headers = {**BEARER, "Content-Type": "application/json"}
    answer = call(fakes.app(), method, path, headers=headers, body=body)
    assert fakes.certificate_services.certificates.calls == [expected_call]
    assert (answer.status, answer.json) == (200, {"data": data, "status": "success"})


def test_rejections_have_one_message() -> None:
    fakes = FakeServices()
    fakes.certificate_services.certificates.failure = ServiceError("certificates", "Numero certificado invalido.")
    answer = call(fakes.app(), "GET", "/certificates/x", headers=BEARER)
    assert answer.status == 400
    assert answer.json == {
        "message": "Certificados",
        "messageDetail": "Numero certificado invalido.",
        "data": None,
        "status": "error",
    }


def test_endpoints_require_a_token() -> None:
    assert call(FakeServices().app(), "GET", "/certificates").status == 401
