"""JSON schemas of the types that answers are made of: dataclasses, and `TypedDict` for members that may be absent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

import orjson

Schema = dict[str, Any]

SCALARS: dict[object, str] = {
    str: "string",
    int: "integer",
    float: "number",
    orjson.Fragment: "number",
    bool: "boolean",
    NoneType: "null",
}
"""JSON types by Python type. Answers use a `Fragment` for a number that keeps the digits of the document."""


def schema_of(annotation: Any) -> Schema:
    """Derive the JSON schema of a type.

    Args:
        annotation: A dataclass (a generic one with its arguments), a `TypedDict`, a scalar, a list, a mapping, a
            literal, a union of these, or one of these in `Annotated` with its description.

    Raises:
        TypeError: The type has no JSON schema.
    """
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation in SCALARS:
        return {"type": SCALARS[annotation]}
    if is_typeddict(origin or annotation):
        return _typed_dict(origin or annotation, arguments)
    if is_dataclass(origin or annotation):
        return _dataclass(origin or annotation, arguments)
    if origin is not None:
        return _composite(origin, arguments)
    raise TypeError(f"No JSON schema for {annotation!r}.")


def _composite(origin: Any, arguments: Sequence[Any]) -> Schema:
    if origin is Annotated:
        return schema_of(arguments[0]) | {"description": arguments[1]}
    if origin is Literal:
        return _literal(arguments)
    if origin in (Union, UnionType):
        return _union(arguments)
    if origin in (list, tuple, Sequence):
        return {"type": "array", "items": schema_of(arguments[0])}
    if origin in (dict, Mapping):
        return {"type": "object"} if arguments[1] is object else _mapping(arguments[1])
    raise TypeError(f"No JSON schema for {origin!r}.")


def _dataclass(answer: type[Any], arguments: Sequence[Any]) -> Schema:
    """All members are required, because the encoder writes every field."""
    hints = _hints(answer, arguments)
    names = [field.name for field in fields(answer)]
    return {"type": "object", "properties": {name: schema_of(hints[name]) for name in names}, "required": names}


def _typed_dict(answer: Any, arguments: Sequence[Any]) -> Schema:
    hints = _hints(answer, arguments)
    optional = {name for name, hint in hints.items() if get_origin(hint) is NotRequired}
    values = {name: get_args(hint)[0] if name in optional else hint for name, hint in hints.items()}
    return {
        "type": "object",
        "properties": {name: schema_of(value) for name, value in values.items()},
        "required": [name for name in hints if name not in optional],
    }


def _hints(answer: Any, arguments: Sequence[Any]) -> dict[str, Any]:
    """The types of the members; those that are type variables are replaced by the arguments."""
    bound = dict(zip(getattr(answer, "__parameters__", ()), arguments, strict=True))
    hints = get_type_hints(answer, include_extras=True)
    return {name: bound.get(hint, hint) for name, hint in hints.items()}


def _mapping(values: Any) -> Schema:
    return {"type": "object", "additionalProperties": schema_of(values)}


def _literal(values: Sequence[Any]) -> Schema:
    if len(values) == 1:
        return {"const": values[0]}
    return {"type": SCALARS[type(values[0])], "enum": list(values)}


def _union(arguments: Sequence[Any]) -> Schema:
    """`T | None` is one schema whose `type` lists both; other unions are alternatives."""
    schemas = [schema_of(argument) for argument in arguments]
    if len(arguments) > 2 or NoneType not in arguments:
        return {"anyOf": schemas}
    merged: Schema = {}
    for schema in schemas:
        merged |= schema
    return {**merged, "type": [schema["type"] for schema in schemas]}
