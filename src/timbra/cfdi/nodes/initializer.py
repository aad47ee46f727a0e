"""The constructor of a class of nodes, generated from its declarations as `dataclasses` does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from timbra.cfdi.nodes.fields import (
    Attribute,
    Derived,
    Element,
    Field,
    Gathered,
    Initial,
    Made,
    Named,
    Present,
    decimal_or_zero,
)

Constructor = Callable[..., None]


class _Source:
    """The source text of a constructor, and the objects that it names."""

    def __init__(self) -> None:
        self.lines = ["def __init__(self, element, places=()):", " self.places = places", " get = element.get"]
        self.objects: dict[str, object] = {}

    def name(self, value: object) -> str:
        """Return a name by which the source refers to an object."""
        return next((name for name, known in self.objects.items() if known is value), None) or self._new_name(value)

    def _new_name(self, value: object) -> str:
        name = f"_{len(self.objects)}"
        self.objects[name] = value
        return name

    def assign(self, field: str, expression: str) -> None:
        self.lines.append(f" self.{field} = {field} = {expression}")


def initializer(fields: Mapping[str, Field | str]) -> Constructor:
    """Return the constructor of a class with the fields: `(self, element, places=())`.

    It reads the attributes of the element; children are absent until they are read.
    """
    source = _Source()
    for name, field in fields.items():
        expression = _expression(name, field, fields, source)
        if expression:
            source.assign(name, expression)
    scope: dict[str, Any] = dict(source.objects)
    exec("\n".join(source.lines), scope)  # noqa: S102 - of the names in the body of a class
    made: Constructor = scope["__init__"]
    return made


def _expression(name: str, field: Field | str, fields: Mapping[str, Field | str], source: _Source) -> str:
    """Return the expression of the field's value in a new node, empty for a field without one."""
    match field:
        case str():
            return initial_of_children(field)
        case Attribute():
            text = f"get({field.name or name!r}, {field.default!r})"
            return text if field.convert is None else f"{source.name(field.convert)}({text})"
        case Derived():
            return _derived(field, fields, source)
        case Initial():
            return source.name(field.value)
        case Made():
            return f"{source.name(field.make)}()"
        case Gathered():
            return source.name(field.function(()))
        case Named():
            return f"{{str(name): str(value) for name, value in element.items() if name in {source.name(field.names)}}}"
        case Present():
            return "False"
        case Element():
            return "None" if field.name else "element"
        case _:
            return "()"


def _derived(field: Derived, fields: Mapping[str, Field | str], source: _Source) -> str:
    function = Decimal if field.function is decimal_or_zero else field.function
    call = f"{source.name(function)}({', '.join(field.sources)})"
    first = fields[field.sources[0]]
    if field.digits and isinstance(first, Attribute) and first.default is None:
        return f"{source.name(field.function(None))} if {field.sources[0]} is None else {call}"
    return call


def initial_of_children(annotation: str) -> str:
    """Return the source of what children with that annotation are before they are read, empty for nothing."""
    if annotation.startswith("tuple["):
        return "()"
    return "None" if annotation.endswith(" | None") else ""
