"""The conversion of a whole invoice or retención (`application/jsontoxml`).

Keys are names of attributes and elements in any letter case, with or without prefix. Attributes may be written `@name`,
and the text of an element `#text`. A key `...Specified` of .NET serializers decides whether its member is written. Keys
that the schema does not declare are left out and reported. An array represents a repeated element (`Pago`) or a
container whose children repeat (`Conceptos`, `TrasladosP`); the SAT's schema determines which, and the order of the
children.

Complements are members of `Complemento`, with or without the intermediate `Any`, and with or without their prefix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lxml import etree

from timbra.cfdi.document import XSI
from timbra.cfdi.from_json.addenda import addenda_elements
from timbra.cfdi.from_json.reading import (
    ATTRIBUTE_MARK,
    FLAG_SUFFIX,
    TEXT_KEY,
    Json,
    json_rejection,
    local_name,
    read_flag,
    read_object,
    read_version,
)
from timbra.cfdi.from_json.schema_shapes import ElementShape
from timbra.cfdi.from_json.standards import JsonStandards
from timbra.cfdi.structure.standards import XmlStandard
from timbra.errors import ServiceError

if TYPE_CHECKING:
    from timbra.snapshot import Snapshot

ADDENDA = "Addenda"
RETENCIONES_VERSIONS = ("2.0", "1.0")
_SCALARS = (str, bool)


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
        self._reject_unknown_keys = reject_unknown_keys

    def invoice(self, body: bytes) -> JsonConversion:
        """Convert an invoice.

        Args:
            body: JSON object in UTF-8.

        Raises:
            ServiceError: 301 when it is not a JSON CFDI, or has an unknown key that is to be rejected; TB4021 for a
                retención.
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
            ServiceError: 301 when it is not a JSON retención, or has an unknown key that is to be rejected; TB4020 for
                an invoice, TB4022 for Retenciones 1.0.
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
        conversion = _Conversion(self._standards, standard)
        xml = conversion.run(content if read_version(content) else {"Version": version, **content})
        if conversion.ignored_keys and self._reject_unknown_keys:
            raise json_rejection(f"No se conoce {conversion.ignored_keys[0]}.")
        return JsonConversion(xml, tuple(conversion.ignored_keys))


