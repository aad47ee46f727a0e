"""The conversion of a whole invoice or retención (`application/jsontoxml`).

Keys are names of attributes and elements in any letter case, with or without prefix. Attributes may be written `@name`,
and the text of an element `#text`; an object with only `#text` is the same as its text. A key `...Specified` of .NET
serializers decides whether its member is written. Keys that the schema does not declare are left out and reported. A
declared name whose value does not fit and a key that is nearly a declared name reject the document. An array represents
a repeated element (`Pago`) or a container whose children repeat (`Conceptos`, `TrasladosP`); the SAT's schema
determines which, and the order of the children.

Complements are members of `Complemento`, with or without the intermediate `Any`, and with or without their prefix.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from lxml import etree

from timbra.cfdi.document import XSI
from timbra.cfdi.from_json.addenda import addenda_elements
from timbra.cfdi.from_json.plain_elements import PlainElements, with_children
from timbra.cfdi.from_json.reading import (
    TEXT_KEY,
    Json,
    json_rejection,
    local_name,
    read_flag,
    read_object,
    read_version,
    scalar,
)
from timbra.cfdi.from_json.schema_shapes import ElementShape, Member
from timbra.cfdi.from_json.standards import JsonStandards
from timbra.cfdi.structure.standards import XmlStandard
from timbra.core.errors import ServiceError

if TYPE_CHECKING:
    from timbra.snapshot import Snapshot

ADDENDA = "Addenda"
RETENCIONES_VERSIONS = ("2.0", "1.0")
NOTHING_DECLARED = 'Falta el miembro "data" con el XML, o los miembros de un {name}.'
SCHEMA_LOCATION = f"{{{XSI}}}schemaLocation"
_COLLECTIONS = (dict, list)


@dataclass(frozen=True, slots=True)
class JsonConversion:
    """A converted document.

    Attributes:
        xml: The document as UTF-8 XML.
        ignored_keys: Paths of members that the SAT's schemas do not declare; they are not part of the XML.
    """

    xml: bytes
    ignored_keys: tuple[str, ...]


class JsonDocuments:
    """Converts JSON invoices and retenciones; schemas are read at first use and cached."""

    def __init__(self, snapshot: Snapshot, *, reject_unknown_keys: bool = False) -> None:
        self._standards = JsonStandards(snapshot)
        self._plain = PlainElements(self._standards)
        self._reject_unknown_keys = reject_unknown_keys

    def invoice(self, body: bytes) -> JsonConversion:
        """Convert an invoice.

        Args:
            body: JSON object in UTF-8.

        Raises:
            ServiceError: 301 when it is not a JSON CFDI, or has an unknown key that is to be rejected; "xml-missing"
                without any member of an invoice; TB4021 for a retención.
        """
        content = read_object(body)
        version = read_version(content) or "4.0"
        standard = self._standards.invoice(version)
        if standard is None:
            if version in RETENCIONES_VERSIONS:
                raise ServiceError("TB4021", f"El JSON es de Retenciones {version}.")
            raise json_rejection(f"No se conoce la versión {version} del comprobante.")
        return self._convert(content, version, standard)

    def retencion(self, body: bytes) -> JsonConversion:
        """Convert a CFDI de retenciones e información de pagos.

        Args:
            body: JSON object in UTF-8.

        Raises:
            ServiceError: 301 when it is not a JSON retención, or has an unknown key that is to be rejected;
                "xml-missing" without any member of a retención; TB4020 for an invoice, TB4022 for Retenciones 1.0.
        """
        content = read_object(body)
        version = read_version(content) or "2.0"
        standard = self._standards.retencion(version)
        if standard is None:
            if self._standards.invoice(version):
                raise ServiceError("TB4020", f"El JSON es de un CFDI {version}.")
            if version in RETENCIONES_VERSIONS:
                raise ServiceError("TB4022", f"El JSON es de Retenciones {version}.")
            raise json_rejection(f"No se conoce la versión {version} de las retenciones.")
        return self._convert(content, version, standard)

    def _convert(self, content: Json, version: str, standard: XmlStandard) -> JsonConversion:
        conversion = _Conversion(self._standards, self._plain, standard)
        xml = conversion.run(content if read_version(content) else _with_version(content, version))
        if {f"{standard.element}/{key}" for key in content} <= {*conversion.ignored_keys}:
            raise ServiceError("xml-missing", NOTHING_DECLARED.format(name=standard.element))
        if conversion.ignored_keys and self._reject_unknown_keys:
            raise json_rejection(f"No se conoce {conversion.ignored_keys[0]}.")
        return JsonConversion(xml, tuple(conversion.ignored_keys))


@dataclass(slots=True)
class _Members:
    """The members of a JSON object that are written.

    Attributes:
        attributes: values by declared name.
        children: values of elements by key, without the mark of attributes.
        text: the text of the element; None without one.
    """

    attributes: dict[str, str] = field(default_factory=dict)
    children: dict[str, tuple[Member, Any]] = field(default_factory=dict)
    text: Any = None

    def add_attribute(self, name: str, value: object, path: str) -> None:
        """Keep the value of an attribute.

        Raises:
            ServiceError: 301 for a value that is no text, or another one than an earlier key gave.
        """
        text = scalar(value)
        if text is None:
            return
        if not isinstance(text, str):
            raise _not_a_text(f"{path}/@{name}", text)
        if self.attributes.setdefault(name, text) != text:
            raise json_rejection(f"{path}/@{name} viene dos veces con valores distintos.")

    def add_child(self, member: Member, value: object, path: str) -> None:
        """Keep the value of an element. Raises ServiceError: 301 when an earlier key has the same name."""
        if member.name in self.children:
            raise json_rejection(f"{path}/{member.name} viene dos veces.")
        self.children[member.name] = member, value

    def ordered_attributes(self, shape: ElementShape) -> dict[str, str]:
        """Return the attributes in the order of the schema."""
        written = self.attributes
        return {name: written[name] for name in shape.attributes if name in written}


class _Conversion:
    def __init__(self, standards: JsonStandards, plain: PlainElements, document: XmlStandard) -> None:
        self._standards = standards
        self._plain = plain
        self._document = document
        self._used = {document.prefix: document}
        # The root declares every namespace, and each element is made in its place: an element that moves to another
        # document, or to the scope of another declaration, costs a search among all declarations.
        namespaces = {**standards.namespaces, document.prefix: document.namespace, "xsi": XSI}
        self._root = etree.Element(f"{{{document.namespace}}}{document.element}", nsmap=namespaces)
        self._root.set(SCHEMA_LOCATION, "")
        self.ignored_keys: list[str] = []

    def run(self, content: Json) -> bytes:
        shape, name = self._standards.shape(self._document), self._document.element
        members = self._declared_members(shape, content, name)
        for attribute, value in members.ordered_attributes(shape).items():
            _set(self._root, attribute, value, name)
        written = self._plain.write(self._root, self._document, members.children) if members.text is None else None
        if written is None:
            self._fill(self._root, self._document, shape, members, name)
        else:
            self._used = written.used
        pairs = (f"{standard.namespace} {standard.location}" for standard in self._used.values())
        self._root.set(SCHEMA_LOCATION, " ".join(pairs))
        etree.cleanup_namespaces(self._root, keep_ns_prefixes=[*self._used, "xsi"])
        xml = bytes(etree.tostring(self._root, xml_declaration=True, encoding="utf-8"))
        return xml if written is None else with_children(xml, written.children)

    def _add(
        self, parent: etree._Element, standard: XmlStandard, shape: ElementShape, content: object, path: str
    ) -> None:
        tag = f"{{{standard.namespace}}}{shape.name}"
        if not isinstance(content, dict):
            if not shape.text:
                raise json_rejection(f"{path} debe ser un objeto.")
            etree.SubElement(parent, tag).text = _text(content, path)
            return
        members = self._declared_members(shape, content, path)
        element = _new_element(parent, tag, members.ordered_attributes(shape), path)
        self._fill(element, standard, shape, members, path)

    def _fill(
        self, element: etree._Element, standard: XmlStandard, shape: ElementShape, members: _Members, path: str
    ) -> None:
        if members.text is not None:
            element.text = _text(members.text, path)
        ranks: list[int] = []
        for key, (member, value) in members.children.items():
            child = member.child
            if shape.open:
                self._add_complements(element, key, value, path)
            elif child is not None and child.name == ADDENDA and standard is self._document:
                self._add_addenda(element, value, f"{path}/{key}")
            elif child is not None:
                self._add_repeated(element, standard, child, value, f"{path}/{child.name}")
            rank = 0 if shape.open or child is None else shape.rank(child.name)
            ranks += [rank] * (len(element) - len(ranks))
        if ranks != sorted(ranks):
            element[:] = [child for _, child in sorted(zip(ranks, element, strict=True), key=itemgetter(0))]

    def _declared_members(self, shape: ElementShape, content: Json, path: str) -> _Members:
        """Return the members that are written: without flags, members that a flag excludes, and unknown keys."""
        members = _Members()
        excluded = _excluded(shape, content)
        for key, value in content.items():
            member = shape.member(key)
            if value is None or member.is_namespace or (excluded and member.folded in excluded):
                continue
            if member.flag_of is not None and read_flag(value) is not None:
                continue
            if member.meant is not None:
                raise json_rejection(f"No se conoce {path}/{key}; ¿quiso decir {member.meant}?")
            if key == TEXT_KEY and shape.text:
                members.text = value
            elif key == TEXT_KEY and len(content) == 1 and str(value).strip():
                raise json_rejection(f"{path} debe ser un objeto.")
            elif member.attribute is not None and not (member.child is not None and isinstance(value, _COLLECTIONS)):
                members.add_attribute(member.attribute, value, path)
            elif member.child is not None or (shape.open and self._is_complement(key, value)):
                members.add_child(member, value, path)
            elif key != TEXT_KEY or str(value).strip():
                self.ignored_keys.append(f"{path}/{key}")
        return members

    def _is_complement(self, key: str, value: object) -> bool:
        """Whether a member of an open element is to be written, or rejected, as a complement."""
        return isinstance(value, _COLLECTIONS) or _is_any(key) or self._standards.complement_name(key) is not None

    def _add_addenda(self, parent: etree._Element, content: object, path: str) -> None:
        element = etree.SubElement(parent, f"{{{self._document.namespace}}}{ADDENDA}")
        element.extend(addenda_elements(content, path))

    def _add_repeated(
        self, parent: etree._Element, standard: XmlStandard, child: ElementShape, value: object, path: str
    ) -> None:
        if not isinstance(value, list):
            self._add(parent, standard, child, value, path)
            return
        item = child.item()
        if child.repeated or (item is None and len(value) == 1) or child.open:
            for number, entry in enumerate(value, 1):
                self._add(parent, standard, child, entry, f"{path}[{number}]")
            return
        if item is None:
            raise json_rejection(f"{path} no se repite.")
        container = etree.SubElement(parent, f"{{{standard.namespace}}}{child.name}")
        self._add_repeated(container, standard, item, value, f"{path}/{item.name}")

    def _add_complements(self, parent: etree._Element, key: str, value: object, path: str) -> None:
        entries = value if isinstance(value, list) else [value]
        if not _is_any(key):
            for body in entries:
                self._add_complement(parent, key, body, f"{path}/{key}")
            return
        for entry in entries:
            if not isinstance(entry, dict):
                raise json_rejection(f"{path}/Any debe contener objetos.")
            for name, body in entry.items():
                self._add_complement(parent, name, body, f"{path}/{name}")

    def _add_complement(self, parent: etree._Element, key: str, body: object, path: str) -> None:
        named = self._standards.complement_name(key)
        if not isinstance(body, dict) and local_name(key).casefold() == (named or "").casefold():
            raise json_rejection(f"{path} debe ser un objeto.")
        standard = self._standards.complement(key, body) if isinstance(body, dict) else None
        if standard is None:
            meant = f"; ¿quiso decir {named}?" if named and named.casefold() != local_name(key).casefold() else "."
            raise json_rejection(f"No se conoce el complemento {path}, o le falta su versión{meant}")
        self._used.setdefault(standard.prefix, standard)
        self._add(parent, standard, self._standards.shape(standard), body, path)


def _with_version(content: Json, version: str) -> Json:
    return {"Version": version, **{key: value for key, value in content.items() if value is not None}}


def _is_any(key: str) -> bool:
    return key.casefold() == "any"


def _text(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise _not_a_text(path, value)
    return value


def _not_a_text(path: str, value: object) -> ServiceError:
    kinds = {dict: "un objeto", list: "una lista", bool: "un booleano"}
    return json_rejection(f"{path} debe ser un texto o un número, no {kinds.get(type(value), 'un valor vacío')}.")


def _excluded(shape: ElementShape, content: Json) -> set[str]:
    """Return the names, case-folded, of the members that a false flag excludes."""
    flags = [(name, value) for key, value in content.items() if (name := shape.member(key).flag_of)]
    return {name for name, value in flags if read_flag(value) is False}


def _new_element(parent: etree._Element, tag: str, attributes: dict[str, str], path: str) -> etree._Element:
    try:
        return etree.SubElement(parent, tag, attributes)
    except ValueError:
        element = etree.SubElement(parent, tag)
        for name, value in attributes.items():
            _set(element, name, value, path)
        raise


def _set(element: etree._Element, name: str, value: str, path: str) -> None:
    try:
        element.set(name, value)
    except ValueError as error:
        raise json_rejection(f"{path}/@{name} no se puede escribir en XML.") from error
