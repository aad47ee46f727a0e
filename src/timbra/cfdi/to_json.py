"""An invoice or a retención as the JSON object that `timbra.cfdi.from_json` reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from timbra.cfdi.from_json.documents import ADDENDA
from timbra.cfdi.from_json.reading import TEXT_KEY, Json
from timbra.cfdi.from_json.schema_shapes import ElementShape
from timbra.cfdi.from_json.standards import JsonStandards
from timbra.core.errors import ServiceError

if TYPE_CHECKING:
    from timbra.snapshot import Snapshot


class JsonWriter:
    """Writes JSON objects; schemas are read at first use and cached."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._standards = JsonStandards(snapshot)

    def write(self, root: etree._Element) -> Json:
        """Return the members of a document: attributes and elements by their names, complements with their prefix.

        A repeated element is an array, and so is an element that only has repeated ones, such as Conceptos. Values are
        texts, as written. The Addenda, which no schema describes, and namespace declarations are left out.

        Raises:
            ServiceError: 301 for an element that no schema of a version that can be made has.
        """
        return self._members(root, self._shape(root))

    def _members(self, element: etree._Element, shape: ElementShape) -> Json:
        members: Json = {str(name): value for name, value in element.attrib.items() if not str(name).startswith("{")}
        for child in element.iterchildren(etree.Element):
            name = _local(child)
            if shape.open:
                # An array of a complement would be several complements.
                self._add(members, _prefixed(child), self._members(child, self._shape(child)), is_repeated=False)
            elif name != ADDENDA:
                declared = shape.children.get(name)
                if declared is None:
                    raise _unknown(child)
                self._add(members, name, self._value(child, declared), is_repeated=declared.repeated)
        if shape.text and element.text:
            members[TEXT_KEY] = element.text
        return members

    def _value(self, element: etree._Element, shape: ElementShape) -> object:
        members = self._members(element, shape)
        if members.keys() == {TEXT_KEY}:
            return members[TEXT_KEY]
        item = shape.item()
        is_container = item is not None and not shape.repeated and members.keys() == {item.name}
        return members[item.name] if item is not None and is_container else members

    def _add(self, members: Json, name: str, value: object, *, is_repeated: bool) -> None:
        """Add a member; a complement that occurs twice becomes an array."""
        if name not in members:
            members[name] = [value] if is_repeated else value
        elif is_repeated or isinstance(members[name], list):
            members[name].append(value)
        else:
            members[name] = [members[name], value]

    def _shape(self, element: etree._Element) -> ElementShape:
        standard = self._standards.of_element(element)
        if standard is None:
            raise _unknown(element)
        return self._standards.shape(standard)


def _local(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _prefixed(element: etree._Element) -> str:
    return f"{element.prefix}:{_local(element)}" if element.prefix else _local(element)


def _unknown(element: etree._Element) -> ServiceError:
    return ServiceError("301", f"No hay un esquema para el elemento {_prefixed(element)}.")
