"""Nodes of a document whose structure has faults: reading a part that is not sound raises `UnsoundPartError`.

A rule that reads such a part cannot be evaluated. The parts are known by name: the attributes of a node that come from
a faulted value, and the kinds of nodes of which some may be missing. The names are kept with the node, so that there
is one concealing class for each kind however many different faults a process reads.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from functools import cache, lru_cache
from inspect import get_annotations
from typing import Any, TypeVar, cast

from timbra.cfdi.nodes.base import NODE_KINDS, Node, NodeType
from timbra.cfdi.nodes.fiscal_document import FiscalDocument
from timbra.core.bounds import Bound, BoundKind

N = TypeVar("N", bound=Node)
_WORD = re.compile(r"\w+")
NOTHING: frozenset[Any] = frozenset()


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
        _concealed_places(node).names |= hidden


@contextmanager
def concealed(node: Node, names: Iterable[str]) -> Iterator[None]:
    """Conceal attributes of a node, see `conceal`, until the end of the block."""
    kind, places = type(node), node.places
    if isinstance(places, _ConcealedPlaces):
        node.places = places.copy()
    try:
        conceal(node, names)
        yield
    finally:
        node.__class__, node.places = kind, places


class _ConcealedPlaces(tuple[int, ...]):
    """The places of a node with what is concealed of it: `places` is the one attribute that every node has.

    Attributes:
        names: attributes of the node.
        kinds: kinds of nodes of which some of a document may be missing.
        tags: qualified names of complements of the document.
    """

    names: frozenset[str] = NOTHING
    kinds: frozenset[type[Node]] = NOTHING
    tags: frozenset[str] = NOTHING

    def copy(self) -> _ConcealedPlaces:
        """Return equal places that can be changed apart."""
        other = _ConcealedPlaces(self)
        other.names, other.kinds, other.tags = self.names, self.kinds, self.tags
        return other


def _concealed_places(node: Node) -> _ConcealedPlaces:
    """Return the places of a node that becomes an instance of the concealing class of its kind."""
    places = node.places if isinstance(node.places, _ConcealedPlaces) else _ConcealedPlaces(node.places)
    node.places = places
    node.__class__ = _concealing(sound_class(node))
    return places


@cache
def _concealing(kind: type[Node]) -> type[Node]:
    """Return a subclass without storage of its own, so that an existing node can become an instance of it."""
    members: dict[str, object] = {"__module__": __name__, "__slots__": (), "__getattribute__": _read}
    if issubclass(kind, FiscalDocument):
        members |= {"of": _sound_nodes_of, "complement": _sound_complement}
    return cast("type[Node]", NodeType(kind.__name__, (kind,), members))


def _read(node: Node, name: str) -> object:
    """Return an attribute of a node; `UnsoundPartError` when it is concealed."""
    if name in object.__getattribute__(node, "places").names:
        raise UnsoundPartError
    return object.__getattribute__(node, name)


def _sound_nodes_of(node: FiscalDocument, kind: type[Node]) -> list[Node]:
    if kind in node.places.kinds:  # type: ignore[attr-defined]
        raise UnsoundPartError
    return sound_class(node).of(node, kind)


def _sound_complement(node: FiscalDocument, name: str) -> object:
    if name in node.places.tags:  # type: ignore[attr-defined]
        raise UnsoundPartError
    return sound_class(node).complement(node, name)


def sound_class(node: N) -> type[N]:
    """Return the class of a node as it is declared, without what hides its parts."""
    return next(each for each in type(node).__mro__ if each.__module__ != __name__)


@cache
def slots_of(kind: type[Node]) -> tuple[str, ...]:
    """Return the names of the attributes of a class of nodes, except `places`."""
    names = dict.fromkeys(name for base in kind.__mro__ for name in getattr(base, "__slots__", ()))
    names.pop("places", None)
    return tuple(names)


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
        if name[0].islower() and is_scalar and not name.startswith("has_") and not _is_structure(type(node), name):
            names.append(name)
    return names


@cache
def _is_structure(kind: type[Node], name: str) -> bool:
    """Whether an attribute contains nodes or elements, by the annotations of its class."""
    words = {word for annotated, words in _annotations_of(kind) if annotated == name for word in words}
    return bool(words & {"_Element"}) or not words.isdisjoint(kind.__name__ for kind in node_kinds())


def node_kinds() -> frozenset[type[Node]]:
    """Return the declared classes of nodes."""
    return _kinds_below(len(NODE_KINDS))


@lru_cache(maxsize=1)
def _kinds_below(_number: int) -> frozenset[type[Node]]:
    return frozenset(kind for kind in NODE_KINDS if kind.__module__ != __name__)


@cache
def _annotations_of(kind: type[Node]) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return each annotated attribute of a class with the words of its annotation, once for each base class."""
    return tuple(
        (name, frozenset(_WORD.findall(str(annotation))))
        for base in kind.__mro__
        for name, annotation in get_annotations(base).items()
    )


def children_named(node: Node, kinds: Collection[str]) -> list[str]:
    """Return the attributes of a node that contain nodes of the kinds, by the annotations of its class."""
    names = [name for name, words in _annotations_of(type(node)) if not words.isdisjoint(kinds)]
    return names + [name for name in slots_of(type(node)) if name.startswith("has_")]


def make_partial(document: FiscalDocument, kinds: Collection[type[Node]], tags: Collection[str]) -> None:
    """Make `of` and `complement` of a document raise `UnsoundPartError` for parts that are not sound.

    Args:
        document: the document, changed in place: `by_kind` loses the kinds.
        kinds: kinds of which nodes may be missing.
        tags: qualified names of complements that have faults or are in a wrong place.
    """
    document.by_kind = {kind: nodes for kind, nodes in document.by_kind.items() if kind not in kinds}
    places = _concealed_places(document)
    places.kinds, places.tags = frozenset(kinds), frozenset(tags)


BOUNDS = (
    Bound("_concealing", BoundKind.CACHE, "one for each class of nodes and attribute", "There are no further classes."),
    Bound("slots_of", BoundKind.CACHE, "one for each class of nodes and attribute", "There are no further classes."),
    Bound(
        "_is_structure", BoundKind.CACHE, "one for each class of nodes and attribute", "There are no further classes."
    ),
    Bound(
        "_annotations_of", BoundKind.CACHE, "one for each class of nodes and attribute", "There are no further classes."
    ),
)
