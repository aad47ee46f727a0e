"""The standards that a JSON invoice may name: the invoice itself and every complement of the snapshot."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lxml import etree

from timbra.cfdi.from_json.reading import Json
from timbra.cfdi.from_json.shapes import Shape, shapes_of
from timbra.cfdi.structure.standards import Standard

if TYPE_CHECKING:
    from timbra.snapshot import Snapshot


class Standards:
    """Finds standards by how a JSON key names them; reads each schema's shape once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._all = [Standard(**entry) for entry in json.loads(snapshot.read("xsd/index.json"))]
        self._shapes: dict[str, Shape] = {}

    def invoice(self, version: str) -> Standard | None:
        """The Comprobante of a version."""
        return self._pick("cfdi", "Comprobante", {"Version": version})

    def complement(self, key: str, content: Json) -> Standard | None:
        """The complement that a key such as `pago20:Pagos` or `Pagos` names, by prefix and the version inside."""
        prefix, _, element = key.rpartition(":")
        return self._pick(prefix, element, content)

    def shape(self, standard: Standard) -> Shape:
        """The root element's shape."""
        if standard.file not in self._shapes:
            parser = etree.XMLParser(no_network=True, resolve_entities=False, load_dtd=False, remove_comments=True)
            schema = etree.fromstring(self._snapshot.read(f"xsd/{standard.file}"), parser)
            self._shapes[standard.file] = shapes_of(schema)[standard.element]
        return self._shapes[standard.file]

    def _pick(self, prefix: str, element: str, content: Json) -> Standard | None:
        named = [entry for entry in self._all if entry.element.casefold() == element.casefold()]
        exact = [entry for entry in named if entry.prefix.casefold() == prefix.casefold()] if prefix else named
        version = next((str(value) for key, value in content.items() if key.casefold() == "version"), "")
        candidates = exact or named
        matching = [entry for entry in candidates if entry.version == version]
        if matching:
            return matching[0]
        return candidates[0] if len(candidates) == 1 else None
