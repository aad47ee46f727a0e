"""Checks that the server's JSON answers match the OpenAPI schemas of their operations."""

from __future__ import annotations

from typing import Any

from timbra.app.openapi.dataclass_schema import Schema
from timbra.app.openapi.document import SCHEMAS
from timbra.app.operation_table import OPERATIONS
from timbra.web.framework.router import Router

ROUTER = Router(OPERATIONS)
KEYWORDS = {"type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "description", "$ref"}
"""The keywords that `differences` evaluates, and descriptions."""
TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}


def assert_answer_matches(method: str, path: str, status: int, answer: Any) -> None:
    """Raise AssertionError when the response differs from the schema of its operation."""
    found = ROUTER.find(method, path)
    names: tuple[str, ...] = ("Rejection",)
    if found is not None and status == found[0].success_status:
        names = (found[0].answer,)
    elif found is not None:
        names = found[0].error_answers.get(str(status), names)
    if names[0] in ("file", "nothing"):
        return
    problems = [differences(answer, SCHEMAS[name], name) for name in names]
    assert not all(problems), f"{method} {path}: {problems}"


def differences(value: Any, schema: Schema, place: str) -> list[str]:
    """What differs between a JSON value and a schema; members that the schema does not name are differences too."""
    assert set(schema) <= KEYWORDS, f"{place} has keywords that are not evaluated: {set(schema) - KEYWORDS}"
    if "$ref" in schema:
        return differences(value, SCHEMAS[schema["$ref"].rpartition("/")[2]], place)
    if "anyOf" in schema:
        matching = [branch for branch in schema["anyOf"] if not differences(value, branch, place)]
        return [] if len(matching) == 1 else [f"{place} matches {len(matching)} of the alternatives"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{place} is {value!r}"]
    if schema.get("description") == "Always null.":
        return [] if value is None else [f"{place} is {value!r}, not null"]
    if "type" in schema and not _has_type(value, schema["type"]):
        return [f"{place} is {type(value).__name__}, not {schema['type']}"]
    if isinstance(value, dict):
        return _member_differences(value, schema, place)
    items = schema.get("items", {})
    elements = enumerate(value) if isinstance(value, list) else ()
    return [problem for number, element in elements for problem in differences(element, items, f"{place}[{number}]")]


def _member_differences(value: dict[str, Any], schema: Schema, place: str) -> list[str]:
    properties, others = schema.get("properties"), schema.get("additionalProperties", True)
    problems = [f"{place}.{name} is missing" for name in schema.get("required", ()) if name not in value]
    for name, member in value.items():
        if properties is not None and name in properties:
            problems += differences(member, properties[name], f"{place}.{name}")
        elif isinstance(others, dict):
            problems += differences(member, others, f"{place}.{name}")
        elif properties is not None and not schema.get("additionalProperties", False):
            problems.append(f"{place}.{name} is not in the schema")
    return problems


def _has_type(value: Any, names: str | list[str]) -> bool:
    for name in [names] if isinstance(names, str) else names:
        if isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool)):
            return True
    return False
