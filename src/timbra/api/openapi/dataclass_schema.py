"""JSON schemas of the dataclasses that answers are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

Schema = dict[str, Any]

SCALARS: dict[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


def schema_of(annotation: Any) -> Schema:
    """The JSON schema of a type: a dataclass, a scalar, a list, a mapping, a literal or one of these or None."""
    if annotation in SCALARS:
        return {"type": SCALARS[annotation]}
    origin, arguments = get_origin(annotation), get_args(annotation)
    if is_dataclass(annotation) and isinstance(annotation, type):
        return _record(annotation)
    if origin is Literal:
        return {"const": arguments[0]} if len(arguments) == 1 else {"enum": list(arguments)}
    if origin in (Union, UnionType):
        return _union(arguments)
    if origin in (list, tuple, Sequence):
        return {"type": "array", "items": schema_of(arguments[0])}
    if origin in (dict, Mapping):
        return {"type": "object"} if arguments[1] is object else _mapping(arguments[1])
    raise TypeError(f"No JSON schema for {annotation!r}.")


def _record(answer: type[Any]) -> Schema:
    hints = get_type_hints(answer)
    names = [field.name for field in fields(answer)]
    return {"type": "object", "properties": {name: schema_of(hints[name]) for name in names}, "required": names}


def _mapping(values: Any) -> Schema:
    return {"type": "object", "additionalProperties": schema_of(values)}


def _union(arguments: Sequence[Any]) -> Schema:
    """The schema of `T | None`, whose `type` lists both."""
    schemas = [schema_of(argument) for argument in arguments]
    merged: Schema = {}
    for schema in schemas:
        merged |= schema
    return {**merged, "type": [schema["type"] for schema in schemas]}
