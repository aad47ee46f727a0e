"""The OpenAPI document of a table of operations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.resources import files
from typing import Annotated

import orjson

from timbra.app.openapi.dataclass_schema import Schema, SchemaBuilder
from timbra.app.openapi.request_schemas import BYTES, REQUEST_SCHEMAS, TEXT, ref
from timbra.core.features import features
from timbra.web.envelopes import SuccessAnswer
from timbra.web.framework.error_responses import envelope
from timbra.web.framework.operation import Operation, OperationAccess, Parameter
from timbra.web.framework.router import fill_single_choices, placeholders

PATHS = (
    "Paths match without case, runs of `/` count as one, and one trailing `/` is dropped. Another path is answered 404 "
    "(TB4040), and so is another method of a path (TB4042), with the methods of the path in `Allow`."
)
EXAMPLES = (
    "The examples are recorded calls of a sandbox. `[oculto]` stands for a secret, `[base64 abreviado]` and "
    "`[texto abreviado]` for the rest of a long text, `[archivo binario]` for bytes; lists have at most two elements."
)
SERVERS = [
    {"url": "/", "description": "The server that answers this document."},
    {
        "url": "{address}",
        "description": "Another server.",
        "variables": {"address": {"default": "http://127.0.0.1:8080", "description": "Scheme, host and port."}},
    },
]
TAGS = {
    "security": "Tokens.",
    "stamping": "Seal and stamp CFDI and retenciones.",
    "amounts": "Amounts of a CFDI, computed from its lines.",
    "validation": "Validate CFDI and retenciones.",
    "cancellation": "Cancel, answer requests of cancellation, and ask for related CFDI.",
    "certificates": "CSD with which the server seals.",
    "stamps": "Stamps of the account and their delivery to the SAT.",
    "storage": "Stamped documents and acuses.",
    "transparency": "The transparency log: proofs of stamps, checkpoints and tiles.",
    "pdf": "Prints.",
    "mail": "Documents by e-mail.",
    "batches": "Many documents in one request.",
    "received": "Received and issued documents: the SAT's bulk download, uploads, and the stored ones.",
    "reconciliations": "The CFDI of the SAT against books and payments.",
    "webhooks": "Events sent to an address of the client.",
    "lists": "Lists of the SAT.",
    "catalogs": "Catalogs of the SAT.",
    "management": "Accounts of a dealer and their balances.",
    "users": "Users of the account.",
    "sandbox": "What only a sandbox has: taxpayers, clock, faults, certificates, and the services of the SAT.",
    "service": "Health, metrics and this document.",
}
MEDIA_TYPES = {"SoapFault": "text/xml"}
"""Media types of answers that are not JSON, by their component schema."""
REJECTIONS = {
    "400": "Rejected; `message` begins with the code.",
    "401": "The token is missing or not valid.",
    "404": "The path does not exist, or not with this method (see `Allow`), or what it names does not exist.",
    "429": "Too many requests or failed logins; `Retry-After` has the seconds until the next attempt.",
    "503": "Temporarily unavailable; `Retry-After` has the seconds until the next attempt.",
}
ANSWER_TYPES: dict[str, object] = {
    "SoapFault": Annotated[str, "A fault of SOAP 1.1, in XML."],
    "Text": SuccessAnswer[str],
    "OpenApi": dict[str, object],
}
for feature in features():
    for module in feature.answers:
        ANSWER_TYPES |= feature.read(module, "ANSWERS")


def _schemas() -> dict[str, Schema]:
    builder = SchemaBuilder()
    answers = {name: builder.schema_of(answer) for name, answer in ANSWER_TYPES.items()}
    return REQUEST_SCHEMAS | builder.components | answers


SCHEMAS = _schemas()


ExamplesByName = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class OperationExamples:
    """The examples of one operation of the OpenAPI document.

    Attributes:
        parameters: Values by place and name, such as `path uuid`.
        requests: Bodies by media type and name.
        responses: Bodies by status, media type and name.
    """

    parameters: Mapping[str, str] = field(default_factory=dict)
    requests: Mapping[str, ExamplesByName] = field(default_factory=dict)
    responses: Mapping[str, Mapping[str, ExamplesByName]] = field(default_factory=dict)


def load_examples() -> dict[str, OperationExamples]:
    """Read the data files and return the examples by `operationId`. They are not kept in memory."""
    folder = files("timbra.app.openapi").joinpath("examples")
    if not folder.is_dir():
        return {}
    return {
        operation_id: OperationExamples(**examples)
        for file in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if file.name.endswith(".json")
        for operation_id, examples in orjson.loads(file.read_bytes()).items()
    }


def build_document(operations: Iterable[Operation]) -> Schema:
    """Return the OpenAPI 3.1 document of operations."""
    paths: dict[str, Schema] = {}
    examples = load_examples()
    for operation in operations:
        for number, path in enumerate(fill_single_choices(path, operation.choices) for path in operation.paths):
            paths.setdefault(path, {})[operation.method.lower()] = _operation(operation, path, number, examples)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Timbra",
            "version": version("timbra"),
            "description": f"{PATHS}\n\n{EXAMPLES}",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": SERVERS,
        "tags": [{"name": name, "description": text} for name, text in TAGS.items()],
        "paths": paths,
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def operation_id(operation: Operation, number: int) -> str:
    """Return the `operationId` of a path of an operation: its name, and in what the path differs from the first one.

    Args:
        number: Index of the path.
    """
    if number == 0:
        return operation.name
    first, other = (
        [segment.strip("{}") for segment in fill_single_choices(path, operation.choices).split("/") if segment]
        for path in (operation.paths[0], operation.paths[number])
    )
    added = [segment for segment in other if segment not in first]
    omitted = ["without", *(segment for segment in first if segment not in other)]
    return "-".join((operation.name, *(added or omitted))).lower()


def _operation(operation: Operation, path: str, number: int, examples: Mapping[str, OperationExamples]) -> Schema:
    recorded = examples.get(operation_id(operation, number), OperationExamples())
    described: Schema = {
        "operationId": operation_id(operation, number),
        "summary": operation.summary,
        "tags": [operation.tag],
        "responses": _responses(operation, recorded),
        "security": [] if operation.access is OperationAccess.PUBLIC else [{"token": []}],
    }
    if operation.description:
        described["description"] = operation.description
    others = [_parameter(one) for one in operation.parameters if one.place != "path"]
    parameters = [*_path_parameters(operation, path), *others]
    if parameters:
        described["parameters"] = [_with_example(one, recorded) for one in parameters]
    if operation.payloads:
        content = {
            payload.media_type: _content(ref(payload.schema), recorded.requests.get(payload.media_type, {}))
            for payload in operation.payloads
        }
        described["requestBody"] = {"required": operation.access is not OperationAccess.PUBLIC, "content": content}
    return described


def _path_parameters(operation: Operation, path: str) -> list[Schema]:
    texts = {one.name: one.description for one in operation.parameters if one.place == "path"}
    return [
        _parameter(Parameter(name, "path", texts.get(name, ""), operation.choices.get(name, ()), required=True))
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


def _with_example(parameter: Schema, recorded: OperationExamples) -> Schema:
    value = recorded.parameters.get(f"{parameter['in']} {parameter['name']}")
    if value is None:
        value = next(iter(parameter["schema"].get("enum", ())), None)
    return parameter if value is None else parameter | {"example": value}


def _responses(operation: Operation, recorded: OperationExamples) -> Schema:
    responses = _success(operation, recorded)
    for status, description in sorted({**REJECTIONS, **operation.failures}.items()):
        names = operation.error_answers.get(status, ("Rejection",))
        schema = ref(names[0]) if len(names) == 1 else {"anyOf": [ref(name) for name in names]}
        media_type = MEDIA_TYPES.get(names[0], "application/json")
        examples = recorded.responses.get(status, {}).get(media_type, {})
        if status == "400":
            examples = {**examples, **{error.code: envelope(error) for error in operation.rejections}}
        responses[status] = {"description": description, "content": {media_type: _content(schema, examples)}}
    return responses


def _success(operation: Operation, recorded: OperationExamples) -> Schema:
    if operation.answer == "Rejection":
        return {}
    if operation.answer == "nothing":
        return {"204": {"description": "Done."}}
    status = str(operation.success_status)
    examples = recorded.responses.get(status, {})
    media_types = operation.media_types if operation.answer == "file" else ("application/json",)
    schema = BYTES if operation.answer == "file" else ref(operation.answer)
    content = {media_type: _content(schema, examples.get(media_type, {})) for media_type in media_types}
    return {status: {"description": "Done.", "content": content}}


def _content(schema: Schema, examples: Mapping[str, object]) -> Schema:
    """A media type object. examples: values by name."""
    if not examples:
        return {"schema": schema}
    return {"schema": schema, "examples": {name: {"value": value} for name, value in examples.items()}}
