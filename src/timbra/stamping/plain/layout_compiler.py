"""The layout of plain documents as `timbra._native.PlainReader` reads it: from what is plain, and forms of amounts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from timbra.cfdi.document import CFD4
from timbra.cfdi.nodes import (
    Concepto,
    Node,
)
from timbra.cfdi.nodes.base import fields_of
from timbra.cfdi.nodes.fields import Attribute, Derived, is_row
from timbra.cfdi.structure.valid_forms import ElementForm, Program
from timbra.rules.engine.amount_forms import (
    AmountForm,
    AtMost,
    Balance,
    Covers,
    DecimalsOf,
    DecimalsOfCurrency,
    Difference,
    ExactSum,
    GroupSum,
    NearGroupSum,
    Positive,
    Product,
    RoundedSum,
    form_of,
)
from timbra.rules.engine.rule import AnyRule
from timbra.stamping.plain.layout import (
    ANY_TEXT,
    COMPLEMENTS,
    FULL_KEYS,
    NODES,
    NOWHERE,
    PATHS,
    PAYROLL,
    PRESENT_ONLY,
    RELATED,
    ROLES,
    SEALED,
    SECOND_SECTIONS,
    SECTIONS,
    TYPES,
    UNREAD,
    WHOLE_KEYS,
)

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
    Difference,
    Covers,
    NearGroupSum,
)
"""In the order of `Operation` in plain_documents.pyx."""


class PlainAttribute(NamedTuple):
    """A declared attribute.

    Attributes:
        in_key, is_amount: its sort; neither for an attribute that no rule about a key reads.
        in_full_key, in_whole_key: whether it is in the keys of types of `FULL_KEYS`, and in those with all values.
        number, text, role, sealed: its number among those that forms compare, among the texts by which forms group,
            in `ROLES` and in `SEALED`; -1 for none.
    """

    name: str
    in_key: bool
    is_amount: bool
    in_full_key: bool
    in_whole_key: bool
    number: int
    text: int
    role: int
    sealed: int


class PlainKind(NamedTuple):
    """An element.

    Attributes:
        parent: number of the kind around it, -1 for the root.
        space: number of its namespace in `Layout.spaces`.
        section, also: the sections of its keys.
    """

    name: str
    parent: int
    space: int
    section: int
    also: int
    begins_concept: bool
    holds_complement: bool
    attributes: tuple[PlainAttribute, ...]


class PlainForm(NamedTuple):
    """A form whose attributes are numbers of their kinds; a text of `by` and of `where` is -1 minus its number.

    Attributes:
        types: the types of documents that it concerns, a bit each.
        up, other_up: steps from both nodes to the deepest one that contains them, -1 for the root.
        factor, factor_up: number of the factor, and the steps to its node; -1 for none.
        where: numbers are in millionths.
    """

    operation: int
    types: int
    kind: int
    one: int
    two: int = 0
    three: int = 0
    other: int = -1
    part: int = 0
    up: int = -1
    other_up: int = -1
    by: tuple[tuple[int, int], ...] = ()
    factor: int = -1
    factor_up: int = -1
    where: tuple[tuple[int, str | int], ...] = ()


class Layout(NamedTuple):
    """What `timbra._native.PlainReader` reads.

    Attributes:
        spaces: prefix and namespace of the invoice, then of each complement.
    """

    types: str
    full_keys: str
    whole_keys: str
    spaces: tuple[tuple[str, str], ...]
    kinds: tuple[PlainKind, ...]
    forms: tuple[PlainForm, ...]


def layout_of(programs: Sequence[Program], rules: Iterable[AnyRule]) -> Layout:
    """Return the layout of plain documents.

    Args:
        programs: those of the schemas of the invoice and of each complement.
        rules: those of the invoice and of its complements, of which some state forms of amounts.

    Raises:
        ValueError: a plain invoice would have to be compared with its schema again when it is sealed.
    """
    types: dict[tuple[str, AmountForm], int] = {}
    for rule in rules:
        form = form_of(rule.predicate)
        if form is not None and rule.kind.PATH in NODES:
            of = rule.kind.PATH, form
            types[of] = types.get(of, 0) | sum(
                1 << TYPES.index(each) for each in TYPES if each in (rule.types or TYPES)
            )
    return _Compiler(programs, types).layout()


class _Compiler:
    def __init__(self, programs: Sequence[Program], forms: Mapping[tuple[str, AmountForm], int]) -> None:
        self._programs = programs
        self._forms = forms
        self._numbers: dict[str, list[str]] = {path: [] for path in PATHS}
        self._texts: dict[str, list[str]] = {path: [] for path in PATHS}
        self._texts[RELATED].append("UUID")
        self._factors: set[tuple[str, str]] = set()

    def layout(self) -> Layout:
        forms = tuple([self._form(path, form, types) for (path, form), types in self._forms.items()])
        elements = {"": self._root(0, "Comprobante")}
        sealed = [each.form for each in elements[""].attributes if each.name.decode() in SEALED]
        if {self._programs[0].values[form] for form in sealed} != {ANY_TEXT}:
            raise ValueError("the schema limits the values of the sealed attributes")
        for path in PATHS[1:]:
            parent, _, name = path.rpartition("/")
            if path in COMPLEMENTS:
                elements[path] = self._root(_space(path), name)
            else:
                elements[path] = self._child(_space(path), elements[parent], name)
        kinds = tuple([self._kind(path, element) for path, element in elements.items()])
        spaces = [(each.prefix, each.kind.TAG[1:].partition("}")[0]) for each in COMPLEMENTS.values()]
        return Layout(TYPES, FULL_KEYS, WHOLE_KEYS, (("cfdi", CFD4), *spaces), kinds, forms)

    def _root(self, space: int, name: str) -> ElementForm:
        program = self._programs[space]
        return program.elements[next(number for found, number in program.roots if found.decode() == name)]

    def _child(self, space: int, element: ElementForm, name: str) -> ElementForm:
        numbers = {found.decode(): number for particle in element.particles for found, number in particle.names}
        return self._programs[space].elements[numbers[name]]

    def _kind(self, path: str, element: ElementForm) -> PlainKind:
        parent, _, name = path.rpartition("/")
        attributes = tuple([self._attribute(path, each.name.decode()) for each in element.attributes])
        return PlainKind(
            name or "Comprobante",
            PATHS.index(parent) if path else -1,
            _space(path),
            SECTIONS[path],
            SECOND_SECTIONS.get(path, NOWHERE),
            path == "Conceptos/Concepto",
            path == "Complemento",
            attributes,
        )

    def _attribute(self, path: str, name: str) -> PlainAttribute:
        numbers, texts, is_root = self._numbers[path], self._texts[path], not path
        is_keyed = name in _row_names(path) or (path, name) in self._factors
        is_amount = (name in numbers and not is_keyed) or name in PRESENT_ONLY.get(path, ())
        is_whole, is_concept = f"{path}/".startswith(f"{PAYROLL}/"), path == Concepto.PATH
        is_read = (name in _names_read(path) and not is_whole) or (path in COMPLEMENTS and name == "Version")
        in_key = not is_amount and is_read and name not in UNREAD.get(path, ())
        return PlainAttribute(
            name,
            in_key,
            is_amount,
            is_concept and not is_amount,
            is_concept or (_space(path) > 0 and (is_amount or name in _names_read(path))),
            _index(numbers, name),
            _index(texts, name),
            _index((*ROLES, "TipoDeComprobante"), name) if is_root else -1,
            _index(SEALED, name) if is_root else -1,
        )

    def _form(self, path: str, form: AmountForm, types: int) -> PlainForm:
        one = self._number(path, form.amount)
        plain = PlainForm(_OPERATIONS.index(type(form)), types, PATHS.index(path), one)
        match form:
            case AtMost() | DecimalsOf():
                return plain._replace(two=self._number(path, form.other))
            case Product():
                return plain._replace(one=self._number(path, form.base), two=self._number(path, form.rate), three=one)
            case Difference():
                return plain._replace(two=self._number(path, form.start), three=self._number(path, form.less))
            case ExactSum() | Covers():
                return self._of(plain, path, form.of)
            case RoundedSum():
                other, place = form.of.rpartition("/@")[0], form.times.rpartition("/@")
                where = tuple([self._where(other, name, value) for name, value in form.where])
                plain = self._of(plain, path, form.of)._replace(where=where)
                if not form.times:
                    return plain
                self._factors.add((place[0], place[2]))
                factor = self._number(place[0], place[2])
                return plain._replace(factor=factor, factor_up=_depth(other) - _depth(place[0]))
            case GroupSum() | NearGroupSum():
                other = form.of.rpartition("/@")[0]
                names = [(each, each) if isinstance(each, str) else each for each in form.by]
                by = tuple([(self._group(path, own), self._group(other, of_part)) for own, of_part in names])
                return self._of(plain, path, form.of)._replace(by=by)
            case Balance():
                terms = self._number(path, form.start), self._number(path, form.less)
                minus = self._part(form.minus)[1]
                plain = self._of(plain, path, form.plus)
                return plain._replace(two=terms[0], three=terms[1], by=((minus, 0),))
            case _:
                return plain

    def _of(self, form: PlainForm, path: str, place: str) -> PlainForm:
        """Return the form with the other nodes of a sum."""
        other, part = self._part(place)
        steps, others = path.split("/"), PATHS[other].split("/")
        common = next((n for n, pair in enumerate(zip(steps, others, strict=False)) if pair[0] != pair[1]), None)
        shared = min(len(steps), len(others)) if common is None else common
        while shared and not NODES.get("/".join(steps[:shared]), Node).TEMPLATE.endswith("[{}]"):
            shared -= 1  # one that is alone contains all
        ups = (len(steps) - shared, len(others) - shared) if shared else (-1, -1)
        return form._replace(other=other, part=part, up=ups[0], other_up=ups[1])

    def _part(self, place: str) -> tuple[int, int]:
        path, _, name = place.rpartition("/@")
        return PATHS.index(path), self._number(path, name)

    def _number(self, path: str, name: str) -> int:
        return _added(self._numbers[path], name)

    def _where(self, path: str, name: str, value: str | Decimal) -> tuple[int, str | int]:
        if isinstance(value, Decimal):
            return self._number(path, name), int(value * 1_000_000)
        return -1 - _added(self._texts[path], name), value

    def _group(self, path: str, name: str) -> int:
        is_number = name in self._numbers[path] or name.startswith("TasaOCuota")
        return self._number(path, name) if is_number else -1 - _added(self._texts[path], name)


def _space(path: str) -> int:
    """Return the number of the namespace of a path."""
    heads = [*COMPLEMENTS]
    return next((number for number, head in enumerate(heads, 1) if f"{path}/".startswith(f"{head}/")), 0)


def _depth(path: str) -> int:
    return path.count("/")


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
