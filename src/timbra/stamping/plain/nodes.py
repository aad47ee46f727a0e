"""Nodes with nothing but what a key says: a rule that reads more raises an error, so its result is of the key only.

An amount that is present is `UNKNOWN`, and so is every sum of it. What a key does not have is not set, and reading it
raises AttributeError.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn, TypeVar

from timbra.cfdi.nodes import Comprobante, Concepto, Emisor, ImpuestosTotales, InformacionGlobal, Node, Receptor
from timbra.cfdi.nodes.base import fields_of
from timbra.cfdi.nodes.fields import Attribute, Derived
from timbra.cfdi.nodes.impuestos import Retencion, RetencionTotal, Traslado, TrasladoTotal
from timbra.stamping.plain.layout import NODES, PATHS, UNREAD, Layout

N = TypeVar("N", bound=Node)
_ELEMENT = re.compile(rb"\x01(.)([^\x01]*)", re.DOTALL)
_ATTRIBUTE = re.compile(rb"([\x02\x03])(.)([^\x02\x03]*)", re.DOTALL)
_LEAST_IDENTIFIER = 32


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
        """Return a root with its issuer and without its other children."""
        root, children = None, []
        for path, values in self.elements(key):
            if root is None:
                root = partial_node(Comprobante, values, ())
            else:
                children.append(partial_node(NODES[path], values, (0,)))
        assert root is not None  # noqa: S101 - the reader writes the root first
        root.emisor = next(each for each in children if isinstance(each, Emisor))
        root.informacion_global = next((each for each in children if isinstance(each, InformacionGlobal)), None)
        root.complementos, root.relacionados, root.addenda, root.by_kind = (), (), None, {}
        return root

    def receiver(self, key: bytes) -> Receptor:
        [(_, values)] = self.elements(key)
        return partial_node(Receptor, values, (0,))

    def concept(self, key: bytes) -> Concepto:
        """Return a Concepto with its taxes."""
        [concept], _ = self._concepts(key, _concept)
        return concept

    def tail(self, key: bytes) -> tuple[list[Concepto], ImpuestosTotales | None]:
        """Return the Conceptos, of which only the taxes are known, and the totals."""
        return self._concepts(key, _bare_concept)

    def _concepts(
        self, key: bytes, make: Callable[[Values, int], Concepto]
    ) -> tuple[list[Concepto], ImpuestosTotales | None]:
        concepts: list[Concepto] = []
        totals: ImpuestosTotales | None = None
        for path, values in self.elements(key):
            kind = NODES.get(path)
            if kind is Concepto:
                concepts.append(make(values, len(concepts) + 1))
            elif kind is Traslado:
                own = concepts[-1]
                own.traslados += (partial_node(Traslado, values, (*own.places, len(own.traslados) + 1)),)
            elif kind is Retencion:
                own = concepts[-1]
                own.retenciones += (partial_node(Retencion, values, (*own.places, len(own.retenciones) + 1)),)
            elif kind is ImpuestosTotales:
                totals = _totals(values)
            elif totals is not None:
                _add_to_totals(totals, path, kind, values)
            elif path == "Conceptos/Concepto/Impuestos":
                concepts[-1].has_impuestos = True
        return concepts, totals


def _concept(values: Values, place: int) -> Concepto:
    return _without_children(partial_node(Concepto, values, (place,)))


def _bare_concept(_values: Values, place: int) -> Concepto:
    concept = Concepto.__new__(Concepto)
    concept.places = (place,)
    return _without_children(concept)


def _without_children(concept: Concepto) -> Concepto:
    concept.has_impuestos, concept.a_cuenta_terceros = False, None
    concept.traslados, concept.retenciones = (), ()
    concept.aduanas, concept.partes, concept.complementos = (), (), ()
    return concept


def _totals(values: Values) -> ImpuestosTotales:
    totals = partial_node(ImpuestosTotales, values, (0,))
    totals.has_retenciones = totals.has_traslados = False
    totals.retenciones, totals.traslados = (), ()
    return totals


def _add_to_totals(totals: ImpuestosTotales, path: str, kind: type[Node] | None, values: Values) -> None:
    if kind is RetencionTotal:
        totals.retenciones += (partial_node(RetencionTotal, values, (0, len(totals.retenciones) + 1)),)
    elif kind is TrasladoTotal:
        totals.traslados += (partial_node(TrasladoTotal, values, (0, len(totals.traslados) + 1)),)
    elif path == "Impuestos/Retenciones":
        totals.has_retenciones = True
    else:
        totals.has_traslados = True


def partial_node(kind: type[N], values: Mapping[str, Any], places: tuple[int, ...]) -> N:
    """Return a node with the values of some attributes, and with the numbers and tuples that are made of these.

    An attribute that is not in `values` is absent in the document, unless no key has it: it is not set then.
    """
    node = kind.__new__(kind)
    node.places = places
    fields = fields_of(kind)
    for name, field in fields.items():
        if isinstance(field, Attribute) and name not in _unread(kind):
            setattr(node, name, values.get(field.name or name, field.default))
        elif isinstance(field, Derived) and not _unread(kind).intersection(field.sources):
            sources = [getattr(node, source) for source in field.sources]
            unknown = any(source is UNKNOWN for source in sources)
            setattr(node, name, UNKNOWN if unknown else field.function(*sources))
    return node


def copied(root: Comprobante) -> Comprobante:
    """Return a root with the same values and children."""
    other = Comprobante.__new__(Comprobante)
    for base in type(root).__mro__:
        for name in getattr(base, "__slots__", ()):
            if hasattr(root, name):
                setattr(other, name, getattr(root, name))
    return other


def _unread(kind: type[Node]) -> frozenset[str]:
    return UNREAD if kind is Comprobante else frozenset()
