"""The OpenAPI document of a table of operations."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version

from timbra.api.framework.error_responses import envelope
from timbra.api.framework.operation import Operation, OperationAccess, Parameter
from timbra.api.framework.router import fill_single_choices, placeholders
from timbra.api.openapi.dataclass_schema import Schema
from timbra.api.openapi.request_schemas import BYTES, TEXT
from timbra.api.openapi.schemas import SCHEMAS, ref

PATHS = (
    "Paths match without case, runs of `/` count as one, and one trailing `/` is dropped. Another path is answered 404 "
    "(TB4040), and so is another method of a path (TB4042), with the methods of the path in `Allow`."
)
REJECTIONS = {
    "400": "Rejected; `message` begins with the code.",
    "401": "The token is missing or not valid.",
    "404": "The path does not exist, or not with this method (see `Allow`), or what it names does not exist.",
    "429": "Too many requests or failed logins; `Retry-After` has the seconds until the next attempt.",
    "503": "Temporarily unavailable; `Retry-After` has the seconds until the next attempt.",
}


def build_document(operations: Iterable[Operation]) -> Schema:
    """Return the OpenAPI 3.1 document of operations."""
    paths: dict[str, Schema] = {}
    for operation in operations:
        for number, path in enumerate(fill_single_choices(path, operation.choices) for path in operation.paths):
            paths.setdefault(path, {})[operation.method.lower()] = _operation(operation, path, number)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Timbra",
            "version": version("timbra"),
            "description": PATHS,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(operation: Operation, path: str, number: int) -> Schema:
    described: Schema = {
        "operationId": operation.name if number == 0 else f"{operation.name}-{number + 1}",
        "summary": operation.summary,
        "tags": [operation.tag],
        "responses": _responses(operation),
        "security": [] if operation.access is OperationAccess.PUBLIC else [{"token": []}],
    }
    if operation.description:
        described["description"] = operation.description
    parameters = [*_path_parameters(operation, path), *(_parameter(one) for one in operation.parameters)]
    if parameters:
        described["parameters"] = parameters
    if operation.payloads:
        content = {payload.media_type: {"schema": ref(payload.schema)} for payload in operation.payloads}
        described["requestBody"] = {"required": operation.access is not OperationAccess.PUBLIC, "content": content}
    return described


def _path_parameters(operation: Operation, path: str) -> list[Schema]:
    return [
        _parameter(Parameter(name, "path", "", operation.choices.get(name, ()), required=True))
        for name in placeholders(path)
    ]


def _parameter(parameter: Parameter) -> Schema:
    described: Schema = {
        "name": parameter.name,
        "in": parameter.place,
        "required": parameter.required,
        "schema": TEXT | {"enum": list(parameter.choices)} if parameter.choices else TEXT,
    }
    return described | {"description": parameter.description} if parameter.description else described


def _responses(operation: Operation) -> Schema:
    responses = _success(operation.answer, operation.success_status)
    for status, description in sorted({**REJECTIONS, **operation.failures}.items()):
        responses[status] = {"description": description, "content": _json("Error")}
    if operation.rejections:
        responses["400"]["content"]["application/json"]["examples"] = {
            error.code: {"value": envelope(error)} for error in operation.rejections
        }
    return responses


def _success(answer: str, status: int) -> Schema:
    if answer == "Error":
        return {}
    if answer == "nothing":
        return {"204": {"description": "Done."}}
    schema = {"application/octet-stream": {"schema": BYTES}} if answer == "file" else _json(answer)
    return {str(status): {"description": "Done.", "content": schema}}


def _json(name: str) -> Schema:
    return {"application/json": {"schema": ref(name)}}
