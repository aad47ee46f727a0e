"""Programs of the one-sided structure check: what a schema declares, in the form that `timbra._native` reads.

`ValidForms` accepts documents that are valid by a schema, without libxml2, and leaves every other document to it. A
program has only declarations whose meaning is plain; an element or attribute that a schema declares by other means
(extensions, named groups, built-in types of no program) is never accepted, so that libxml2 decides about it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree

from timbra.cfdi.snapshot_xml import trusted_document
from timbra.cfdi.structure.value_forms import XS, UnsupportedDeclarationError, ValueForm, find_type, value_form_of

if TYPE_CHECKING:
    from timbra.snapshot import Snapshot

UNBOUNDED = -1
EMPTY, ELEMENTS, LAX, SKIP = range(4)
"""Content of an element: none, declared elements, any elements without declaration, anything."""


class AttributeForm(NamedTuple):
    """A declared attribute; `form` is the number of its values, -1 for those that are not accepted."""

    name: bytes
    required: bool
    form: int


class Particle(NamedTuple):
    """Elements of some names in a content; without names, elements of any name.

    Attributes:
        most: -1 without a limit.
        names: name and number of each element.
    """

    least: int
    most: int
    names: tuple[tuple[bytes, int], ...]


class ElementForm(NamedTuple):
    """A declared element; `content` is -1 for one that is not accepted."""

    content: int
    attributes: tuple[AttributeForm, ...]
    particles: tuple[Particle, ...]


class Program(NamedTuple):
    """The declarations of one schema.

    Attributes:
        namespace: that of the elements.
        declared: all namespaces whose elements have declarations; none may be inside of `LAX` content.
        root: name and number of each global element.
    """

    namespace: bytes
    declared: tuple[bytes, ...]
    roots: tuple[tuple[bytes, int], ...]
    elements: tuple[ElementForm, ...]
    values: tuple[ValueForm, ...]


def compile_program(snapshot: Snapshot, file: str) -> Program | None:
    """Return the program of a schema of the snapshot, as `program_of`.

    Args:
        snapshot: has the schema and those that it imports.
        file: name of the schema.

    Raises:
        ServiceError: "snapshot-damaged" when a schema cannot be read.
    """
    return program_of(list(_schemas(snapshot, file, set())))


def program_of(schemas: list[etree._Element]) -> Program | None:
    """Return the program of a schema; None for schemas that declare elements by other means.

    Args:
        schemas: the schema, then those that it imports.
    """
    by_namespace = {str(schema.get("targetNamespace")): schema for schema in schemas}
    if len(by_namespace) < len(schemas) or any(map(_has_other_parts, schemas)):
        return None
    if schemas[0].get("elementFormDefault") != "qualified":
        return None
    return _Compiler(by_namespace).program(schemas[0])


def _schemas(snapshot: Snapshot, file: str, seen: set[str]) -> Iterator[etree._Element]:
    seen.add(file)
    root = trusted_document(snapshot, "xsd", file)
    yield root
    for link in root.iterfind(f"{XS}import"):
        name = posixpath.basename(str(link.get("schemaLocation")))
        if name not in seen:
            yield from _schemas(snapshot, name, seen)


def _has_other_parts(schema: etree._Element) -> bool:
    """Whether a schema has global attributes, groups or included files."""
    known = {f"{XS}{name}" for name in ("import", "element", "complexType", "simpleType", "annotation")}
    return any(child.tag not in known for child in schema.iterchildren(etree.Element))


class _Compiler:
    """Compiles the declarations of some schemas.

    Args:
        schemas: by target namespace.
    """

    def __init__(self, schemas: dict[str, etree._Element]) -> None:
        self._schemas = schemas
        self._elements: list[ElementForm | None] = []
        self._numbers: dict[etree._Element, int] = {}
        self._values: list[ValueForm] = []
        self._forms: dict[Any, int] = {}

    def program(self, schema: etree._Element) -> Program:
        roots = tuple([(_name(root), self._element(root)) for root in schema.iterfind(f"{XS}element")])
        return Program(
            str(schema.get("targetNamespace")).encode(),
            tuple(namespace.encode() for namespace in self._schemas),
            roots,
            tuple(form for form in self._elements if form is not None),
            tuple(self._values),
        )

    def _element(self, declared: etree._Element) -> int:
        """Return the number of an element."""
        if declared in self._numbers:
            return self._numbers[declared]
        number = self._numbers[declared] = len(self._elements)
        self._elements.append(None)
        try:
            self._elements[number] = self._form(declared)
        except UnsupportedDeclarationError:
            self._elements[number] = ElementForm(-1, (), ())
        return number

    def _form(self, declared: etree._Element) -> ElementForm:
        _require_only(declared, {"name", "minOccurs", "maxOccurs", "type"})
        kind = declared.find(f"{XS}complexType")
        if kind is None:
            kind = find_type(self._schemas, declared, declared.get("type"), "complexType")
        if kind is None:
            raise UnsupportedDeclarationError
        _require_only(kind, {"name", "mixed"})
        model, attributes, is_open = None, [], False
        for part in kind.iterchildren(etree.Element):
            match etree.QName(part).localname:
                case "attribute":
                    attributes.append(self._attribute(part))
                case "sequence" | "choice" if model is None:
                    model = part
                case "anyAttribute" if part.get("processContents") == "skip":
                    is_open = True
                case "annotation":
                    pass
                case _:
                    raise UnsupportedDeclarationError
        content, particles = self._content(model)
        is_free = is_open and kind.get("mixed") == "true" and not attributes
        if is_free is not (content == SKIP) or (not is_free and (is_open or kind.get("mixed") == "true")):
            raise UnsupportedDeclarationError
        return ElementForm(content, tuple(attributes), particles)

    def _content(self, model: etree._Element | None) -> tuple[int, tuple[Particle, ...]]:
        if model is None:
            return EMPTY, ()
        parts = [part for part in model.iterchildren(etree.Element) if part.tag != f"{XS}annotation"]
        if [part.tag for part in parts] == [f"{XS}any"] and model.tag == f"{XS}sequence":
            _require_only(model, set())
            any_element = parts[0]
            _require_only(any_element, {"minOccurs", "maxOccurs", "processContents"})
            least, most = _occurrences(any_element)
            if most != UNBOUNDED or least > 1:
                raise UnsupportedDeclarationError
            content = {"lax": LAX, "skip": SKIP}.get(str(any_element.get("processContents")))
            if content is None or (content == SKIP and least):
                raise UnsupportedDeclarationError
            return content, (Particle(least, most, ()),)
        if model.tag == f"{XS}choice":
            return ELEMENTS, (self._choice(model, parts),)
        _require_only(model, set())
        return ELEMENTS, tuple([self._particle(part) for part in parts])

    def _particle(self, part: etree._Element) -> Particle:
        if part.tag == f"{XS}choice":
            return self._choice(part, list(part.iterchildren(etree.Element)))
        if part.tag != f"{XS}element" or part.get("name") is None:
            raise UnsupportedDeclarationError
        return Particle(*_occurrences(part), ((_name(part), self._element(part)),))

    def _choice(self, choice: etree._Element, parts: Iterable[etree._Element]) -> Particle:
        _require_only(choice, {"minOccurs", "maxOccurs"})
        names = []
        for part in parts:
            if part.tag != f"{XS}element" or part.get("name") is None or _occurrences(part) != (1, 1):
                raise UnsupportedDeclarationError
            names.append((_name(part), self._element(part)))
        return Particle(*_occurrences(choice), tuple(names))

    def _attribute(self, declared: etree._Element) -> AttributeForm:
        _require_only(declared, {"name", "type", "use", "fixed", "id"})
        use = declared.get("use", "optional")
        if use not in ("optional", "required"):
            raise UnsupportedDeclarationError
        try:
            form = self._number_of(value_form_of(declared, self._schemas))
        except UnsupportedDeclarationError:
            form = -1
        return AttributeForm(_name(declared), use == "required", form)

    def _number_of(self, value: ValueForm) -> int:
        number = self._forms.setdefault(value, len(self._values))
        if number == len(self._values):
            self._values.append(value)
        return number


def _name(declared: etree._Element) -> bytes:
    return str(declared.get("name")).encode()


def _occurrences(part: etree._Element) -> tuple[int, int]:
    most = part.get("maxOccurs", "1")
    return int(part.get("minOccurs", "1")), UNBOUNDED if most == "unbounded" else int(most)


def _require_only(declared: etree._Element, names: set[str]) -> None:
    """Raise UnsupportedDeclarationError for a declaration with other attributes."""
    if set(map(str, declared.keys())) - names:
        raise UnsupportedDeclarationError
