"""Nodes of a document whose structure has faults: reading a part that is not sound raises `UnsoundPartError`.

A rule that reads such a part cannot be evaluated. The parts are known by name: the attributes of a node that come from
a faulted value, and the kinds of nodes of which some may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from inspect import get_annotations
from typing import Any, NoReturn, TypeVar

from timbra.cfdi.nodes.base import Node
from timbra.cfdi.nodes.comprobante import Comprobante

N = TypeVar("N", bound=Node)
_WORD = re.compile(r"\w+")
_CLASSES: dict[tuple[type[Node], frozenset[str]], type[Node]] = {}


class UnsoundPartError(Exception):
    """A rule reads a part of the document that its structure check rejected."""


def conceal(node: Node, names: Iterable[str]) -> None:
    """Make the attributes of a node raise `UnsoundPartError` when they are read.

    Args:
        node: the node, changed in place.
        names: names of its attributes; those that its class does not have are ignored.
    """
    hidden = frozenset(names) & frozenset(slots_of(type(node)))
    if hidden:
        node.__class__ = _concealing(type(node), hidden)


def _concealing(kind: type[Node], hidden: frozenset[str]) -> type[Node]:
    """Return a subclass without storage of its own, so that an existing node can become an instance of it."""
    key = kind, hidden
    if key not in _CLASSES:
        members = {name: property(_raise) for name in hidden}
        _CLASSES[key] = type(kind.__name__, (kind,), {"__module__": __name__, **members})
    return _CLASSES[key]


def sound_class(node: N) -> type[N]:
    """Return the class of a node as it is declared, without what hides its parts."""
    return next(each for each in type(node).__mro__ if each.__module__ != __name__)


def _raise(_node: Node) -> NoReturn:
    raise UnsoundPartError


def slots_of(kind: type[Node]) -> list[str]:
    """Return the names of the attributes of a class of nodes, except `places`."""
    names: dict[str, None] = {}
    for base in kind.__mro__:
        for name in getattr(base, "__slots__", ()):
            names[name] = None
    names.pop("places", None)
    return list(names)


def values_of(node: Node) -> dict[str, object]:
    """Return the attributes of a node that are values: texts, numbers, dates, and mappings or tuples of these."""
    found = {}
    for name in slots_of(type(node)):
        value = getattr(node, name, None)
        if _is_value(value):
            found[name] = value
    return found


def _is_value(value: object) -> bool:
    if isinstance(value, tuple | list):
        return bool(value) and all(_is_value(each) for each in value)
    if isinstance(value, Mapping):
        return not any(isinstance(key, type) for key in value)
    return isinstance(value, str | int | Decimal) or (value is not None and type(value).__module__ == "datetime")


def derived_of(node: Node) -> list[str]:
    """Return the attributes of a node that may be derived from its XML attributes and are not numbers or nodes."""
    names = []
    for name in slots_of(type(node)):
        value = getattr(node, name, None)
        is_scalar = value is None or (isinstance(value, str | bool) or type(value).__module__ == "datetime")
        if name[0].islower() and is_scalar and not name.startswith("has_") and not _is_structure(node, name):
            names.append(name)
    return names


def _is_structure(node: Node, name: str) -> bool:
    """Whether an attribute contains nodes or elements, by the annotations of its class."""
    annotations = (get_annotations(base).get(name, "") for base in type(node).__mro__)
    words = {word for annotation in annotations for word in _WORD.findall(str(annotation))}
    return bool(words & {"_Element"}) or not words.isdisjoint(kind.__name__ for kind in node_kinds())


def node_kinds() -> set[type[Node]]:
    """Return all classes of nodes."""
    found: set[type[Node]] = set()
    waiting: list[type[Node]] = [Node]
    while waiting:
        below = set(waiting.pop().__subclasses__()) - found
        found |= below
        waiting += below
    return found


def children_named(node: Node, kinds: Collection[str]) -> list[str]:
    """Return the attributes of a node that contain nodes of the kinds, by the annotations of its class."""
    names = []
    for base in type(node).__mro__:
        for name, annotation in get_annotations(base).items():
            if not set(_WORD.findall(str(annotation))).isdisjoint(kinds):
                names.append(name)
    return names + [name for name in slots_of(type(node)) if name.startswith("has_")]


def make_partial(comprobante: Comprobante, kinds: Collection[type[Node]], tags: Collection[str]) -> None:
    """Make `of` and `complement` of a document raise `UnsoundPartError` for parts that are not sound.

    Args:
        comprobante: the document, changed in place: `by_kind` loses the kinds.
        kinds: kinds of which nodes may be missing.
        tags: qualified names of complements that have faults or are in a wrong place.
    """
    own: Any = type(comprobante)

    def of(self: Comprobante, kind: type[Node]) -> list[Node]:
        if kind in kinds:
            raise UnsoundPartError
        return own.of(self, kind)  # type: ignore[no-any-return]

    def complement(self: Comprobante, name: str) -> object:
        if name in tags:
            raise UnsoundPartError
        return own.complement(self, name)

    comprobante.by_kind = {kind: nodes for kind, nodes in comprobante.by_kind.items() if kind not in kinds}
    comprobante.__class__ = type(own.__name__, (own,), {"__module__": __name__, "of": of, "complement": complement})
