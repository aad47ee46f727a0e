"""The standards that a JSON invoice may use: the invoice itself and every complement of the snapshot."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lxml import etree

from timbra.cfdi.document import RETENCIONES1
from timbra.cfdi.from_json.reading import ATTRIBUTE_MARK, Json, local_name, read_version
from timbra.cfdi.from_json.schema_shapes import ElementShape, near_name, read_shapes
from timbra.cfdi.structure.standards import XmlStandard

if TYPE_CHECKING:
    from timbra.snapshot import Snapshot

VALIDATED_ONLY = (RETENCIONES1, f"{RETENCIONES1}/planesderetiro")
"""Namespaces of Retenciones 1.0 and Planes de retiro 1.0, whose documents are no longer made."""


def _is_validated_only(standard: XmlStandard) -> bool:
    return standard.namespace in VALIDATED_ONLY or (standard.element, standard.version) == ("Comprobante", "3.2")


class JsonStandards:
    """Finds the standard of a JSON key; the shape of each schema is read once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        found = (XmlStandard(**entry) for entry in json.loads(snapshot.read("xsd/index.json")))
        self._all = [standard for standard in found if not _is_validated_only(standard)]
        roots = ("Comprobante", "Retenciones")
        self._complement_names = sorted({entry.element for entry in self._all if entry.element not in roots})
        self._shapes: dict[str, ElementShape] = {}
        self.namespaces = {entry.prefix: entry.namespace for entry in self._all}
        """Namespaces by prefix; only versions of the invoice share a prefix."""

    def invoice(self, version: str) -> XmlStandard | None:
        """Return the Comprobante of a version; None for an unknown version."""
        return self._pick("cfdi", "Comprobante", {"Version": version})

    def retencion(self, version: str) -> XmlStandard | None:
        """Return the Retenciones of a version; None for an unknown version."""
        written = (entry for entry in self._all if (entry.element, entry.version) == ("Retenciones", version))
        return next(written, None)

    def complement(self, key: str, content: Json) -> XmlStandard | None:
        """Find the complement of a JSON key.

        Args:
            key: such as `pago20:Pagos` or `Pagos`.
            content: its members; the version among them selects the standard.

        Returns:
            The standard; None when no standard or more than one matches.
        """
        prefix, _, element = key.removeprefix(ATTRIBUTE_MARK).rpartition(":")
        return self._pick(prefix, element, content)

    def of_element(self, element: etree._Element) -> XmlStandard | None:
        """Return the standard of a document or complement, by namespace, name and version; None for another element."""
        tag, version = str(element.tag), element.get("Version") or element.get("version") or ""
        named = [entry for entry in self._all if tag == f"{{{entry.namespace}}}{entry.element}"]
        matching = [entry for entry in named if entry.version == version]
        return matching[0] if matching else named[0] if len(named) == 1 else None

    def complement_name(self, key: str) -> str | None:
        """Return the complement that a key names or nearly names, without its prefix; None for other keys."""
        name = local_name(key)
        known = next((each for each in self._complement_names if each.casefold() == name.casefold()), None)
        return known or near_name(name, self._complement_names)

    def shape(self, standard: XmlStandard) -> ElementShape:
        if standard.file not in self._shapes:
            parser = etree.XMLParser(no_network=True, resolve_entities=False, load_dtd=False, remove_comments=True)
            schema = etree.fromstring(self._snapshot.read(f"xsd/{standard.file}"), parser)
            self._shapes[standard.file] = read_shapes(schema)[standard.element]
        return self._shapes[standard.file]

    def _pick(self, prefix: str, element: str, content: Json) -> XmlStandard | None:
        named = [entry for entry in self._all if entry.element.casefold() == element.casefold()]
        exact = [entry for entry in named if entry.prefix.casefold() == prefix.casefold()] if prefix else named
        version = read_version(content) or ""
        candidates = exact or named
        matching = [entry for entry in candidates if entry.version == version]
        if matching:
            return matching[0]
        return candidates[0] if len(candidates) == 1 else None
