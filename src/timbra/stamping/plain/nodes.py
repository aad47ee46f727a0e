"""Nodes with nothing but what a key says: a rule that reads more raises an error, so its result is of the key only.

An amount that is present is `UNKNOWN`, and so is every sum of it. What a key does not have is not set, and reading it
raises AttributeError.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, NoReturn, TypeVar

from timbra.cfdi.document import CFD4
from timbra.cfdi.nodes import (
    CfdiRelacionados,
    ComplementNode,
    Comprobante,
    Concepto,
    Emisor,
    ImpuestosTotales,
    InformacionGlobal,
    Node,
    Receptor,
)
from timbra.cfdi.nodes.base import fields_of
from timbra.cfdi.nodes.fields import Attribute, Derived, Named, Present
from timbra.cfdi.nodes.unsound import slots_of
from timbra.cfdi.rfc import is_rfc
from timbra.core.bounds import Bound, BoundKind
from timbra.stamping.plain.layout import COMPLEMENTS, NODES, PATHS, ROLES, UNREAD
from timbra.stamping.plain.layout_compiler import Layout

N = TypeVar("N", bound=Node)
Nodes = dict[type[Node], list[Any]]
_ELEMENT = re.compile(rb"\x01(.)([^\x01]*)", re.DOTALL)
_ATTRIBUTE = re.compile(rb"([\x02\x03])(.)([^\x02\x03]*)", re.DOTALL)
_LEAST_IDENTIFIER = 32
_WORD = re.compile(r"\w+")
_RFC = re.compile(rb"\x02.([A-Z&0-9\x80-\xff]{12,18})(?![^\x01-\x03])", re.DOTALL)
_TAG = re.compile(r"\{[^}]*\}\w+")


class UnknownValueError(Exception):
    """A rule reads a value that the key does not have."""


class _Unknown:
    """A present value that is not known."""

    __slots__ = ()

    def _raise(self, *_: object) -> NoReturn:
        raise UnknownValueError

    def _unknown(self, _other: object) -> _Unknown:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _unknown
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _raise
    __bool__ = __hash__ = __str__ = __repr__ = __format__ = __len__ = __iter__ = __contains__ = _raise
    __abs__ = __neg__ = __int__ = __float__ = __index__ = __truediv__ = __rtruediv__ = _raise


UNKNOWN = _Unknown()
UNKNOWN_ERRORS = (UnknownValueError, AttributeError, TypeError)
"""What a rule raises that reads more than a key says; TypeError comes from functions that are written in C."""
Values = dict[str, Any]


class KeyReader:
    """Makes nodes of keys.

    Args:
        layout: that of the reader that made the keys.
    """

    def __init__(self, layout: Layout) -> None:
        self._names = [[attribute.name for attribute in kind.attributes] for kind in layout.kinds]

    def elements(self, key: bytes) -> Iterator[tuple[str, Values]]:
        """Yield path and values of each element of a key, in document order."""
        for number, attributes in _ELEMENT.findall(key):
            place = number[0] - _LEAST_IDENTIFIER
            names = self._names[place]
            yield (
                PATHS[place],
                {
                    names[name[0] - _LEAST_IDENTIFIER]: value.decode() if mark == b"\x02" else UNKNOWN
                    for mark, name, value in _ATTRIBUTE.findall(attributes)
                },
            )

    def header(self, key: bytes) -> Comprobante:
        """Return a root with its issuer and its relations, and with a complement that has no content."""
        root_element = self._tree(key)[0]
        root = partial_node(Comprobante, root_element.values, ())
        root.emisor = root_element.nodes(Emisor, ())[0]
        root.informacion_global = next(iter(root_element.nodes(InformacionGlobal, ())), None)
        root.relacionados = tuple(root_element.nodes(CfdiRelacionados, ()))
        heads = {COMPLEMENTS[each.path].kind: each for each in root_element.children if each.path in COMPLEMENTS}
        root.complementos = tuple([KeyElement(kind.TAG, each.values) for kind, each in heads.items()])  # type: ignore[misc]
        root.addenda = None
        root.by_kind = KnownKinds({kind: [partial_node(kind, each.values, (1, 0))] for kind, each in heads.items()})
        return root

    def receiver(self, key: bytes) -> Receptor:
        [(_, values)] = self.elements(key)
        return partial_node(Receptor, values, (0,))

    def concept(self, key: bytes) -> Nodes:
        """Return a Concepto and the nodes in it by kind."""
        found: Nodes = {}
        concept: Concepto = self._tree(key)[0].node(Concepto, (1,), found)
        concept.complementos = ()
        return found

    def concept_element(self, key: bytes) -> KeyElement:
        """Return a root with the elements of its only Concepto, of which the key has every attribute."""
        element = self._tree(key)[0]
        children = [KeyElement(f"{{{CFD4}}}{name}", {}) for name in element.names]
        declared = dict.fromkeys(self._names[PATHS.index(Concepto.PATH)])
        concept = KeyElement(f"{{{CFD4}}}Concepto", {**declared, **element.values}, children)
        return KeyElement(f"{{{CFD4}}}Comprobante", {}, [KeyElement(f"{{{CFD4}}}Conceptos", {}, [concept])])

    def tail(self, key: bytes) -> tuple[list[Concepto], ImpuestosTotales | None, Nodes]:
        """Return the Conceptos, of which only the taxes are known, the totals, and the nodes of the totals by kind."""
        concepts: list[Concepto] = []
        totals: ImpuestosTotales | None = None
        found: Nodes = {}
        for element in self._tree(key):
            if element.path == Concepto.PATH:
                concepts.append(_bare_concept(element, len(concepts) + 1))
            else:
                totals = element.node(ImpuestosTotales, (0,), found)
        return concepts, totals, found

    def complement(self, key: bytes) -> Nodes:
        """Return the nodes of a complement by kind."""
        found: Nodes = {}
        for element in self._tree(key):
            element.node(NODES[element.path], (1, 0), found)
        return found

    def _tree(self, key: bytes) -> list[_Element]:
        """Return the elements of a key that are in no other one of it."""
        tops: list[_Element] = []
        open_elements: list[_Element] = []
        for path, values in self.elements(key):
            element = _Element(path, values)
            while open_elements and not path.startswith(f"{open_elements[-1].path}/" if open_elements[-1].path else ""):
                open_elements.pop()
            (open_elements[-1].children if open_elements else tops).append(element)
            open_elements.append(element)
        return tops


class _Element:
    """An element of a key, with those in it that the key has."""

    __slots__ = ("children", "path", "values")

    def __init__(self, path: str, values: Values) -> None:
        self.path = path
        self.values = values
        self.children: list[_Element] = []

    @property
    def names(self) -> list[str]:
        """The names of the children."""
        return [each.path.rpartition("/")[2] for each in self.children]

    def nodes(self, kind: type[Node], places: tuple[int, ...], found: Nodes | None = None) -> list[Any]:
        """Return the nodes of a kind that are in the element.

        Args:
            places: those of its own node.
            found: to add all nodes to.
        """
        every = found if found is not None else {}
        plan = _plan(kind)
        inner = (*places, *[0] * (plan.length - len(places) - 1))
        elements = enumerate(self._below(kind.PATH), 1)
        return [each.node(kind, (*inner, number if plan.repeats else 0), every) for number, each in elements]

    def _below(self, path: str) -> Iterator[_Element]:
        for child in self.children:
            if child.path == path:
                yield child
            elif path.startswith(child.path):
                yield from child._below(path)

    def node(self, kind: type[N], places: tuple[int, ...], found: Nodes) -> N:
        """Return the node of the element with its children, and add all to `found`."""
        node = partial_node(kind, self.values, places)
        found.setdefault(kind, []).append(node)
        self.set_children(node, found)
        return node

    def set_children(self, node: Node, found: Nodes, only: Collection[str] | None = None) -> None:
        """Set the fields of the node that depend on children.

        Args:
            only: names of some fields; None for all.
        """
        plan = _plan(type(node))
        if not self.children and only is None:
            for name, value in plan.childless:
                setattr(node, name, value)
            return
        for name, child in plan.present:
            if only is None or name in only:
                setattr(node, name, child in self.names)
        for name, kind, is_tuple in plan.children:
            if only is None or name in only:
                nodes = self.nodes(kind, node.places, found)
                setattr(node, name, tuple(nodes) if is_tuple else next(iter(nodes), None))


class _Plan(NamedTuple):
    """What a key sets of a kind of node.

    Attributes:
        attributes: field, attribute and default.
        derived: field, function and the fields that it reads.
        named: fields of attributes by name, with these.
        present: field and name of the child.
        children: field, kind, and whether there may be several.
        childless: the fields of `present` and `children` of a node without children.
        length: length of `places`.
        repeats: whether the last place is a number.
    """

    attributes: tuple[tuple[str, str, str | None], ...]
    derived: tuple[tuple[str, Callable[..., Any], tuple[str, ...]], ...]
    named: tuple[tuple[str, frozenset[str]], ...]
    present: tuple[tuple[str, str], ...]
    children: tuple[tuple[str, type[Node], bool], ...]
    childless: tuple[tuple[str, tuple[()] | bool | None], ...]
    length: int
    repeats: bool


_KINDS = {kind.__name__: kind for kind in NODES.values()}


@cache
def _plan(kind: type[Node]) -> _Plan:
    fields, unread = fields_of(kind), UNREAD.get(kind.PATH, frozenset())
    attributes = {name: each for name, each in fields.items() if isinstance(each, Attribute) and name not in unread}
    if any(each.convert for each in attributes.values()):
        raise TypeError(f"{kind.__name__} converts the text of an attribute")
    derived = {name: each for name, each in fields.items() if isinstance(each, Derived)}
    children = [(name, each) for name, each in fields.items() if isinstance(each, str)]
    present = [(name, each.name) for name, each in fields.items() if isinstance(each, Present)]
    empty = [(name, () if each.startswith("tuple") else None) for name, each in children]
    return _Plan(
        tuple([(name, each.name or name, each.default) for name, each in attributes.items()]),
        tuple([(name, each.function, each.sources) for name, each in derived.items() if not unread & {*each.sources}]),
        tuple([(name, each.names) for name, each in fields.items() if isinstance(each, Named)]),
        tuple(present),
        tuple([(name, _kind_of(each), each.startswith("tuple")) for name, each in children]),
        (*[(name, False) for name, _ in present], *empty),
        len(kind.RANKS) + 2 * issubclass(kind, ComplementNode),
        kind.TEMPLATE.endswith("[{}]"),
    )


def _kind_of(annotation: str) -> type[Node]:
    return next(_KINDS[word] for word in _WORD.findall(annotation) if word in _KINDS)


class KeyElement:
    """An element of which a key has some attributes and the children; whatever else is read raises an error."""

    __slots__ = ("_children", "_values", "tag")

    def __init__(self, tag: str, values: Mapping[str, Any], children: Sequence[KeyElement] = ()) -> None:
        self.tag = tag
        self._children = children
        self._values = values

    def __str__(self) -> str:
        """Return the qualified name, as `etree.QName` reads it."""
        return self.tag

    def get(self, name: str) -> Any:
        """Return an attribute."""
        if name not in self._values:
            raise UnknownValueError
        return self._values[name]

    def iterchildren(self, _tag: object) -> Iterator[KeyElement]:
        """Yield the children."""
        return iter(self._children)

    def iterfind(self, path: str) -> Iterator[KeyElement]:
        """Yield the elements with a path of qualified names."""
        found: list[KeyElement] = [self]
        for tag in _TAG.findall(path):
            found = [child for each in found for child in each._children if child.tag == tag]
        return iter(found)


class KnownKinds(dict[type[Node], list[Node]]):
    """The nodes of a document by kind; which others of the kinds of plain documents it has is not known."""

    def get(self, kind: type[Node], default: Any = None) -> Any:
        """Return the nodes of a kind."""
        if kind not in self and kind in _KNOWN:
            raise UnknownValueError
        return super().get(kind, default)


_KNOWN = frozenset(NODES.values()) - {each.kind for each in COMPLEMENTS.values()}


def _bare_concept(element: _Element, place: int) -> Concepto:
    concept = Concepto.__new__(Concepto)
    concept.places, concept.complementos = (place,), ()
    element.set_children(concept, {}, ("has_impuestos", "traslados", "retenciones"))
    return concept


def partial_node(kind: type[N], values: Mapping[str, Any], places: tuple[int, ...]) -> N:
    """Return a node with the values of some attributes, and with the numbers and tuples that are made of these.

    An attribute that is not in `values` is absent in the document, unless no key has it: it is not set then. Children
    are not set.
    """
    node, plan = kind.__new__(kind), _plan(kind)
    node.places = places
    for name, attribute, default in plan.attributes:
        setattr(node, name, values.get(attribute, default))
    for name, function, fields in plan.derived:
        sources = [getattr(node, field) for field in fields]
        unknown = any(source is UNKNOWN for source in sources)
        setattr(node, name, UNKNOWN if unknown else function(*sources))
    for name, names in plan.named:
        setattr(node, name, {each: value for each, value in values.items() if each in names})
    return node


_SHARED = tuple(name for name in slots_of(Comprobante) if name not in ROLES)
_UNSET = object()


def copied(root: Comprobante) -> Comprobante:
    """Return a root with the same children, and with the values that are not those of one document."""
    other = Comprobante.__new__(Comprobante)
    other.places = root.places
    for name in _SHARED:
        value = getattr(root, name, _UNSET)
        if value is not _UNSET:
            setattr(other, name, value)
    return other


def rfcs_of(key: bytes) -> frozenset[str]:
    """Return the values of a key that have the form of an RFC."""
    return frozenset([text for value in _RFC.findall(key) if is_rfc(text := value.decode())])


BOUNDS = (Bound("_plan", BoundKind.CACHE, "one for each class of nodes", "There are no further classes."),)
