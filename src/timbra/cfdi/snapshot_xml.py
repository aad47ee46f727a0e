"""Schemas of the snapshot. Their links are resolved only to files of the snapshot."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from lxml import etree

from timbra.core.errors import ServiceError

if TYPE_CHECKING:
    from timbra.snapshot import Snapshot

_LINKS = tuple(f"{{http://www.w3.org/2001/XMLSchema}}{name}" for name in ("import", "include", "redefine"))


def trusted_document(snapshot: Snapshot, folder: str, file: str) -> etree._Element:
    """Parse an XML file of the snapshot, after it and all files that it links to were verified; return its root.

    Links become addresses of the verified files, which libxml2 reads by itself. A resolver of lxml is not used: lxml
    sets the one loader of the process around each call, and a call of another thread that ends meanwhile resets it.

    Args:
        folder: `xsd`.
        file: name in the folder.

    Raises:
        ServiceError: "snapshot-damaged" when it, or a file it links to, differs from the manifest.
    """
    seen: set[str] = set()
    root = _verified(snapshot, folder, file, seen)
    waiting = _links(root)
    while waiting:
        name = waiting.pop()
        if name not in seen:
            waiting += _links(_verified(snapshot, folder, name, seen))
    return root


def _verified(snapshot: Snapshot, folder: str, file: str, seen: set[str]) -> etree._Element:
    seen.add(file)
    name = f"{folder}/{file}"
    parser = etree.XMLParser(no_network=True, resolve_entities=False, load_dtd=False)
    return etree.fromstring(snapshot.read(name), parser, base_url=snapshot.path(name).resolve().as_uri())


def _links(root: etree._Element) -> list[str]:
    """Return the names of the files that a schema links to, all of them in its folder."""
    places = [place for node in root.iterchildren(*_LINKS) if (place := node.get("schemaLocation"))]
    for place in places:
        if place != posixpath.basename(place):
            raise ServiceError("snapshot-damaged", f"El esquema {root.base} apunta fuera de su carpeta: {place!r}.")
    return places
