"""Who and which number stand at the head of a document, however wrong the rest of it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from lxml import etree

from timbra.cfdi.rfc import is_rfc

MOST_BYTES = 64 * 1024
LONGEST_NUMBER = 50
_DTD = re.compile(rb"<!(DOCTYPE|ENTITY)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Head:
    """Empty where it could not be read, or is no RFC."""

    issuer_rfc: str = ""
    receiver_rfc: str = ""
    serie: str = ""
    folio: str = ""


def read_head(document: bytes) -> Head:
    """What stands before the Conceptos. Only the beginning is read, and nothing of a document that declares a DTD."""
    beginning = document[:MOST_BYTES]
    if _DTD.search(beginning):
        return Head()
    known = dict(reversed([*_elements(beginning)]))
    root = known.get("Comprobante", {})
    return Head(
        _rfc(known.get("Emisor", {})),
        _rfc(known.get("Receptor", {})),
        root.get("Serie", "")[:LONGEST_NUMBER],
        root.get("Folio", "")[:LONGEST_NUMBER],
    )


def _elements(beginning: bytes) -> Iterator[tuple[str, dict[str, str]]]:
    """Local names and attributes, up to the Conceptos or to where the text cannot be read."""
    parser = etree.XMLPullParser(events=("start",), resolve_entities=False, no_network=True, load_dtd=False)
    # A fault is told by `feed` and again with the events; what stands before it counts.
    with suppress(etree.XMLSyntaxError):
        parser.feed(beginning)
    with suppress(etree.XMLSyntaxError):
        for _, element in parser.read_events():
            if not isinstance(element, etree._Element) or not isinstance(element.tag, str):
                continue
            name = etree.QName(element).localname
            if name == "Conceptos":
                return
            yield name, {str(key): str(value) for key, value in element.attrib.items()}


def _rfc(element: dict[str, str]) -> str:
    rfc = element.get("Rfc", "")
    return rfc if is_rfc(rfc) else ""
