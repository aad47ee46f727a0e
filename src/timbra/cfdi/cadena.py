"""The cadena original of an invoice, by SAT's own stylesheets (Anexo 20)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lxml import etree

from timbra.cfdi.trusted import trusted_document

if TYPE_CHECKING:
    from timbra.snapshot import Snapshot

_DENIED = etree.XSLTAccessControl(  # type: ignore[call-arg]
    read_file=False, write_file=False, create_dir=False, read_network=False, write_network=False
)


class OriginalString:
    """Cadena original of CFDI "4.0" and "3.3"; each stylesheet is compiled at first use and kept."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._index: dict[str, dict[str, object]] = json.loads(snapshot.read("xslt/index.json"))["cfdi"]
        self._compiled: dict[str, etree.XSLT] = {}
        self._complements = {version: frozenset(entry["complements"]) for version, entry in self._index.items()}

    def of(self, root: etree._Element, version: str) -> str:
        """The text that the Sello signs, in UTF-8 terms. KeyError for a version without a stylesheet."""
        return str(self._stylesheet(version)(root))

    def complements(self, version: str) -> frozenset[str]:
        """Namespaces whose elements the version's stylesheet has templates for."""
        return self._complements[version]

    def _stylesheet(self, version: str) -> etree.XSLT:
        compiled = self._compiled.get(version)
        if compiled is None:
            document = trusted_document(self._snapshot, "xslt", str(self._index[version]["file"]))
            compiled = self._compiled[version] = etree.XSLT(document, access_control=_DENIED)
        return compiled
