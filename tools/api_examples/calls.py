"""Calls of the scenario: requests whose values have variables, written `{{name}}`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

JSON = "application/json"
FORM = "multipart/form-data"
BOUNDARY = "limite"
_VARIABLE = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True)
class Call:
    """One request of the scenario.

    Attributes:
        operation_id: `operationId` of the OpenAPI document.
        name: Name of the example.
        path: Values of the path parameters.
        query: Values of query parameters.
        headers: Values of header parameters.
        body: A JSON value, the fields of a form, or a text; None without a body.
        media_type: Media type of the body.
        status: Expected HTTP status; None for that of a success.
        captures: Place in the JSON answer, by the variable that later calls use, such as `data.id`.
    """

    operation_id: str
    name: str = "success"
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    media_type: str = JSON
    status: int | None = None
    captures: Mapping[str, str] = field(default_factory=dict)


class Variables:
    """Values by variable. A source is called for every call that uses its variable, so that each gets a new value."""

    def __init__(self, sources: Mapping[str, Callable[[], str | bytes]]) -> None:
        self.values: dict[str, str | bytes] = {}
        self._sources = sources

    def start_call(self) -> None:
        """Forget the values of sources: the next call gets new ones."""
        for name in self._sources:
            self.values.pop(name, None)

    def fill(self, value: Any) -> Any:
        """Return a value with the variables replaced; a text that is one variable may become bytes.

        Raises:
            KeyError: A variable has no value.
        """
        if isinstance(value, Mapping):
            return {name: self.fill(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.fill(inner) for inner in value]
        if not isinstance(value, str):
            return value
        whole = _VARIABLE.fullmatch(value)
        if whole:
            return self.value(whole[1])
        return _VARIABLE.sub(lambda match: self.text(match[1]), value)

    def text(self, name: str) -> str:
        """Return the value of a variable that is a text.

        Raises:
            TypeError: It is the content of a file.
        """
        value = self.value(name)
        if isinstance(value, bytes):
            raise TypeError(f"{name} is a file")
        return value

    def value(self, name: str) -> str | bytes:
        """Return the value of a variable."""
        if name not in self.values and name in self._sources:
            self.values[name] = self._sources[name]()
        return self.values[name]


def variables_in(value: Any) -> set[str]:
    """Return the names of the variables of a value."""
    return set(_VARIABLE.findall(json.dumps(value, ensure_ascii=False)))


def encode_body(body: Any, media_type: str) -> tuple[bytes, str]:
    """Return the bytes of a filled body and its Content-Type."""
    if isinstance(body, bytes):
        return body, media_type
    if media_type == FORM:
        return encode_form(body), f"{FORM}; boundary={BOUNDARY}"
    if isinstance(body, str):
        return body.encode(), media_type
    return json.dumps(body, ensure_ascii=False).encode(), media_type


def encode_form(fields: Mapping[str, str | bytes]) -> bytes:
    """Return fields as multipart/form-data; bytes are a file."""
    parts = []
    for name, value in fields.items():
        file = f'; filename="{name}.zip"' if isinstance(value, bytes) else ""
        content = value if isinstance(value, bytes) else value.encode()
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'
        parts.append(head.encode() + content + b"\r\n")
    return b"".join([*parts, f"--{BOUNDARY}--\r\n".encode()])
