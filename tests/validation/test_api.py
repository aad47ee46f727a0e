"""The validation endpoint."""

from __future__ import annotations

from base64 import b64encode

import pytest
from tests.support.asgi import call, upload
from tests.support.fake_services import FakeServices

from timbra.core.errors import ServiceError

XML = b"<cfdi:Comprobante/>"


@pytest.mark.parametrize(
    ("query", "with_status"),
    [
        ("", True),
        ("validatestatus=", True),
        ("validatestatus=true", True),
        ("validatestatus=TRUE", True),
        ("validatestatus=false", False),
        ("validateStatus=False", False),
        ("other=false", True),
    ],
)
@pytest.mark.parametrize("path", ["/validate/cfdi", "/validate/cfdi33/"])
def test_validate_queries_the_status_by_default(path: str, query: str, with_status: bool) -> None:
    fakes = FakeServices()
    headers, body = upload(XML)
    assert call(fakes.app(), "POST", path, headers=headers, body=body, query=query).status == 200
    assert fakes.validation_services.validation.calls == [(XML, with_status)]


def test_validate_limits_queries_by_the_account_of_the_caller() -> None:
    fakes = FakeServices()
    headers, body = upload(XML)
    call(fakes.app(), "POST", "/validate/cfdi", headers=headers, body=body)
    assert fakes.validation_services.validation.accounts == ["7"]


def test_validate_looks_up_in_the_database_pool() -> None:
    fakes = FakeServices()
    headers, body = upload(XML)
    call(fakes.app(), "POST", "/validate/cfdi", headers=headers, body=body)
    (thread,) = fakes.validation_services.validation.threads
    assert thread.startswith("database_")


@pytest.mark.parametrize("value", ["no", "0", "falso", "%00"])
def test_validate_rejects_other_values_of_validatestatus(value: str) -> None:
    fakes = FakeServices()
    headers, body = upload(XML)
    answer = call(fakes.app(), "POST", "/validate/cfdi", headers=headers, body=body, query=f"validatestatus={value}")
    assert (answer.status, answer.json["message"][:6]) == (400, "TB4005")
    assert "false" in answer.json["messageDetail"]
    assert fakes.validation_services.validation.calls == []


@pytest.mark.parametrize(
    ("query", "required"), [("", False), ("requirestamp=false", False), ("requirestamp=true", True)]
)
def test_validate_requires_a_stamp_on_request(query: str, required: bool) -> None:
    fakes = FakeServices()
    headers, body = upload(XML)
    assert call(fakes.app(), "POST", "/validate/cfdi", headers=headers, body=body, query=query).status == 200
    assert fakes.validation_services.validation.require_stamp == [required]


def test_validate_returns_the_body_of_the_contract() -> None:
    headers, body = upload(b64encode(XML))
    answer = call(FakeServices().app(), "POST", "/validate/cfdi", headers=headers, body=body)
    assert answer.json == {
        "detail": [
            {
                "detail": [
                    {
                        "message": "OK",
                        "messageDetail": "Validacion de Estructura Correcta",
                        "type": 1,
                        "typeValue": "Information",
                    }
                ],
                "section": "CFDI40 - Validacion de Estructura",
            },
            {
                "detail": [
                    {
                        "message": "CFDI40119",
                        "messageDetail": "detalle",
                        "type": 0,
                        "typeValue": "Error",
                        "code": "CFDI40119",
                        "path": "/cfdi:Comprobante",
                        "found": "1",
                    }
                ],
                "section": "CFDI40 - Validaciones Proveedor Comprobante ( CFDI40 )",
            },
            {
                "detail": [
                    {
                        "message": "OK",
                        "messageDetail": "CFDI40 - Validaciones Proveedor Complemento  Correcta",
                        "type": 1,
                        "typeValue": "Information",
                    }
                ],
                "section": "CFDI40 - Validaciones Proveedor Complemento ",
            },
        ],
        "cadenaOriginalSAT": None,
        "cadenaOriginalComprobante": None,
        "uuid": "05c519de-0000-4000-8000-000000000001",
        "statusSat": "Vigente",
        "statusCodeSat": "S - Comprobante obtenido satisfactoriamente",
        "isCancelable": None,
        "statusCancelation": "",
        "validacionEFOS": None,
        "dataVersion": "2026.11",
        "notEvaluated": [],
        "status": "success",
    }


def test_validate_rejects_content_that_is_no_document() -> None:
    fakes = FakeServices()
    fakes.validation_services.validation.failure = ServiceError("301", "detalle")
    headers, body = upload(b"no xml")
    answer = call(fakes.app(), "POST", "/validate/cfdi", headers=headers, body=body)
    assert (answer.status, answer.json["status"], answer.json["data"]) == (400, "error", None)
    assert answer.json["message"] == "301 - La estructura del comprobante es incorrecta."


def test_validate_rejects_a_missing_document() -> None:
    headers, body = upload(b"")
    answer = call(FakeServices().app(), "POST", "/validate/cfdi", headers=headers, body=body)
    assert (answer.status, answer.json["message"]) == (400, "Xml CFDI33 no proporcionado o viene vacio.")
