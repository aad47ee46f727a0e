"""The component schemas of the OpenAPI document: requests and answers by name."""

from __future__ import annotations

from timbra.app.openapi.answer_types import ANSWER_TYPES
from timbra.app.openapi.dataclass_schema import Schema, schema_of
from timbra.app.openapi.request_schemas import REQUEST_SCHEMAS

SCHEMAS: dict[str, Schema] = REQUEST_SCHEMAS | {name: schema_of(answer) for name, answer in ANSWER_TYPES.items()}


def ref(name: str) -> Schema:
    """Return the reference to a component schema."""
    return {"$ref": f"#/components/schemas/{name}"}
