"""The cadena original of a document, by SAT's own stylesheets (Anexo 20)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lxml import etree

from timbra.cfdi.snapshot_xml import trusted_document
from timbra.errors import ServiceError

if TYPE_CHECKING:
    from timbra.snapshot import Snapshot

_DENIED = etree.XSLTAccessControl(  # type: ignore[call-arg]
    read_file=False, write_file=False, create_dir=False, read_network=False, write_network=False
)


class CadenaOriginal:
    """Cadena original of CFDI "4.0" and "3.3" and of Retenciones "2.0"; each stylesheet is compiled at first use."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._index: dict[str, dict[str, object]] = json.loads(snapshot.read("xslt/index.json"))["cfdi"]
        self._compiled: dict[str, etree.XSLT] = {}
        self._complements = {version: frozenset(entry["complements"]) for version, entry in self._index.items()}

    def build(self, root: etree._Element, version: str) -> str:
        """Build the text that the Sello signs, encoded in UTF-8 when signed.

        Args:
            root: Comprobante or Retenciones.
            version: "4.0", "3.3" or "2.0".

        Raises:
            KeyError: the version has no stylesheet.
            ServiceError: "snapshot-damaged" if the stylesheet cannot be read.
        """
        return str(self._stylesheet(version)(root))

    def complements(self, version: str) -> frozenset[str]:
        """Return the namespaces of the complements for which the version's stylesheet has templates."""
        return self._complements[version]

    def _stylesheet(self, version: str) -> etree.XSLT:
        compiled = self._compiled.get(version)
        if compiled is None:
            compiled = self._compiled[version] = self._compile(str(self._index[version]["file"]))
        return compiled

    def _compile(self, file: str) -> etree.XSLT:
        try:
            return etree.XSLT(trusted_document(self._snapshot, "xslt", file), access_control=_DENIED)
        except etree.LxmlError as error:
            raise ServiceError("snapshot-damaged", f"La hoja de estilo {file} no es utilizable: {error}.") from error
