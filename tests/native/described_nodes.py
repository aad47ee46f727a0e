"""The nodes of a document as plain values, so that two readings can be compared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal, DecimalException
from itertools import chain
from types import ModuleType

from lxml import etree

from timbra import _native
from timbra.cfdi.nodes import FiscalDocument, Node, plans
from timbra.cfdi.nodes.documents import walk_document
from timbra.cfdi.nodes.unsound import slots_of

ABSENT = "(no value)"


@contextmanager
def reading_with(module: ModuleType) -> Iterator[None]:
    """Read nodes with the `NodeReader` of a module."""
    chosen = _native.NodeReader
    plans.reader.cache_clear()
    vars(_native)["NodeReader"] = module.NodeReader
    try:
        yield
    finally:
        vars(_native)["NodeReader"] = chosen
        plans.reader.cache_clear()


def read(root: etree._Element, module: ModuleType) -> object:
    """Return the nodes of a document as `described`, or the class of the error that the reading raises."""
    with reading_with(module):
        try:
            document = walk_document(root)
        except (DecimalException, AttributeError, TypeError) as error:
            return type(error)
        return described(document)


def described(document: FiscalDocument) -> list[object]:
    """Return all fields of all nodes; elements by identity, nodes by class and path."""
    nodes = chain([document], chain.from_iterable(document.by_kind.values()))
    return [[_of_node(node), node.order, node.places, _fields(node)] for node in nodes]


def _fields(node: Node) -> dict[str, object]:
    names = (name for name in slots_of(type(node)) if name != "by_kind")
    return {name: _described(getattr(node, name, ABSENT)) for name in names}


def _described(value: object) -> object:
    if isinstance(value, Node):
        return _of_node(value)
    if isinstance(value, tuple | list):
        return [type(value).__name__, *map(_described, value)]
    if isinstance(value, Decimal):
        return value.as_tuple()
    return type(value).__name__, value


def _of_node(node: Node) -> tuple[str, str, str]:
    return type(node).__module__, type(node).__name__, node.path
