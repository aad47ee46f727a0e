"""Candidate edits for a finding: what its texts, the document and the catalogs state about the place.

A candidate is only possible; `timbra.validation.proposed_fixes` evaluates the document with it. No candidate makes data
up: a value is one that the finding states, a key of a catalog, or one that the document has for the same attribute.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from difflib import SequenceMatcher
from itertools import chain

from lxml import etree

from timbra.validation.xpath_view import attribute_of, attribute_path, element_of, path_of

MAX_KEYS = 120
"""Keys of one catalog that are tried."""
LARGE = 400
"""Keys of a catalog of which only those are tried that begin like the value."""
MAX_VALUES = 20
"""Values of the same attribute in other places that are tried."""
_TOKEN = re.compile(r"«[^»]*»|[^\s,;:()«»]+")
_NAME = re.compile(r"[A-ZÁÉÍÓÚÑ][A-Za-zÁÉÍÓÚÑáéíóúñ]*[a-zñáéíóú][A-Za-zÁÉÍÓÚÑáéíóúñ0-9]*")
_CATALOG = re.compile(r"\bc_[A-Za-z_]+")
_DECIMALS = re.compile(r"(\d+) decimales")
_AMOUNT = re.compile(r"-?\d+(?:\.\d+)?")
_AMOUNT_NAME = re.compile(r"Importe|Total|Monto|Mont|Base|Descuento|Valor|Imp|Saldo|Cantidad|TipoCambio")
_BETWEEN = re.compile(r"entre (-?[\d.]+) y (-?[\d.]+)")
_MONTH = re.compile(r"\b\d{4}-\d\d\b(?!-)")
_REASON = re.compile(r",? (?:por|con|sin|como) .*")
_VALUE_OF = re.compile(r"\b[A-Z][A-Za-z]*[a-z] (?:\d|[A-Z])\S*")
"""The value of another attribute in a text: `Municipio 015`."""
_PHRASE = re.compile(
    r"(?:el|la|los|las|entre|al menos|un|una|uno|otra?|que|solo|más|al|a|de|con|sin|ningún|ninguna|mayor)\b"
)
"""The start of a text that describes a value and is none."""
ABSENCE = ("que no exista", "que solo exista", "un solo nodo", "ningún", "ninguna ")
_MISPLACED = "en Comprobante/Complemento"
HOLDERS = ("Complemento", "ComplementoConcepto")
"""Elements that hold complements; the schema does not accept them empty."""
ACCEPTED = "uno de estos valores: "
"""Start of what the structure expects of an attribute whose schema enumerates its values."""
REQUIRED = "la regla pide que no exista"
EXPECTED = "el valor que la regla espera"
ACCEPTABLE = "uno de los valores que la regla acepta"

Keys = Callable[[str, str], Iterable[str]]
"""Returns the keys of a catalog, or of the catalog of an attribute, by the names of a rule set and of either."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A finding of a rule or of the structure, as far as candidates read it; the fields are those of `Finding`."""

    code: str
    path: str
    found: str | None = None
    expected: str | None = None
    expected_value: str | None = None
    hint: str | None = None
    rule_set: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of one place of a document.

    Attributes:
        path: path from the root, with indexes and without prefixes; it ends with an attribute, or with an element.
        old: the value before the change; the start tag of an element; None when the place is absent.
        new: the value after the change, the XML of an element; None when the place is removed.
    """

    path: str
    old: str | None
    new: str | None

    @property
    def changes_amount(self) -> bool:
        """Whether the edit changes, adds or removes an amount."""
        values = [value for value in (self.old, self.new) if value is not None]
        name = self.path.rpartition("@")[2]
        return all(_AMOUNT.fullmatch(value) for value in values) and (
            _AMOUNT_NAME.search(name) is not None or any("." in value for value in values)
        )


@dataclass(frozen=True, slots=True)
class Candidate:
    """Edits that may remove a finding.

    Attributes:
        edits: in the order in which they are applied.
        is_stated: whether the finding states the edit; otherwise it is one of several that are possible.
        reason: where the values come from, in Spanish.
    """

    edits: tuple[Edit, ...]
    is_stated: bool
    reason: str


def candidates(root: etree._Element, problem: Problem, keys: Keys) -> Iterator[Candidate]:
    """Yield the candidates for a finding, the most likely first, in an order that the document determines."""
    place = _Place.of(root, problem, keys)
    seen: set[tuple[Edit, ...]] = set()
    for each in () if place is None else place.candidates():
        if each.edits not in seen and all(edit.old != edit.new for edit in each.edits):
            seen.add(each.edits)
            yield each


def named_attributes(root: etree._Element, problem: Problem) -> list[str]:
    """Return the paths of the place, and of the attributes that the texts name as the reason with their value."""
    place = _Place.of(root, problem, lambda *_: ())
    if place is None:
        return []
    absent = [attribute_path(place.element, name) for name in place.names if name not in place.element.attrib]
    return [*([problem.path] if place.attribute else absent), *(path for path, _ in place.reasons())]


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of a finding in a document, with the texts of the finding.

    Attributes:
        names: names of attributes and elements in the texts, without that of the place.
    """

    root: etree._Element
    problem: Problem
    keys: Keys
    element: etree._Element
    attribute: str
    text: str
    names: tuple[str, ...]

    @classmethod
    def of(cls, root: etree._Element, problem: Problem, keys: Keys) -> _Place | None:
        """Return the place; None when the document does not have its element."""
        attribute = attribute_of(problem.path) or ""
        element = element_of(root, problem.path.rpartition("@")[0].rstrip("/") if attribute else problem.path)
        if element is None:
            element, attribute = _absent_element(root, problem.path), ""
        if element is None:
            return None
        text = " ".join(filter(None, (problem.expected, problem.hint)))
        names = tuple(name for name in dict.fromkeys(_NAME.findall(text)) if name != attribute)
        return cls(root, problem, keys, element, attribute, text, names)

    def candidates(self) -> Iterator[Candidate]:
        expected = self.problem.expected or ""
        if _MISPLACED in expected:
            yield from self._moved()
        if expected.startswith(ABSENCE):
            yield from self._removals(is_stated=True)
            yield from self._found_removals()
        yield from self._stated_values()
        yield from self._amounts()
        yield from self._dates()
        yield from self._text_values()
        yield from self._values_by_name()
        yield from self._equal_places()
        yield from self._same_attribute()
        yield from self._keys_of(self.attribute, attribute_path(self.element, self.attribute), self.current)
        yield from self._additions()
        yield from self._removals(is_stated=False)
        yield from self._found_removals()
        yield from self._joint_removals()
        for path, name in self.reasons():
            holder = element_of(self.root, path.rpartition("@")[0].rstrip("/"))
            yield from self._keys_of(name, path, None if holder is None else holder.get(name))
        yield from self._removals_by_name()
        yield from self._removed_element()

    @property
    def current(self) -> str | None:
        """The value of the attribute in the document."""
        return self.element.get(self.attribute) if self.attribute else None

    def reasons(self) -> Iterator[tuple[str, str]]:
        """Yield path and name of the attributes that the texts name with their value: `por TipoPercepcion 019`."""
        for name in self.names:
            holder = self._holder(name)
            if holder is not None and re.search(rf"\b{name} {re.escape(holder.get(name) or '')}(?!\w)", self.text):
                yield attribute_path(holder, name), name

    def _set(self, value: str | None, reason: str, *, name: str = "", is_stated: bool = False) -> Iterator[Candidate]:
        name = name or self.attribute
        if name:
            edit = Edit(attribute_path(self.element, name), self.element.get(name), value)
            yield Candidate((edit,), is_stated, reason)

    def _stated_values(self) -> Iterator[Candidate]:
        value = self.problem.expected_value
        if value is not None:
            yield from self._set(value, EXPECTED, is_stated=True)
        first, comma, _ = (self.problem.expected or "").partition(", ")
        if comma and not _PHRASE.match(first) and not re.search(": | o ", first):
            yield from self._set(first, EXPECTED, is_stated=True)

    def _amounts(self) -> Iterator[Candidate]:
        """Yield the amount between two limits, and the amount with the decimals that the rule accepts."""
        amount, between = _decimal(self.current), _BETWEEN.search(self.problem.expected or "")
        if between is not None:
            low, high = Decimal(between[1]), Decimal(between[2])
            unit = Decimal(1).scaleb(int((low if amount is None else amount).as_tuple().exponent))
            middle = ((low + high) / 2).quantize(unit, ROUND_HALF_UP)
            yield from self._set(f"{middle:f}", "el importe entre los límites que la regla acepta", is_stated=True)
        places = _DECIMALS.search(self.text)
        if amount is not None and places is not None:
            rounded = amount.quantize(Decimal(1).scaleb(-int(places[1])), ROUND_HALF_UP)
            yield from self._set(f"{rounded:f}", f"redondeado a {places[0]}", is_stated=True)
        if amount is not None and amount < 0:
            yield from self._set(f"{-amount:f}", "el importe sin signo")

    def _dates(self) -> Iterator[Candidate]:
        digits = re.findall(r"\d+", self.current or "")
        if "AAAA-MM-DD" in self.text and len(digits) >= 3:
            parts = [*digits, "00", "00", "00"][:6]
            moment = f"{'-'.join(parts[:3])}T{':'.join(parts[3:])}"
            yield from self._set(moment, "la misma fecha con la forma que la regla acepta", is_stated=True)
        for month in _MONTH.findall(self.text):
            for day in ("31", "30", "29", "28"):
                yield from self._set(f"{month}-{day}", "el último día del mes que la regla nombra")

    def _text_values(self) -> Iterator[Candidate]:
        """Yield the values in the texts: those of a list by their distance from the amount, then all in order."""
        expected = self.problem.expected or ""
        _, colon, listed = expected.rpartition(": ")
        if colon:
            if not _PHRASE.match(listed) and ", " not in listed:
                yield from self._set(listed, EXPECTED, is_stated=True)
            amount = _decimal(self.current) or Decimal(0)
            values = [value for value in _TOKEN.findall(listed) if _AMOUNT.fullmatch(value)]
            for value in sorted(values, key=lambda value: abs(Decimal(value) - amount)):
                yield from self._set(value, ACCEPTABLE)
        if _CATALOG.search(self.text):
            return
        for text in (expected, self.problem.hint or ""):
            for token in _TOKEN.findall(_REASON.sub("", _VALUE_OF.sub("", text))):
                value = token.strip("«».")
                if value and (value[0].isupper() or value[0].isdigit()) and not self._is_name(value):
                    yield from self._set(value, ACCEPTABLE)

    def _is_name(self, word: str) -> bool:
        """Whether a word of a text is the name of an attribute or element, and no value."""
        if re.search(r"[a-z][A-Z]", word):
            return True
        return any(word in each.attrib or word == etree.QName(each).localname for each in self.root.iter(etree.Element))

    def _values_by_name(self) -> Iterator[Candidate]:
        """Yield values that the texts state for another attribute, such as `Municipio 015`."""
        for name in self.names:
            holder = self._holder(name)
            for match in () if holder is None else re.finditer(rf"\b{name} ([^\s,;:()]+)", self.text):
                value = match[1].rstrip(".")
                if holder is not None and (value[0].isdigit() or value.isupper()):
                    edit = Edit(attribute_path(holder, name), holder.get(name), value)
                    yield Candidate((edit,), False, f"el valor de {name} que el hallazgo nombra")

    def _equal_places(self) -> Iterator[Candidate]:
        """Yield the values of attributes that the texts name, and the value of the place for these."""
        expected = _REASON.sub("", _VALUE_OF.sub("", self.problem.expected or ""))
        for name in (each for each in self.names if re.search(rf"\b{each}\b", expected)):
            holder = self._holder(name)
            if holder is not None:
                yield from self._set(holder.get(name), f"el valor de {name}")
                if self.current is not None and holder.get(name) is not None:
                    edit = Edit(attribute_path(holder, name), holder.get(name), self.current)
                    yield Candidate((edit,), False, f"el valor de {self.attribute}")

    def _keys_of(self, name: str, path: str, value: str | None) -> Iterator[Candidate]:
        """Yield the keys of the catalog that the finding names, or of that of the attribute."""
        named = _CATALOG.findall(self.text) if name == self.attribute else []
        for catalog in dict.fromkeys((*named, name)) if name else ():
            for key in nearest(value or "", self.keys(self.problem.rule_set, catalog))[:MAX_KEYS]:
                source = catalog if catalog.startswith("c_") else f"su catálogo ({catalog})"
                yield Candidate((Edit(path, value, key),), False, f"una clave de {source}")

    def _same_attribute(self) -> Iterator[Candidate]:
        """Yield the values of the same attribute in other places."""
        if self.attribute:
            values = [each.get(self.attribute) for each in self.root.iter(etree.Element)]
            for value in list(dict.fromkeys(filter(None, values)))[:MAX_VALUES]:
                yield from self._set(value, f"el valor de otro {self.attribute} del documento")

    def _additions(self) -> Iterator[Candidate]:
        """Add attributes that the texts name, with the values of the same attributes elsewhere."""
        for name in self.names:
            holder = None if name in self.element.attrib else self._holder(name)
            if holder is not None:
                yield from self._set(holder.get(name), f"el valor de {name} de otro elemento", name=name)

    def _removals(self, *, is_stated: bool) -> Iterator[Candidate]:
        reason = REQUIRED if is_stated else "sin él se cumple la regla"
        if self.attribute and self.current is not None:
            yield from self._set(None, reason, is_stated=is_stated)
        elif not self.attribute and is_stated and self.problem.found is not None:
            yield from _removal(self.element, reason, is_stated=True)

    def _found_removals(self) -> Iterator[Candidate]:
        """Remove the attributes, and the elements in the place or beside it, that the found value names."""
        names = [name for name in dict.fromkeys(_NAME.findall(self.problem.found or "")) if name != self.attribute]
        holders = [(name, self._holder(name)) for name in names]
        edits = [Edit(attribute_path(each, name), each.get(name), None) for name, each in holders if each is not None]
        parent = self.element.getparent()
        parents = [each for each in (self.element, parent) if each is not None]
        around = chain.from_iterable(each.iterchildren(etree.Element) for each in parents)
        beside = [each for each in around if each is not self.element]
        removed = [each for each in reversed(beside) if etree.QName(each).localname in names]
        edits += [Edit(path_of(each), start_tag(each), None) for each in removed]
        if edits:
            yield Candidate(tuple(edits), True, REQUIRED)

    def _joint_removals(self) -> Iterator[Candidate]:
        names = [name for name in (self.attribute, *self.names) if name and name in self.element.attrib]
        edits = tuple(Edit(attribute_path(self.element, name), self.element.get(name), None) for name in names)
        for several in (edits, edits[1:]):
            if len(several) > 1:
                yield Candidate(several, False, "sin ellos se cumple la regla")

    def _removals_by_name(self) -> Iterator[Candidate]:
        """Remove what the texts name: attributes, and elements in the element of the place or beside it."""
        for name in self.names:
            holder = self._holder(name)
            if holder is not None:
                edit = Edit(attribute_path(holder, name), holder.get(name), None)
                yield Candidate((edit,), False, f"sin {name} se cumple la regla")
            for parent in (self.element, self.element.getparent()):
                for child in () if parent is None else parent.iterchildren(f"{{*}}{name}"):
                    yield from _removal(child, f"sin {name} se cumple la regla")

    def _removed_element(self) -> Iterator[Candidate]:
        element = self.element
        if not self.attribute and not self.problem.path.endswith("]") and element.getparent() is not None:
            *_, element = (element, *element.itersiblings(element.tag))
        yield from _removal(element, "sin el elemento se cumple la regla")

    def _moved(self) -> Iterator[Candidate]:
        """Move the complement of a concept to the document."""
        name = etree.QName(self.element).localname
        text = etree.tostring(self.element, with_tail=False, encoding="unicode")
        for removal in _removal(self.element, "el complemento va en el Complemento del comprobante", is_stated=True):
            if element_of(self.root, f"Complemento/{name}") is None:
                yield Candidate((*removal.edits, Edit(f"Complemento/{name}", None, text)), True, removal.reason)
            else:
                yield removal

    def _holder(self, name: str) -> etree._Element | None:
        """Return the nearest element with the attribute: the place, its ancestors, then the first of the document."""
        element: etree._Element | None = self.element
        while element is not None:
            if name in element.attrib:
                return element
            element = element.getparent()
        return next((each for each in self.root.iter(etree.Element) if name in each.attrib), None)


