"""The base class of nodes: the position of an element in the document, and the fields that are read from it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from types import MappingProxyType
from typing import Any, ClassVar

from lxml import etree

from timbra.cfdi.nodes.fields import FIELDS, ZERO, Attribute, Field, number
from timbra.cfdi.nodes.initializer import initializer

__all__ = ["NAMESPACE", "NAMESPACE_33", "ZERO", "Node", "NodeType", "elements", "fields_of", "number"]

NAMESPACE = "{http://www.sat.gob.mx/cfd/4}"
NAMESPACE_33 = "{http://www.sat.gob.mx/cfd/3}"
_TEXTS = {"str": Attribute("", "", None), "str | None": Attribute("", None, None)}


class NodeType(type):
    """Makes a class of nodes from its declarations (see `fields`): slots of the declared names, and the constructor."""

    __slots__: tuple[str, ...]
    declarations: dict[str, Field | str]
    """Field, or annotation of children, by name; only those of the class itself."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> NodeType:
        """Create the class; one with `__slots__` of its own has no declarations, and sets these slots itself."""
        namespace["declarations"] = {}
        if "__slots__" not in namespace:
            declared = namespace["declarations"] = _take_declarations(name, namespace)
            inherited = {field for base in bases for each in base.__mro__ for field in getattr(each, "__slots__", ())}
            namespace["__slots__"] = tuple(sorted(declared.keys() - inherited))
        made = super().__new__(cls, name, bases, namespace)
        if "__init__" not in namespace:
            made.__init__ = initializer(fields_of(made))  # type: ignore[misc]
        return made


def _take_declarations(name: str, namespace: dict[str, Any]) -> dict[str, Field | str]:
    """Remove the declarations from the body of a class and return them, by name of the field."""
    declared: dict[str, Field | str] = {}
    for field, annotation in namespace.get("__annotations__", {}).items():
        if not isinstance(annotation, str):
            raise TypeError(f"the module of {name}.{field} needs `from __future__ import annotations`")
        if annotation.startswith("ClassVar"):
            continue
        value = namespace.pop(field, None)
        if value is not None and not isinstance(value, FIELDS):
            raise TypeError(f"{name}.{field} has a value that is not a declaration")
        declared[field] = value or _TEXTS.get(annotation) or annotation
    return declared


def fields_of(kind: NodeType) -> dict[str, Field | str]:
    """Return the fields of a class and of its base classes, except `places`; those of base classes first."""
    found: dict[str, Field | str] = {}
    for base in reversed(kind.__mro__):
        found.update(getattr(base, "declarations", {}) if isinstance(base, NodeType) else {})
    return {name: field for name, field in found.items() if name != "places"}


NODE_KINDS: list[type[Node]] = []
"""Every class of nodes."""


class Node(metaclass=NodeType):
    """A read-only view of one element. Attributes keep the SAT's names and the text as written, None when absent.

    A parent refers to its children, and a child not to its parent: without a cycle, a document is freed with the last
    reference to it. `Node(element, places)` reads the attributes of an element; `reading` reads its children too.

    Attributes:
        places: for each element on the path from the root to this one, its position among siblings of its name, from 1;
            0 where the standard allows only one.
    """

    TEMPLATE: ClassVar[str] = ""
    """Path of the kind from the root, with `[{}]` after each step that repeats."""
    PATH: ClassVar[str] = ""
    """Path of the kind from the root, without indexes."""
    RANKS: ClassVar[tuple[int, ...]] = ()
    """For each node on the path from the root: the position of its kind among the kinds of its parent's children."""
    CHILDREN: ClassVar[Mapping[str, int]] = MappingProxyType({})
    """Sibling positions by child name, for children that rules refer to even when they are absent."""

    places: tuple[int, ...]

    def __init_subclass__(cls) -> None:
        cls.PATH = cls.TEMPLATE.replace("[{}]", "")
        NODE_KINDS.append(cls)

    def __init__(self, element: etree._Element, places: tuple[int, ...] = ()) -> None:
        raise NotImplementedError("each class of nodes has a constructor of its own")

    def complete(self) -> None:
        """Set the fields that depend on children; called when these are read."""

    @property
    def index(self) -> int:
        """Position among the siblings of that name, from 1; 0 where the standard allows only one."""
        return self.places[-1] if self.places else 0

    @property
    def path(self) -> str:
        """XPath from the root, with indexes and without prefixes: `Conceptos/Concepto[3]`; empty for the root."""
        return self.TEMPLATE.format(*[place for place in self.places if place])

    def order_of(self, tail: str) -> tuple[int, ...]:
        """Return the sort key of a path below the node: that of the child if `CHILDREN` has it, else the node's own."""
        rank = self.CHILDREN.get(tail.partition("/")[0])
        return self.order if rank is None else (*self.order, rank, 0)

    @property
    def order(self) -> tuple[int, ...]:
        """Sort key: document order, a parent before its children."""
        return tuple(chain.from_iterable(zip(self.RANKS, self.places, strict=True)))


def elements(parent: etree._Element) -> list[etree._Element]:
    """Return the child elements, without comments and processing instructions."""
    return list(parent.iterchildren(etree.Element))
