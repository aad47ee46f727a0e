"""Cancellation requests of published clients without a document: paths and JSON, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from tests.support.server_fixtures import request

JSON = "Content-Type: application/json"


@dataclass(frozen=True)
class PathRequest:
    """path: with `{rfc}` and `{uuid}` to fill in, motivo 02, no FolioSustitucion. length: -1 for no Content-Length."""

    path: str
    headers: tuple[str, ...] = ()
    body: bytes = b""
    length: int | None = None
    scheme: str = "bearer"

    def bytes(self, rfc: str, uuid: str, token: str) -> bytes:
        headers = [f"Authorization: {self.scheme} {token}", *self.headers]
        return request(self.path.format(rfc=rfc, uuid=uuid), headers, self.body, length=self.length)


PHP_BODY = json.dumps(
    {"rfc": "EKU9003173C9", "uuid": "x", "motivo": "02", "foliosustitucion": None, "action": None}
).encode()
PATHS = {
    "python": PathRequest("/cfdi33/cancel/{rfc}/{uuid}/02/"),
    "php": PathRequest("/cfdi33/cancel/{rfc}/{uuid}/02//", (JSON,), PHP_BODY, scheme="Bearer"),
    "nodejs": PathRequest("/cfdi33/cancel/{rfc}/{uuid}/02/", scheme="Bearer"),
    "java": PathRequest("/cfdi33/cancel/{rfc}/{uuid}/02/null", (JSON,)),
    "java18": PathRequest("/cfdi33/cancel/{rfc}/{uuid}/02/", (JSON,)),
    "ruby": PathRequest("/cfdi33/cancel/{rfc}/{uuid}/02/", (JSON,), b"{}", scheme="Bearer"),
    "dotnet": PathRequest("/cfdi33/cancel/{rfc}/{uuid}/02/", (JSON,)),
    "net6": PathRequest("//Cfdi33/Cancel/{rfc}/{uuid}/02/", length=-1),
    "go, satcfdi": PathRequest("/cfdi33/cancel/{rfc}/{uuid}/02", ("Cache-Control: no-cache",), length=-1),
}

JsonFields = Mapping[str, str | None]


def python_json(members: JsonFields) -> bytes:
    return json.dumps({**members, "foliosustitucion": ""}).encode()


def php_json(members: JsonFields) -> bytes:
    return json.dumps({**members, "foliosustitucion": None}, separators=(",", ":")).encode()


def java_json(members: JsonFields) -> bytes:
    """Return JSON without a null folio, in Latin-1."""
    return json.dumps(members, ensure_ascii=False).encode("latin-1")


def dotnet_json(members: JsonFields) -> bytes:
    return json.dumps({**members, "folioSustitucion": None}).encode()


def net6_json(members: JsonFields) -> bytes:
    """Return JSON in PascalCase with an empty text for an absent folio."""
    cased = {name[0].upper() + name[1:]: value for name, value in members.items()}
    return json.dumps({**cased, "FolioSustitucion": ""}).encode()


def go_json(members: JsonFields) -> bytes:
    return json.dumps(members).encode()


JSON_BODIES = {
    "python": python_json,
    "php": php_json,
    "java": java_json,
    "dotnet": dotnet_json,
    "net6": net6_json,
    "go": go_json,
}
