"""Which elements a plain invoice has, and what of their attributes the rules read.

An attribute is of one of three sorts. The value of a key attribute is part of the key of its section: rules that read
only key attributes are evaluated once for equal keys. An amount is compared by the forms of the rules, and a key says
only that it is present. The others are read by no rule that is evaluated for a key.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from timbra.cfdi.document import CFD4
from timbra.cfdi.nodes import (
    Comprobante,
    Concepto,
    Emisor,
    ImpuestosTotales,
    InformacionGlobal,
    Node,
    Receptor,
    RetencionTotal,
    TrasladoTotal,
)
from timbra.cfdi.nodes.base import fields_of
from timbra.cfdi.nodes.fields import Attribute, Derived, is_row
from timbra.cfdi.nodes.impuestos import Retencion, Traslado
from timbra.cfdi.structure.valid_forms import ElementForm, Program
from timbra.cfdi.structure.value_forms import TEXT, ValueForm
from timbra.rules.engine.amount_forms import (
    AmountForm,
    AtMost,
    Balance,
    DecimalsOf,
    DecimalsOfCurrency,
    ExactSum,
    GroupSum,
    Positive,
    Product,
    RoundedSum,
    form_of,
)
from timbra.rules.engine.rule import AnyRule

HEADER, RECEIVER, CONCEPT, TAIL, NOWHERE = range(5)
SEALED = ("NoCertificado", "Certificado", "Sello")
ROLES = ("Serie", "Folio", "Fecha", "Total", *SEALED)
"""Attributes of the root whose texts are read of every document."""
ANY_TEXT = ValueForm(TEXT, collapses=True)
UNREAD = frozenset({*ROLES, "CondicionesDePago"})
"""Attributes of the root that no rule about a key may read."""
SECTIONS: Mapping[str, int] = {
    "": HEADER,
    "InformacionGlobal": HEADER,
    "Emisor": HEADER,
    "Receptor": RECEIVER,
    "Conceptos": NOWHERE,
    "Conceptos/Concepto": CONCEPT,
    "Conceptos/Concepto/Impuestos": CONCEPT,
    "Conceptos/Concepto/Impuestos/Traslados": CONCEPT,
    "Conceptos/Concepto/Impuestos/Traslados/Traslado": CONCEPT,
    "Conceptos/Concepto/Impuestos/Retenciones": CONCEPT,
    "Conceptos/Concepto/Impuestos/Retenciones/Retencion": CONCEPT,
    "Impuestos": TAIL,
    "Impuestos/Retenciones": TAIL,
    "Impuestos/Retenciones/Retencion": TAIL,
    "Impuestos/Traslados": TAIL,
    "Impuestos/Traslados/Traslado": TAIL,
}
"""The elements of a plain invoice, by path below the root, each with the section of its key."""
PATHS = tuple(SECTIONS)
TAXES = tuple(path for path in PATHS if path.startswith("Conceptos/Concepto/"))
NODES: Mapping[str, type[Node]] = {
    kind.PATH: kind
    for kind in (
        Comprobante,
        InformacionGlobal,
        Emisor,
        Receptor,
        Concepto,
        Traslado,
        Retencion,
        ImpuestosTotales,
        RetencionTotal,
        TrasladoTotal,
    )
}
_OPERATIONS: tuple[type[AmountForm], ...] = (
    Positive,
    AtMost,
    DecimalsOfCurrency,
    DecimalsOf,
    Product,
    ExactSum,
    RoundedSum,
    GroupSum,
    Balance,
)
"""In the order of `Operation` in plain_documents.pyx."""


class PlainAttribute(NamedTuple):
    """A declared attribute.

    Attributes:
        in_key, is_amount: its sort; neither for an attribute that no rule about a key reads.
        number, text, role, sealed: its number among those that forms compare, among the texts by which forms group,
            in `ROLES` and in `SEALED`; -1 for none.
    """

    name: str
    in_key: bool
    is_amount: bool
    number: int
    text: int
    role: int
    sealed: int


class PlainKind(NamedTuple):
    """An element; `parent` is the number of the kind around it, -1 for the root."""

    name: str
    parent: int
    section: int
    begins_concept: bool
    in_tail: bool
    attributes: tuple[PlainAttribute, ...]


class PlainForm(NamedTuple):
    """A form whose attributes are numbers of their kinds; a text of `by` is -1 minus its number."""

    operation: int
    kind: int
    one: int
    two: int = 0
    three: int = 0
    other: int = -1
    part: int = 0
    by: tuple[tuple[int, int], ...] = ()


class Layout(NamedTuple):
    """What `timbra._native.PlainReader` reads."""

    prefix: str
    namespace: str
    kinds: tuple[PlainKind, ...]
    forms: tuple[PlainForm, ...]


def layout_of(program: Program, rules: Iterable[AnyRule]) -> Layout:
    """Return the layout of plain invoices.

    Args:
        program: that of the schema of the invoice.
        rules: those of the invoice, of which some state forms of amounts.

    Raises:
        ValueError: a plain invoice would have to be compared with its schema again when it is sealed.
    """
    stated = [(rule.kind.PATH, form) for rule in rules if (form := form_of(rule.predicate)) is not None]
    forms = list(dict.fromkeys((path, form) for path, form in stated if path in NODES))
    return _Compiler(program, forms).layout()


class _Compiler:
    def __init__(self, program: Program, forms: Sequence[tuple[str, AmountForm]]) -> None:
        self._program = program
        self._forms = forms
        self._numbers: dict[str, list[str]] = {path: [] for path in PATHS}
        self._texts: dict[str, list[str]] = {path: [] for path in PATHS}

    def layout(self) -> Layout:
        forms = tuple([self._form(path, form) for path, form in self._forms])
        root = next(number for name, number in self._program.roots if name == b"Comprobante")
        elements = {"": self._program.elements[root]}
        sealed = [each.form for each in elements[""].attributes if each.name.decode() in SEALED]
        if {self._program.values[form] for form in sealed} != {ANY_TEXT}:
            raise ValueError("the schema limits the values of the sealed attributes")
        for path in PATHS[1:]:
            parent, _, name = path.rpartition("/")
            elements[path] = self._child(elements[parent], name)
        kinds = tuple([self._kind(path, element) for path, element in elements.items()])
        return Layout("cfdi", CFD4, kinds, forms)

    def _child(self, element: ElementForm, name: str) -> ElementForm:
        numbers = {found.decode(): number for particle in element.particles for found, number in particle.names}
        return self._program.elements[numbers[name]]

    def _kind(self, path: str, element: ElementForm) -> PlainKind:
        parent, _, name = path.rpartition("/")
        attributes = tuple([self._attribute(path, each.name.decode()) for each in element.attributes])
        number = PATHS.index(parent) if path else -1
        is_concept = path == "Conceptos/Concepto"
        return PlainKind(
            name or "Comprobante", number, SECTIONS[path], is_concept, is_concept or path in TAXES, attributes
        )

    def _attribute(self, path: str, name: str) -> PlainAttribute:
        numbers, texts, is_root = self._numbers[path], self._texts[path], not path
        is_amount = name in numbers and name not in _row_names(path)
        in_key = not is_amount and name in _names_read(path) and not (is_root and name in UNREAD)
        return PlainAttribute(
            name,
            in_key,
            is_amount,
            _index(numbers, name),
            _index(texts, name),
            _index(ROLES, name) if is_root else -1,
            _index(SEALED, name) if is_root else -1,
        )

    def _form(self, path: str, form: AmountForm) -> PlainForm:
        operation, kind, one = _OPERATIONS.index(type(form)), PATHS.index(path), self._number(path, form.amount)
        match form:
            case AtMost() | DecimalsOf():
                return PlainForm(operation, kind, one, self._number(path, form.other))
            case Product():
                factors = self._number(path, form.base), self._number(path, form.rate)
                return PlainForm(operation, kind, *factors, one)
            case ExactSum() | RoundedSum():
                return PlainForm(operation, kind, one, 0, 0, *self._part(form.of))
            case GroupSum():
                other = form.of.rpartition("/@")[0]
                by = tuple([(self._group(path, name), self._group(other, name)) for name in form.by])
                return PlainForm(operation, kind, one, 0, 0, *self._part(form.of), by)
            case Balance():
                terms = self._number(path, form.start), self._number(path, form.less)
                minus = self._part(form.minus)[1]
                return PlainForm(operation, kind, one, *terms, *self._part(form.plus), ((minus, 0),))
            case _:
                return PlainForm(operation, kind, one)

    def _part(self, place: str) -> tuple[int, int]:
        path, _, name = place.rpartition("/@")
        return PATHS.index(path), self._number(path, name)

    def _number(self, path: str, name: str) -> int:
        return _added(self._numbers[path], name)

    def _group(self, path: str, name: str) -> int:
        is_number = name in self._numbers[path] or name == "TasaOCuota"
        return self._number(path, name) if is_number else -1 - _added(self._texts[path], name)


def _added(names: list[str], name: str) -> int:
    if name not in names:
        names.append(name)
    return names.index(name)


def _index(names: Sequence[str], name: str) -> int:
    return names.index(name) if name in names else -1


def _names_read(path: str) -> frozenset[str]:
    """Return the attributes that the nodes of a path read."""
    fields = fields_of(NODES[path]) if path in NODES else {}
    return frozenset(field.name or name for name, field in fields.items() if isinstance(field, Attribute))


def _row_names(path: str) -> frozenset[str]:
    """Return the attributes that are part of a tuple by which taxes are summed."""
    fields = fields_of(NODES[path]) if path in NODES else {}
    rows = [field.sources for field in fields.values() if isinstance(field, Derived) and is_row(field)]
    return frozenset(name for sources in rows for name in sources)