class _Conversion:
    def __init__(self, standards: JsonStandards, document: XmlStandard) -> None:
        self._standards = standards
        self._document = document
        self._used = {document.prefix: document}
        self.ignored_keys: list[str] = []

    def run(self, content: Json) -> bytes:
        root = self._element(self._document, self._standards.shape(self._document), content, self._document.element)
        declared = {prefix: standard.namespace for prefix, standard in self._used.items()}
        top = etree.Element(root.tag, nsmap={**declared, "xsi": XSI})
        pairs = (f"{standard.namespace} {standard.location}" for standard in self._used.values())
        top.set(f"{{{XSI}}}schemaLocation", " ".join(pairs))
        top.attrib.update(root.attrib)
        top.extend(list(root))
        etree.cleanup_namespaces(top, keep_ns_prefixes=[*declared, "xsi"])
        return bytes(etree.tostring(top, xml_declaration=True, encoding="utf-8"))

    def _element(self, standard: XmlStandard, shape: ElementShape, content: object, path: str) -> etree._Element:
        element = etree.Element(f"{{{standard.namespace}}}{shape.name}")
        if isinstance(content, _SCALARS) and shape.text:
            element.text = self._text(content, path)
            return element
        if not isinstance(content, dict):
            raise json_rejection(f"{path} debe ser un objeto.")
        members = self._declared_members(shape, content, path)
        self._set_attributes(element, shape, members, path)
        if shape.text and TEXT_KEY in members:
            element.text = self._text(members.pop(TEXT_KEY), path)
        groups = self._children(standard, shape, members, path)
        for name in shape.children:
            element.extend(groups.pop(name, []))
        for rest in groups.values():
            element.extend(rest)
        return element

    def _declared_members(self, shape: ElementShape, content: Json, path: str) -> Json:
        """Return the members that are written: without flags, members that a flag excludes, and unknown keys."""
        excluded, flags = _read_flags(shape, content)
        members: Json = {}
        for key, value in content.items():
            name = local_name(key)
            if key in flags or name.casefold() in excluded or value is None or _is_namespace_key(key):
                continue
            if key == TEXT_KEY:
                if shape.text:
                    members[key] = value
                elif str(value).strip():
                    self.ignored_keys.append(f"{path}/{key}")
            elif self._is_declared(shape, name, value):
                members[key.removeprefix(ATTRIBUTE_MARK)] = value
            else:
                self.ignored_keys.append(f"{path}/{key}")
        return members

    @staticmethod
    def _is_declared(shape: ElementShape, name: str, value: object) -> bool:
        if isinstance(value, _SCALARS):
            return shape.attribute(name) is not None or shape.child(name) is not None
        return shape.open or shape.child(name) is not None

    def _set_attributes(self, element: etree._Element, shape: ElementShape, content: Json, path: str) -> None:
        written: dict[str, str] = {}
        for key, value in content.items():
            name = shape.attribute(local_name(key)) if isinstance(value, _SCALARS) else None
            if name is not None:
                written[name] = self._text(value, f"{path}/@{name}")
        for name in shape.attributes:
            if name not in written:
                continue
            try:
                element.set(name, written[name])
            except ValueError as error:
                raise json_rejection(f"{path}/@{name} no se puede escribir en XML.") from error

    def _children(
        self, standard: XmlStandard, shape: ElementShape, content: Json, path: str
    ) -> dict[str, list[etree._Element]]:
        groups: dict[str, list[etree._Element]] = {}
        for key, value in content.items():
            child = shape.child(local_name(key))
            if isinstance(value, _SCALARS) and shape.attribute(local_name(key)) is not None:
                continue
            if shape.open:
                groups.setdefault("", []).extend(self._complements(key, value, path))
            elif child is not None and child.name == ADDENDA and standard is self._document:
                groups[child.name] = [self._addenda(value, f"{path}/{key}")]
            elif child is not None:
                groups.setdefault(child.name, []).extend(self._repeated(standard, child, value, f"{path}/{child.name}"))
        return groups

    def _addenda(self, content: object, path: str) -> etree._Element:
        element = etree.Element(f"{{{self._document.namespace}}}{ADDENDA}")
        element.extend(addenda_elements(content, path))
        return element

    def _repeated(self, standard: XmlStandard, child: ElementShape, value: object, path: str) -> list[etree._Element]:
        if not isinstance(value, list):
            return [self._element(standard, child, value, path)]
        item = child.item()
        if child.repeated or (item is None and len(value) == 1) or child.open:
            return [self._element(standard, child, entry, f"{path}[{n}]") for n, entry in enumerate(value, 1)]
        if item is None:
            raise json_rejection(f"{path} no se repite.")
        container = etree.Element(f"{{{standard.namespace}}}{child.name}")
        container.extend(self._repeated(standard, item, value, f"{path}/{item.name}"))
        return [container]

    def _complements(self, key: str, value: object, path: str) -> list[etree._Element]:
        if key.casefold() != "any":
            bodies = value if isinstance(value, list) else [value]
            return [self._complement(key, body, f"{path}/{key}") for body in bodies]
        made = []
        for entry in value if isinstance(value, list) else [value]:
            if not isinstance(entry, dict):
                raise json_rejection(f"{path}/Any debe contener objetos.")
            made += [self._complement(name, body, f"{path}/{name}") for name, body in entry.items()]
        return made

    def _complement(self, key: str, body: object, path: str) -> etree._Element:
        standard = self._standards.complement(key, body) if isinstance(body, dict) else None
        if standard is None:
            raise json_rejection(f"No se conoce el complemento {path}, o le falta su versión.")
        self._used.setdefault(standard.prefix, standard)
        return self._element(standard, self._standards.shape(standard), body, path)

    @staticmethod
    def _text(value: str | bool, path: str) -> str:
        if isinstance(value, bool):
            raise json_rejection(f"{path} debe ser un texto o un número.")
        return value


def _read_flags(shape: ElementShape, content: Json) -> tuple[set[str], set[str]]:
    """Return the names, case-folded, that a false flag excludes, and the keys that are flags."""
    excluded: set[str] = set()
    flags: set[str] = set()
    for key, value in content.items():
        name, flag = local_name(key), read_flag(value)
        base = name[: -len(FLAG_SUFFIX)]
        is_flag = flag is not None and name.endswith(FLAG_SUFFIX) and shape.attribute(name) is None
        if is_flag and (shape.attribute(base) or shape.child(base)):
            flags.add(key)
            if not flag:
                excluded.add(base.casefold())
    return excluded, flags


def _is_namespace_key(key: str) -> bool:
    """Whether the key is a namespace declaration or schemaLocation, which the conversion writes itself."""
    name = key.removeprefix(ATTRIBUTE_MARK)
    return name == "xmlns" or name.startswith(("xmlns:", "xsi:")) or name == "schemaLocation"
