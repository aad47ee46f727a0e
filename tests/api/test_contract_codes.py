"""Codes in the vendor's operations: every one has the form that its clients parse."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NoReturn

import pytest
from tests.api.asgi import Answer, call
from tests.api.fake_services import ADMINISTRATOR_TOKEN, FakeServices

from timbra.api.framework.contract_codes import OWN_TAGS, to_contract_error
from timbra.api.framework.error_responses import INTERNAL_CODES, contract_status_of, envelope, to_public_error
from timbra.api.framework.operation import Operation
from timbra.api.framework.request_context import RequestContext
from timbra.api.operation_table import OPERATIONS
from timbra.errors import ServiceError
from timbra.messages.literal import LITERAL
from timbra.rules.reference.messages import MESSAGES

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


def failing(code: str, operation: Operation) -> Answer:
    """The answer of an operation whose service raises an error."""

    async def endpoint(_: RequestContext) -> NoReturn:
        raise ServiceError(code, "Detalle.", retry_after=5)

    app = FakeServices().app([replace(operation, endpoint=endpoint)])
    path = operation.paths[0]
    for name, values in operation.choices.items():
        path = path.replace(f"{{{name}}}", values[0])
    headers = {"Authorization": f"Bearer {ADMINISTRATOR_TOKEN}"}
    return call(app, operation.method, re.sub(r"\{\w+\}", "x", path), headers=headers)


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
@pytest.mark.parametrize("operation", [one for one in VENDOR if one.name != "authenticate"], ids=lambda one: one.name)
def test_vendor_operation_answers_400_with_a_contract_code(operation: Operation, code: str) -> None:
    answer = failing(code, operation)
    assert (answer.status, answer.headers["retry-after"]) == (400, "5")
    assert code not in answer.json["message"]
    assert answer.json["messageDetail"] == f"{MESSAGES[code]} Detalle."


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
