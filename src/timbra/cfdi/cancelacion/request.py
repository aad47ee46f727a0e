"""`Cancelacion`: an issuer asks for the cancellation of its CFDI (since 2022 with a reason for each)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from lxml import etree

from timbra.cfdi.cancelacion.reading import new_root, parse_folio, read_root, require_fecha, require_folio_count, tag
from timbra.clock import to_central_mexico

NAME = "Cancelacion"


@dataclass(frozen=True, slots=True)
class Folio:
    """One CFDI to cancel. uuid, substitute: lower case. motivo: as written, empty when absent.

    substitute: FolioSustitucion, the CFDI that replaces it; None when absent or empty.
    """

    uuid: str
    motivo: str
    substitute: str | None = None


@dataclass(frozen=True, slots=True)
class Cancelacion:
    """The request of an issuer; it has each CFDI once."""

    rfc_emisor: str
    folios: tuple[Folio, ...]

    def to_root(self, at: datetime) -> etree._Element:
        """The document, unsigned, made at that fiscal instant."""
        root = new_root(NAME, Fecha=to_central_mexico(at), RfcEmisor=self.rfc_emisor)
        for folio in self.folios:
            element = etree.SubElement(etree.SubElement(root, tag("Folios")), tag("Folio"))
            element.set("UUID", folio.uuid.upper())
            element.set("Motivo", folio.motivo)
            if folio.substitute is not None:
                element.set("FolioSustitucion", folio.substitute.upper())
        return root


def read_cancelacion(xml: bytes) -> Cancelacion:
    """ServiceError("request-unreadable", "request-empty", "folio-invalid", "folios-many"). No seal is looked at."""
    root = read_root(xml, NAME)
    require_fecha(root)
    elements = [element for group in root.iterchildren(tag("Folios")) for element in group.iterchildren("*")]
    require_folio_count(len(elements))
    folios = [_folio(element) for element in elements]
    return Cancelacion(root.get("RfcEmisor") or "", _once(folios))


def _folio(element: etree._Element) -> Folio:
    """A `Folio`, or the bare `UUID` of documents before 2022, which has no reason."""
    if element.tag == tag("UUID"):
        return Folio(parse_folio(element.text or ""), "")
    substitute = (element.get("FolioSustitucion") or "").strip()
    return Folio(
        parse_folio(element.get("UUID") or ""),
        element.get("Motivo") or "",
        parse_folio(substitute) if substitute else None,
    )


def _once(folios: list[Folio]) -> tuple[Folio, ...]:
    """The first of those that name the same CFDI."""
    first: dict[str, Folio] = {}
    for folio in folios:
        first.setdefault(folio.uuid, folio)
    return tuple(first.values())
