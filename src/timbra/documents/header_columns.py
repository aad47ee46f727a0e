"""The columns of a stored stamp that its document has, as the document writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from timbra.cfdi.rfc import FOREIGN

if TYPE_CHECKING:
    from lxml import etree

    from timbra.cfdi.document import Document


def header_columns(document: Document) -> Mapping[str, str]:
    """Return kind, serie, folio, fecha, RFC and total of a document, by the names of `StampRecord`."""
    root = document.root
    return _of_retenciones(root) if document.is_retenciones else _of_cfdi(root)


def _of_cfdi(root: etree._Element) -> Mapping[str, str]:
    return {
        "kind": root.get("TipoDeComprobante") or "",
        "serie": root.get("Serie") or "",
        "folio": root.get("Folio") or "",
        "fecha": root.get("Fecha") or "",
        "issuer_rfc": _attribute(root, "{*}Emisor", "Rfc"),
        "receiver_rfc": _attribute(root, "{*}Receptor", "Rfc"),
        "total": root.get("Total") or "",
    }


def _of_retenciones(root: etree._Element) -> Mapping[str, str]:
    return {
        "kind": "R",
        "serie": "",
        "folio": root.get("FolioInt") or "",
        "fecha": root.get("FechaExp") or "",
        "issuer_rfc": _attribute(root, "{*}Emisor", "RfcE"),
        "receiver_rfc": _attribute(root, "{*}Receptor/{*}Nacional", "RfcR") or FOREIGN,
        "total": _attribute(root, "{*}Totales", "MontoTotOperacion"),
    }


def _attribute(root: etree._Element, path: str, name: str) -> str:
    element = root.find(path)
    return "" if element is None else element.get(name) or ""
