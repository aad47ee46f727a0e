"""Codes in the vendor's operations: every one has the form that its clients parse."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NoReturn

import pytest
from tests.support.asgi import call
from tests.support.fake_services import ADMINISTRATOR_TOKEN, FakeServices

from timbra.app.operation_table import OPERATIONS
from timbra.core.errors import ServiceError
from timbra.messages.codes import FINDING_CODES, public_code, public_code_and_detail
from timbra.messages.literal import LITERAL
from timbra.rules.reference.messages import MESSAGES
from timbra.rules.registry import RULE_SETS
from timbra.web.framework.contract_codes import to_contract_error
from timbra.web.framework.error_responses import INTERNAL_CODES, contract_status_of, envelope, to_public_error
from timbra.web.framework.operation import Operation
from timbra.web.framework.request_context import RequestContext

OWN_TAGS = frozenset({"sandbox", "service", "stamps"})

VENDOR = [operation for operation in OPERATIONS if operation.tag not in OWN_TAGS]
OWN = [operation for operation in OPERATIONS if operation.tag in OWN_TAGS]
SLUGS = sorted(code for code in MESSAGES if code.islower())
TEMPORARY = frozenset(SLUGS) - INTERNAL_CODES
"""Codes whose temporary form keeps a status of the contract; an internal error is 503 to any client."""
TEXTS = [text.partition("{detail}")[0] for text in LITERAL.values()]
CODED = re.compile(r"[A-Z0-9][\w.-]* - \S")
STATUSES = {200, 400, 401, 404}
KEPT_STATUSES = {"user-has-stamps": 500, "user-unlimited": 500}


def answered(operation: Operation, error: ServiceError) -> tuple[int, str, str | None]:
    public = to_public_error(error)
    contract = to_contract_error(public, operation)
    body = envelope(contract)
    detail = body["messageDetail"]
    return contract_status_of(contract, public), str(body["message"]), None if detail is None else str(detail)


def path_of(operation: Operation) -> str:
    path = operation.paths[0]
    for name, values in operation.choices.items():
        path = path.replace(f"{{{name}}}", values[0])
    return re.sub(r"\{\w+\}", "x", path)


@pytest.mark.parametrize("operation", VENDOR, ids=lambda operation: operation.name)
def test_error_table_has_no_slug_in_vendor_operations(operation: Operation) -> None:
    for code in (*MESSAGES, *LITERAL):
        for retry_after in (None, 5) if code in TEMPORARY else (None,):
            status, message, _ = answered(operation, ServiceError(code, "Detalle.", retry_after=retry_after))
            assert CODED.match(message) or any(message.startswith(text) for text in TEXTS), (code, message)
            assert not any(message.startswith(slug) for slug in SLUGS), (code, message)
            assert status in STATUSES or KEPT_STATUSES.get(code) == status, (code, status)


def test_slug_becomes_the_detail_of_the_contract_code() -> None:
    [generate] = [operation for operation in VENDOR if operation.name == "pdf-generate"]
    assert answered(generate, ServiceError("document-invalid", "Se imprime un CFDI 4.0 o 3.3 con su timbre.")) == (
        400,
        "301 - La estructura del comprobante es incorrecta.",
        "El documento no es un CFDI timbrado. Se imprime un CFDI 4.0 o 3.3 con su timbre.",
    )


@pytest.mark.parametrize("operation", OWN, ids=lambda operation: operation.name)
def test_own_operations_keep_their_codes(operation: Operation) -> None:
    assert answered(operation, ServiceError("taxpayer-unknown"))[1].startswith("taxpayer-unknown - ")


@pytest.mark.parametrize("code", ["authority-down", "document-invalid", "mail-down", "account-unknown"])
def test_vendor_operations_answer_400_with_a_contract_code(code: str) -> None:
    async def endpoint(_: RequestContext) -> NoReturn:
        raise ServiceError(code, "Detalle.", retry_after=5)

    operations = [replace(one, endpoint=endpoint) for one in VENDOR if one.name != "authenticate"]
    app = FakeServices().app(operations)
    headers = {"Authorization": f"Bearer {ADMINISTRATOR_TOKEN}"}
    for operation in operations:
        answer = call(app, operation.method, path_of(operation), headers=headers)
        assert (answer.status, answer.headers["retry-after"]) == (400, "5"), operation.name
        assert code not in answer.json["message"], operation.name
        assert answer.json["messageDetail"] == f"{MESSAGES[code]} Detalle.", operation.name


@pytest.mark.parametrize(
    ("prefix", "code"),
    [
        ("cancel-", "CA2000"),
        ("retencion-cancel-", "CR1001"),
        ("relations-", "CA2100"),
        ("acceptreject-", "CA2300"),
        ("pendings", "CA2300"),
    ],
)
def test_authority_down_has_the_code_of_the_operation(prefix: str, code: str) -> None:
    operations = [operation for operation in VENDOR if operation.name.startswith(prefix)]
    assert operations
    for operation in operations:
        status, message, detail = answered(operation, ServiceError("authority-down", retry_after=5))
        assert (status, message, detail) == (400, f"{code} - {MESSAGES[code]}", "La autoridad no responde.")


OF_CLIENTS = re.compile(r"[A-Za-z]{0,7}[0-9]{2,8}|CASD")
OF_THE_MATRIX = {f"NOM{number}" for number in range(1, 10)}
"""Codes that the SAT prints with one digit."""
RULE_CODES = {
    *(row.code.partition(":")[0] for each in RULE_SETS for row in each.rows),
    *(rule.reported_as for each in RULE_SETS for rule in each.rules if rule.reported_as),
}


def test_public_code_has_the_form_that_clients_parse() -> None:
    codes = {code: public_code(code) for code in {*MESSAGES, *LITERAL, *RULE_CODES, "unknown-name"}}
    wrong = {code: public for code, public in codes.items() if not OF_CLIENTS.fullmatch(public)}
    assert set(wrong) == OF_THE_MATRIX
    assert all(code == public for code, public in wrong.items())


def test_public_code_keeps_what_has_the_form_and_names_each_finding_once() -> None:
    codes = {*MESSAGES, *LITERAL, *RULE_CODES}
    assert {code: public_code(code) for code in codes if OF_CLIENTS.fullmatch(code) and public_code(code) != code} == {}
    assert len(set(FINDING_CODES.values())) == len(FINDING_CODES)
    assert not set(FINDING_CODES.values()) & codes


@pytest.mark.parametrize(
    ("code", "public"),
    [
        ("SIN-TIMBRE", "TB6001"),
        ("RECEPTOR-AJENO", "TB6002"),
        ("TFD-UNICO", "TB6010"),
        ("TFD-LUGAR", "TB6011"),
        ("TFD-VERSION", "TB6012"),
        ("TFD-SELLO-CFD", "TB6013"),
        ("TFD-PROVEEDOR", "TB6014"),
        ("TFD-FECHA", "TB6015"),
        ("NS-PREFIJO", "TB6020"),
        ("NS-SIN-USO", "TB6021"),
        ("NS-REPETIDO", "TB6022"),
        ("VERSION-FECHA", "TB6030"),
        ("COMPLEMENTO-FECHA", "TB6031"),
        ("SELLO-COMPLEMENTO", "TB6032"),
        ("CFDI32-REGLAS", "TB6040"),
        ("CFD22-REGLAS", "TB6041"),
        ("RET10-REGLAS", "TB6042"),
        ("69B-PRESUNTO", "TB6050"),
        ("69B-DEFINITIVO", "TB6051"),
        ("EFOS", "TB6052"),
        ("xml-missing", "301"),
        ("document-invalid", "301"),
        ("csd-missing", "CO1000"),
        ("cancel-xml", "CACFDI33"),
        ("user-email-taken", "AU1001"),
        ("email-invalid", "TB4005"),
        ("key-mismatch", "CO1000"),
        ("CASD", "CASD"),
    ],
)
def test_public_code_of_a_name(code: str, public: str) -> None:
    assert public_code(code) == public


@pytest.mark.parametrize(
    ("code", "detail", "expected"),
    [
        ("301", "mal", ("301", "mal")),
        ("xml-missing", "", ("301", "Xml CFDI33 no proporcionado o viene vacio.")),
        ("csd-missing", "", ("CO1000", "No hay un CSD activo del emisor para sellar el comprobante.")),
        ("cancel-xml", "CR1309 - Firma", ("CACFDI33", "Problemas con el xml. CR1309 - Firma")),
        ("key-mismatch", "de EKU", ("CO1000", "La llave privada no corresponde al certificado. de EKU")),
        ("user-email-taken", "a@b.mx", ("AU1001", "El email 'a@b.mx' ya esta en uso.")),
    ],
)
def test_public_code_and_detail_keeps_the_sentence_of_a_name(code: str, detail: str, expected: tuple[str, str]) -> None:
    assert public_code_and_detail(code, detail) == expected
