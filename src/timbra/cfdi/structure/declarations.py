"""What the schemas of the snapshot declare of each element: attributes with their types, and children that repeat."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from lxml import etree

from timbra.cfdi.snapshot_xml import trusted_document
from timbra.cfdi.structure.value_phrases import ValueType

if TYPE_CHECKING:
    from timbra.snapshot import Snapshot

XS = "{http://www.w3.org/2001/XMLSchema}"
_DERIVED = (f"{XS}restriction", f"{XS}extension")
_IGNORED = ("enumeration", "pattern", "whiteSpace")

Path = tuple[str, ...]
"""Local names from the root element of a standard, itself included."""


class SchemaDeclarations:
    """The declarations of one schema and of those that it imports, read once.

    Args:
        snapshot: the snapshot that contains the schemas.
        file: file name of the schema.
    """

    def __init__(self, snapshot: Snapshot, file: str) -> None:
        self._schemas: dict[str, etree._Element] = {}
        root = self._load(snapshot, file)
        self._elements: dict[Path, etree._Element] = {}
        self._attributes: dict[Path, dict[str, ValueType]] = {}
        self._texts: dict[Path, ValueType] = {}
        for element in root.iterfind(f"{XS}element"):
            self._collect(element, ())

    def _load(self, snapshot: Snapshot, file: str) -> etree._Element:
        root = trusted_document(snapshot, "xsd", file)
        self._schemas[str(root.get("targetNamespace"))] = root
        for link in root.iterfind(f"{XS}import"):
            if link.get("namespace") not in self._schemas and link.get("schemaLocation"):
                self._load(snapshot, posixpath.basename(str(link.get("schemaLocation"))))
        return root

    def _collect(self, element: etree._Element, parent: Path) -> None:
        path = (*parent, str(element.get("name")))
        if path in self._elements or len(path) > len(set(path)) + 2:
            return
        self._elements[path] = element
        for part in self._parts(element):
            for child in _declared(part, f"{XS}element"):
                if child.get("name") is not None:
                    self._collect(child, path)

    def has(self, path: Path) -> bool:
        """Whether the schema declares the element."""
        return path in self._elements

    def repeats(self, path: Path) -> bool:
        """Whether the parent may contain several elements of the name."""
        element = self._elements.get(path)
        if element is None:
            return False
        return any(step.get("maxOccurs", "1") not in ("0", "1") for step in (element, *_model(element)))

    def attribute(self, path: Path, name: str) -> ValueType | None:
        """Return the type of an attribute; None when the schema does not declare it."""
        return self._types(path).get(name)

    def text(self, path: Path) -> ValueType | None:
        """Return the type of the text of an element; None when the schema does not declare it."""
        element = self._elements.get(path)
        if element is None:
            return None
        found = self._texts.get(path)
        if found is None:
            found = self._texts[path] = self._value_type(element)
        return found

    def value_types(self) -> Iterator[tuple[Path, str, ValueType]]:
        """Yield path, attribute and type of every attribute."""
        for path in self._elements:
            for name, kind in self._types(path).items():
                yield path, name, kind

    def _types(self, path: Path) -> Mapping[str, ValueType]:
        """Return the types of the attributes of an element, read at their first use; none of an unknown path."""
        element = self._elements.get(path)
        if element is None:
            return {}
        found = self._attributes.get(path)
        if found is None:
            found = {}
            for part in self._parts(element):
                for attribute in _declared(part, f"{XS}attribute"):
                    found.setdefault(str(attribute.get("name")), self._value_type(attribute))
            self._attributes[path] = found
        return found

    @property
    def paths(self) -> list[Path]:
        """The paths of all elements."""
        return list(self._elements)

    def _parts(self, element: etree._Element) -> Iterator[etree._Element]:
        """Yield the element's complex type and the types that it extends."""
        part = element.find(f"{XS}complexType")
        if part is None:
            part = self._named(element, element.get("type"), "complexType")
        while part is not None:
            yield part
            derived = next((each for each in part.iter(*_DERIVED) if _is_content(each)), None)
            part = None if derived is None else self._named(derived, derived.get("base"), "complexType")

    def _named(self, user: etree._Element, name: str | None, kind: str) -> etree._Element | None:
        if name is None:
            return None
        prefix, _, local = str(name).rpartition(":")
        schema = self._schemas.get(str(user.nsmap.get(prefix or None)))
        return None if schema is None else schema.find(f"{XS}{kind}[@name='{local}']")

    def _value_type(self, declared: etree._Element) -> ValueType:
        inline = declared.find(f"{XS}simpleType/{XS}restriction")
        base, patterns, values, facets = self._restriction(declared, declared.get("type"), inline)
        fixed = declared.get("fixed")
        return ValueType(base, patterns, values, facets, None if fixed is None else str(fixed))

    def _restriction(
        self, user: etree._Element, name: str | None, restriction: etree._Element | None
    ) -> tuple[str, tuple[str, ...], tuple[str, ...], dict[str, str]]:
        """Return built-in type, patterns, enumeration and other facets of a type, those of its base types included."""
        if restriction is None:
            kind = self._named(user, name, "simpleType")
            restriction = None if kind is None else kind.find(f"{XS}restriction")
        if restriction is None:
            return str(name or "string").rpartition(":")[2], (), (), {}
        nested = restriction.find(f"{XS}simpleType/{XS}restriction")
        base, patterns, values, facets = self._restriction(restriction, restriction.get("base"), nested)
        own: dict[str, list[str]] = {}
        for facet in restriction.iterchildren(etree.Element):
            if facet.get("value") is not None:
                own.setdefault(etree.QName(facet).localname, []).append(str(facet.get("value")))
        others = {key: found[0] for key, found in own.items() if key not in _IGNORED}
        return (
            base,
            patterns + tuple(own.get("pattern", ())),
            tuple(own.get("enumeration", ())) or values,
            {**facets, **others},
        )


def _declared(part: etree._Element, tag: str) -> Iterator[etree._Element]:
    """Yield the declarations of a complex type, without those of nested elements."""
    for child in part.iterchildren(etree.Element):
        if child.tag == tag:
            yield child
        elif child.tag != f"{XS}element":
            yield from _declared(child, tag)


def _model(element: etree._Element) -> Iterator[etree._Element]:
    """Yield the sequences and choices between an element and the complex type that contains it."""
    for step in element.iterancestors():
        if step.tag not in (f"{XS}sequence", f"{XS}choice", f"{XS}all"):
            return
        yield step


def _is_content(derived: etree._Element) -> bool:
    parent = derived.getparent()
    return parent is not None and parent.tag in (f"{XS}complexContent", f"{XS}simpleContent")


def path_of(element: etree._Element, start: etree._Element) -> Path:
    """Return the local names from `start`, the root element of a standard, to an element below it."""
    steps = [etree.QName(element).localname]
    while element is not start:
        parent = element.getparent()
        if parent is None:
            break
        element = parent
        steps.append(etree.QName(element).localname)
    return tuple(reversed(steps))
