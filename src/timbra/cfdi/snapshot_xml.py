"""Schemas of the snapshot. Their links are resolved only to files of the snapshot."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from timbra.snapshot import Snapshot


class _SnapshotOnly(etree.Resolver):
    """Resolves a link by its file name in one folder of the snapshot; the manifest verifies the file."""

    def __init__(self, snapshot: Snapshot, folder: str) -> None:
        super().__init__()
        self._snapshot = snapshot
        self._folder = folder

    def resolve(self, system_url: str, public_id: str, context: object) -> object:  # type: ignore[override] # noqa: ARG002
        name = f"{self._folder}/{posixpath.basename(system_url)}"
        return self.resolve_string(self._snapshot.read(name), context, base_url=name)


def trusted_document(snapshot: Snapshot, folder: str, file: str) -> etree._Element:
    """Parse an XML file of the snapshot and return its root.

    Args:
        snapshot: the snapshot.
        folder: `xsd`.
        file: name in the folder.

    Raises:
        ServiceError: "snapshot-damaged" when it, or a file it links to, differs from the manifest.
    """
    parser = etree.XMLParser(no_network=True, resolve_entities=False, load_dtd=False)
    parser.resolvers.add(_SnapshotOnly(snapshot, folder))
    name = f"{folder}/{file}"
    return etree.fromstring(snapshot.read(name), parser, base_url=name)
