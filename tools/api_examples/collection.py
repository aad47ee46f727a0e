"""The Postman collection (v2.1) of the OpenAPI document: its operations by tag, with the requests of the scenario.

Bruno, Insomnia and Hoppscotch import this format too. Values that differ between servers are variables.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from timbra.web.framework.router import placeholders
from tools.api_examples.calls import FORM, Call, variables_in
from tools.api_examples.recorder import PATHS, expected_status

SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
DESCRIPTION = (
    "Solicitudes de ejemplo para cada operación de Timbra, tomadas de las llamadas que también documentan el OpenAPI. "
    "Escriba las variables `url` y `token`. Las variables vacías dependen de su servidor: unas las llena la respuesta "
    "de una solicitud anterior de la misma carpeta, las demás se escriben a mano. Se puede importar en Postman, Bruno, "
    "Insomnia y Hoppscotch.\n\nExample requests for every operation of Timbra. Set the variables `url` and `token`."
)
FILES = {
    "batchFile": "lote.zip",
    "largeZip": "factura-grande.zip",
    "otherLargeZip": "otra-factura-grande.zip",
    "stateFile": "timbra-sandbox.state",
}
"""Name of the file that the user selects, by variable."""
DEFAULTS = {
    "url": "http://localhost:8080",
    "token": "",
    "user": "admin@example.com",
    "rfc": "EKU9003173C9",
    "receiverRfc": "URE180429TM6",
    "listedRfc": "XIA190128J61",
    "retencionReceiver": "CACX7605101P8",
}
"""Values of variables; the other variables are empty."""
BEFORE_EACH = (
    "// Hora del centro de México, cinco minutos antes de ahora; un folio nuevo para cada documento.",
    "const fecha = new Date(Date.now() - 6 * 3600000 - 5 * 60000).toISOString().slice(0, 19);",
    'pm.collectionVariables.set("fecha", fecha);',
    'pm.collectionVariables.set("folio", String(Date.now()));',
)
_INDEX = re.compile(r"\.(\d+)(?=\.|$)")


def collection(document: Mapping[str, Any], calls: Iterable[Call]) -> dict[str, Any]:
    """Return the collection.

    Args:
        document: The OpenAPI document, with examples.
        calls: The calls of the scenario; one of each operation is its request.
    """
    described = operations_by_id(document)
    folders: dict[str, list[dict[str, Any]]] = {}
    variables: set[str] = set()
    for one in chosen(calls):
        operation = described[one.operation_id]
        folders.setdefault(operation["tags"][0], []).append(_item(one, operation))
        variables |= variables_in([dict(one.path), dict(one.query), dict(one.headers), one.body])
    names = [*DEFAULTS, *sorted(variables - set(DEFAULTS) - set(FILES))]
    return {
        "info": {"name": "Timbra", "description": DESCRIPTION, "schema": SCHEMA},
        "auth": {"type": "bearer", "bearer": [{"key": "token", "value": "{{token}}", "type": "string"}]},
        "event": [_event("prerequest", BEFORE_EACH)],
        "variable": [{"key": name, "value": DEFAULTS.get(name, ""), "type": "string"} for name in names],
        "item": [{"name": tag, "item": items} for tag, items in folders.items()],
    }


def operations_by_id(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the operations of an OpenAPI document by `operationId`."""
    return {operation["operationId"]: operation for item in document["paths"].values() for operation in item.values()}


def chosen(calls: Iterable[Call]) -> list[Call]:
    """Return the first successful call of each operation, or its first one; in the order of the calls."""
    all_calls = list(calls)
    successful = {one.operation_id for one in all_calls if one.status is None}
    first: dict[str, Call] = {}
    for one in all_calls:
        if one.status is None or one.operation_id not in successful:
            first.setdefault(one.operation_id, one)
    return list(first.values())


def to_text(content: Mapping[str, Any]) -> str:
    """Return the content of the collection's file."""
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _item(one: Call, operation: Mapping[str, Any]) -> dict[str, Any]:
    status = expected_status(one)
    tests = [f'pm.test("HTTP {status}", () => pm.response.to.have.status({status}));']
    tests += [_capture(name, place) for name, place in one.captures.items() if place != "*"]
    path = PATHS[one.operation_id][1]
    return {
        "name": f"{operation['summary']} ({path})",
        "event": [_event("test", tests)],
        "request": _request(one, operation),
        "response": _responses(operation, one, status),
    }


def _request(one: Call, operation: Mapping[str, Any]) -> dict[str, Any]:
    routed, template = PATHS[one.operation_id]
    path = template
    for name in placeholders(template):
        path = path.replace(f"{{{name}}}", one.path[name])
    headers = [{"key": name, "value": value} for name, value in one.headers.items()]
    if one.body is not None and one.media_type != FORM:
        headers.append({"key": "Content-Type", "value": one.media_type})
    query = [{"key": name, "value": value} for name, value in one.query.items()]
    text = "&".join(f"{name}={value}" for name, value in one.query.items())
    request: dict[str, Any] = {
        "method": routed.method,
        "header": headers,
        "url": {
            "raw": "{{url}}" + path + (f"?{text}" if text else ""),
            "host": ["{{url}}"],
            "path": path.removeprefix("/").split("/"),
            "query": query,
        },
        "description": operation.get("description", operation["summary"]),
    }
    if operation["tags"] == ["security"]:
        request["auth"] = {"type": "noauth"}
    return request if one.body is None else request | {"body": _body(one)}


def _body(one: Call) -> dict[str, Any]:
    if one.media_type == FORM:
        return {"mode": "formdata", "formdata": [_field(name, value) for name, value in one.body.items()]}
    if isinstance(one.body, str):
        file = _file(one.body)
        return {"mode": "file", "file": {"src": file}} if file else {"mode": "raw", "raw": one.body}
    raw = json.dumps(one.body, ensure_ascii=False, indent=2)
    return {"mode": "raw", "raw": raw, "options": {"raw": {"language": "json"}}}


def _field(name: str, value: str) -> dict[str, Any]:
    file = _file(value)
    return {"key": name, "type": "file", "src": file} if file else {"key": name, "type": "text", "value": value}


def _file(value: str) -> str | None:
    """The name of the file whose content a variable has; None for another value."""
    return next((file for name, file in FILES.items() if value == f"{{{{{name}}}}}"), None)


def _responses(operation: Mapping[str, Any], one: Call, status: int) -> list[dict[str, Any]]:
    """The recorded answer, as a saved example."""
    content = operation["responses"].get(str(status), {}).get("content", {})
    return [
        {
            "name": name,
            "code": status,
            "header": [{"key": "Content-Type", "value": media_type}],
            "body": value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2),
        }
        for media_type, described in content.items()
        for name, value in ((name, example["value"]) for name, example in described.get("examples", {}).items())
        if name == one.name
    ]


def _capture(name: str, place: str) -> str:
    """The line that keeps a value of the answer in a variable."""
    steps, _, parameter = place.partition("?")
    value = "pm.response.json()" + _INDEX.sub(r"[\1]", f".{steps}")
    if parameter:
        value = f"/[?&]{parameter}=([^&]+)/.exec({value})[1]"
    return f'pm.collectionVariables.set("{name}", {value});'


def _event(listen: str, lines: Iterable[str]) -> dict[str, Any]:
    return {"listen": listen, "script": {"type": "text/javascript", "exec": list(lines)}}
