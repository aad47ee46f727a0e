"""Issuer, receiver, series and folio of a document, read even if the rest of the document is invalid."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from lxml import etree

from timbra.cfdi.document import is_retenciones, without_leading_space
from timbra.cfdi.rfc import is_rfc

MAX_HEADER_BYTES = 64 * 1024
MAX_NUMBER_LENGTH = 50
MAX_NAME_LENGTH = 300
MAX_CURRENCY_LENGTH = 3
ISSUERS = (("Emisor", "Rfc"), ("Emisor", "RfcE"), ("Emisor", "RFCEmisor"))
RECEIVERS = (("Receptor", "Rfc"), ("Nacional", "RfcR"), ("Nacional", "RFCRecep"))
"""Element and attribute of the RFC in a CFDI, a Retenciones 2.0 and a Retenciones 1.0."""
ISSUER_NAMES = (("Emisor", "Nombre"), ("Emisor", "NomDenRazSocE"))
RECEIVER_NAMES = (("Receptor", "Nombre"), ("Nacional", "NomDenRazSocR"), ("Extranjero", "NomDenRazSocR"))
"""Element and attribute of the name in a CFDI, and in Retenciones 2.0 and 1.0."""
_DTD = re.compile(rb"<!(DOCTYPE|ENTITY)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DocumentHeader:
    """Values of the header; "" for each that is absent, unreadable or, for an RFC, malformed.

    Attributes:
        receiver_tax_id: NumRegIdTribR of a retención.
        issuer_name, receiver_name: as written.
        currency: Moneda of a CFDI.
    """

    issuer_rfc: str = ""
    receiver_rfc: str = ""
    serie: str = ""
    folio: str = ""
    receiver_tax_id: str = ""
    issuer_name: str = ""
    receiver_name: str = ""
    currency: str = ""


def read_header(document: bytes) -> DocumentHeader:
    """Read the elements before Conceptos, or those of Retenciones, from the first 64 KiB after white space.

    Returns:
        The values; all are empty if the document declares a DTD.
    """
    beginning = without_leading_space(document)[:MAX_HEADER_BYTES]
    if _DTD.search(beginning):
        return DocumentHeader()
    elements = dict(reversed([*_elements(beginning)]))
    root = elements.get("Comprobante") or elements.get("Retenciones", {})
    return DocumentHeader(
        _first_rfc(elements, ISSUERS),
        _first_rfc(elements, RECEIVERS),
        root.get("Serie", "")[:MAX_NUMBER_LENGTH],
        (root.get("Folio") or root.get("FolioInt", ""))[:MAX_NUMBER_LENGTH],
        elements.get("Extranjero", {}).get("NumRegIdTribR", "")[:MAX_NUMBER_LENGTH],
        _first_name(elements, ISSUER_NAMES),
        _first_name(elements, RECEIVER_NAMES),
        root.get("Moneda", "")[:MAX_CURRENCY_LENGTH],
    )


def has_root_of_retenciones(document: bytes) -> bool:
    """Whether the root element is in a namespace of retenciones; False for bytes without a readable root."""
    parser = etree.XMLPullParser(
        events=("start",), encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False
    )
    with suppress(etree.XMLSyntaxError):
        parser.feed(without_leading_space(document)[:MAX_HEADER_BYTES])
    with suppress(etree.XMLSyntaxError):
        for _, element in parser.read_events():
            return isinstance(element, etree._Element) and is_retenciones(element)
    return False


def _elements(beginning: bytes) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield local names and attributes, up to Conceptos, a DTD or the first syntax error."""
    parser = etree.XMLPullParser(
        events=("start",), encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False
    )
    # A syntax error is raised by `feed` and again with the events; the elements before it are valid.
    with suppress(etree.XMLSyntaxError):
        parser.feed(beginning)
    with suppress(etree.XMLSyntaxError):
        for _, element in parser.read_events():
            if not isinstance(element, etree._Element) or not isinstance(element.tag, str):
                continue
            # `QName` rejects a tag whose prefix is not declared.
            name = element.tag.rpartition("}")[2].rpartition(":")[2]
            if name == "Conceptos" or element.getroottree().docinfo.internalDTD is not None:
                return
            yield name, {str(key): str(value) for key, value in element.attrib.items()}


def _first_rfc(elements: Mapping[str, dict[str, str]], places: Iterable[tuple[str, str]]) -> str:
    return next((rfc for place in places if (rfc := _rfc(elements, *place))), "")


def _first_name(elements: Mapping[str, dict[str, str]], places: Iterable[tuple[str, str]]) -> str:
    names = (elements.get(element, {}).get(attribute, "") for element, attribute in places)
    return next(filter(None, names), "")[:MAX_NAME_LENGTH]


def _rfc(elements: Mapping[str, dict[str, str]], element: str, attribute: str) -> str:
    rfc = elements.get(element, {}).get(attribute, "")
    return rfc if is_rfc(rfc) else ""
