"""The conversion of a whole invoice (`application/jsontoxml`).

Keys are attribute and element names without prefix. An array represents a repeated element (`Pago`) or a container
whose children repeat (`Conceptos`, `TrasladosP`); the SAT's schema determines which, and the order of the children.
Complements are members of `Complemento`, with or without the intermediate `Any`, and with or without their prefix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from timbra.cfdi.from_json.reading import Json, json_rejection, read_object
from timbra.cfdi.from_json.schema_shapes import ElementShape
from timbra.cfdi.from_json.standards import JsonStandards
from timbra.cfdi.structure.standards import XmlStandard

if TYPE_CHECKING:
    from timbra.snapshot import Snapshot

XSI = "http://www.w3.org/2001/XMLSchema-instance"
_SCALARS = (str, bool)


class JsonInvoices:
    """Converts JSON invoices; schemas are read at first use and cached."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._standards = JsonStandards(snapshot)

    def to_xml(self, body: bytes) -> bytes:
        """Convert an invoice; every member of the JSON is converted or rejected.

        Args:
            body: JSON object in UTF-8.

        Returns:
            The CFDI as UTF-8 XML.

        Raises:
            ServiceError: 301 when it is not a JSON CFDI.
        """
        content = read_object(body)
        version = next((value for key, value in content.items() if key.casefold() == "version"), "4.0")
        standard = self._standards.invoice(str(version))
        if standard is None:
            raise json_rejection(f"No se conoce la versión {version} del comprobante.")
        return _Conversion(self._standards, standard).run({"Version": version, **content})


class _Conversion:
    def __init__(self, standards: JsonStandards, invoice: XmlStandard) -> None:
        self._standards = standards
        self._invoice = invoice
        self._used = {invoice.prefix: invoice}

    def run(self, content: Json) -> bytes:
        root = self._element(self._invoice, self._standards.shape(self._invoice), content, "Comprobante")
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
        self._set_attributes(element, shape, content, path)
        groups = self._children(standard, shape, content, path)
        for name in shape.children:
            element.extend(groups.pop(name, []))
        for rest in groups.values():
            element.extend(rest)
        return element

    def _set_attributes(self, element: etree._Element, shape: ElementShape, content: Json, path: str) -> None:
        written: dict[str, str] = {}
        for key, value in content.items():
            if isinstance(value, _SCALARS) and not self._text_child(shape, key):
                name = key.rpartition(":")[2]
                written[shape.attribute(name) or name] = self._text(value, f"{path}/@{name}")
        for name in [*(name for name in shape.attributes if name in written), *written]:
            try:
                element.set(name, written[name])
            except ValueError as error:
                raise json_rejection(f"{path}/@{name} no se puede escribir en XML.") from error

    def _children(
        self, standard: XmlStandard, shape: ElementShape, content: Json, path: str
    ) -> dict[str, list[etree._Element]]:
        groups: dict[str, list[etree._Element]] = {}
        for key, value in content.items():
            if value is None or (isinstance(value, _SCALARS) and not self._text_child(shape, key)):
                continue
            child = shape.child(key.rpartition(":")[2])
            if shape.open:
                groups.setdefault("", []).extend(self._complements(key, value, path))
            elif child is None:
                raise json_rejection(f"{path} no lleva un elemento {key}.")
            else:
                groups.setdefault(child.name, []).extend(self._repeated(standard, child, value, f"{path}/{child.name}"))
        return groups

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
    def _text_child(shape: ElementShape, key: str) -> bool:
        name = key.rpartition(":")[2]
        child = shape.child(name)
        return child is not None and child.text and not child.attributes and shape.attribute(name) is None

    @staticmethod
    def _text(value: str | bool, path: str) -> str:
        if isinstance(value, bool):
            raise json_rejection(f"{path} debe ser un texto o un número.")
        return value