def _removal(element: etree._Element, reason: str, *, is_stated: bool = False) -> Iterator[Candidate]:
    """Yield the removal of an element, and of its parent when it is all that it has; of a complement when stated."""
    parent = element.getparent()
    if parent is None:
        return
    if etree.QName(parent).localname in HOLDERS and not is_stated:
        return
    removed = parent if etree.QName(parent).localname in HOLDERS and len(parent) == 1 else element
    yield Candidate((Edit(path_of(removed), start_tag(removed), None),), is_stated, reason)
    if len(parent) == 1 and removed is element and parent.getparent() is not None and not is_stated:
        yield Candidate((Edit(path_of(parent), start_tag(parent), None),), False, reason)


def _absent_element(root: etree._Element, path: str) -> etree._Element | None:
    """Return the parent of an element that the document does not have."""
    return element_of(root, path.partition("/@")[0].rpartition("/")[0])


def nearest(value: str, keys: Iterable[str]) -> list[str]:
    """Return the keys most like a value first; of a large catalog those that begin like it."""
    known, length = list(keys), len(value)
    while len(known) > LARGE and length:
        alike = [key for key in known if key[:length] == value[:length]]
        known, length = (alike[:LARGE], 0) if alike else (known, length - 1)
    return sorted(known[:LARGE], key=lambda key: (-SequenceMatcher(None, value, key).quick_ratio(), key))


def _decimal(text: str | None) -> Decimal | None:
    try:
        return None if text is None else Decimal(text)
    except InvalidOperation:
        return None


def start_tag(element: etree._Element) -> str:
    """Return the start tag of an element without namespaces, for display."""
    attributes = "".join(f' {etree.QName(name).localname}="{value!s}"' for name, value in element.attrib.items())
    return f"<{etree.QName(element).localname}{attributes}{'>' if len(element) else '/>'}"
