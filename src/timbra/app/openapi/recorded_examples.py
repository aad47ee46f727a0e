"""Examples of requests and answers, recorded from calls of a sandbox; `make docs` writes the data files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files

import orjson

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
