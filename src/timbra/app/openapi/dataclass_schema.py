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
}
"""JSON types by Python type. Answers use a `Fragment` for a number that keeps the digits of the document."""
ALWAYS_NULL: Schema = {"type": ["string", "null"], "description": "Always null."}
"""A member without a value; generators of clients have no type that is null alone."""
NULL: Schema = {"type": "null"}


class SchemaBuilder:
    """Derives JSON schemas of types.

    Attributes:
        components: The schemas of the classes inside of other types, by name; they are referenced.
    """

    def __init__(self) -> None:
        self.components: dict[str, Schema] = {}

    def schema_of(self, annotation: Any) -> Schema:
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
        if annotation is NoneType:
            return dict(ALWAYS_NULL)
        if is_typeddict(origin or annotation):
            return self._typed_dict(origin or annotation, arguments)
        if is_dataclass(origin or annotation):
            return self._dataclass(origin or annotation, arguments)
        if origin is not None:
            return self._composite(origin, arguments)
        raise TypeError(f"No JSON schema for {annotation!r}.")

    def _inner(self, annotation: Any) -> Schema:
        """Return the schema of a type inside of another one: a reference for a class."""
        if not (is_typeddict(annotation) or is_dataclass(annotation)):
            return self.schema_of(annotation)
        name = str(getattr(annotation, "__name__", annotation))
        if name not in self.components:
            self.components[name] = self.schema_of(annotation)
        return {"$ref": f"#/components/schemas/{name}"}

    def _composite(self, origin: Any, arguments: Sequence[Any]) -> Schema:
        if origin is Annotated:
            return self._inner(arguments[0]) | {"description": arguments[1]}
        if origin is Literal:
            return {"type": SCALARS[type(arguments[0])], "enum": list(arguments)}
        if origin in (Union, UnionType):
            return self._union(arguments)
        if origin in (list, tuple, Sequence):
            return {"type": "array", "items": self._inner(arguments[0])}
        if origin in (dict, Mapping):
            values = {} if arguments[1] is object else {"additionalProperties": self._inner(arguments[1])}
            return {"type": "object", **values}
        raise TypeError(f"No JSON schema for {origin!r}.")

    def _dataclass(self, answer: type[Any], arguments: Sequence[Any]) -> Schema:
        """All members are required, because the encoder writes every field.

        A member whose name differs from an earlier one in the case of letters alone is left out: it repeats its value,
        and methods of PHP have no case.
        """
        hints = _hints(answer, arguments)
        names = {field.name.lower(): field.name for field in reversed(fields(answer))}
        kept = [field.name for field in fields(answer) if names[field.name.lower()] == field.name]
        others = {} if len(kept) == len(hints) else {"additionalProperties": True}
        properties = {name: self._inner(hints[name]) for name in kept}
        return {"type": "object", "properties": properties, "required": kept, **others}

    def _typed_dict(self, answer: Any, arguments: Sequence[Any]) -> Schema:
        hints = _hints(answer, arguments)
        optional = {name for name, hint in hints.items() if get_origin(hint) is NotRequired}
        values = {name: get_args(hint)[0] if name in optional else hint for name, hint in hints.items()}
        return {
            "type": "object",
            "properties": {name: self._inner(value) for name, value in values.items()},
            "required": [name for name in hints if name not in optional],
        }

    def _union(self, arguments: Sequence[Any]) -> Schema:
        """`T | None` of a type that is not referenced is one schema whose `type` lists both.

        Objects with more members come first, because clients take the first alternative that matches.
        """
        schemas = [self._inner(argument) for argument in arguments if argument is not NoneType]
        schemas.sort(key=self._members, reverse=True)
        if NoneType not in arguments:
            return {"anyOf": schemas}
        if len(schemas) > 1 or "type" not in schemas[0]:
            return {"anyOf": [*schemas, NULL]}
        [schema] = schemas
        values = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
        return {**schema, "type": [schema["type"], "null"], **values}

    def _members(self, schema: Schema) -> int:
        return len(self.components.get(schema.get("$ref", "").rpartition("/")[2], {}).get("required", ()))


def _hints(answer: Any, arguments: Sequence[Any]) -> dict[str, Any]:
    """The types of the members; those that are type variables are replaced by the arguments."""
    bound = dict(zip(getattr(answer, "__parameters__", ()), arguments, strict=True))
    hints = get_type_hints(answer, include_extras=True)
    return {name: bound.get(hint, hint) for name, hint in hints.items()}
