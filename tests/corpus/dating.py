"""Documents of the past with their dates moved to the day of the test application."""

from __future__ import annotations

import re
from datetime import datetime

from lxml import etree

TFD_TAG = "{http://www.sat.gob.mx/TimbreFiscalDigital}TimbreFiscalDigital"

FECHA = "2026-11-17T06:00:00"
"""Within 72 hours, and not in the future, in every time zone of the country."""
TODAY = datetime.fromisoformat(FECHA)
PLACEHOLDER = b"%fecha-timbrado%"
WRITTEN = b"2022-03-28T00:00:00"
"""The date of documents with a placeholder for their date."""
CFDI = "{http://www.sat.gob.mx/cfd/4}"
_PEDIMENTO = re.compile(r"(?P<year>[0-9]{2})(?P<rest>  [0-9]{2}  .*)")


def dated(xml: bytes) -> bytes:
    """Return the template with its original date in place of the placeholder."""
    return xml.replace(PLACEHOLDER, WRITTEN)


def redate(root: etree._Element) -> None:
    """Move Fecha, and by the same years the year of a global invoice and of customs numbers.

    The year of a global invoice is at most that of the new Fecha.
    """
    years = TODAY.year - datetime.fromisoformat(root.get("Fecha") or "").year
    root.set("Fecha", FECHA)
    for node in root.iter(f"{CFDI}InformacionGlobal"):
        node.set("Año", str(min(int(node.get("Año") or 0) + years, TODAY.year)))
    for node in root.iter(f"{CFDI}InformacionAduanera"):
        node.set("NumeroPedimento", _moved(node.get("NumeroPedimento") or "", years))


def unstamp(root: etree._Element) -> None:
    """Remove the stamp, which belongs to another seal."""
    for stamp in list(root.iter(TFD_TAG)):
        _remove(stamp)
    others = [prefix for prefix, namespace in root.nsmap.items() if prefix and f"{{{namespace}}}" not in TFD_TAG]
    etree.cleanup_namespaces(root, keep_ns_prefixes=others)


def _moved(number: str, years: int) -> str:
    parts = _PEDIMENTO.fullmatch(number)
    return number if parts is None else f"{(int(parts['year']) + years) % 100:02}{parts['rest']}"


def _remove(stamp: etree._Element) -> None:
    complemento = stamp.getparent()
    comprobante = complemento.getparent() if complemento is not None else None
    if complemento is None or comprobante is None:
        return
    complemento.remove(stamp)
    if len(complemento) == 0:
        comprobante.remove(complemento)
