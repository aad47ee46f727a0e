"""`Cancelacion`: the request of an issuer to cancel its CFDI (since 2022 with a reason for each)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from lxml import etree

from timbra.cfdi.cancelacion.reading import new_root, parse_folio, read_root, require_fecha, require_folio_count, tag
from timbra.clock import to_central_mexico

NAME = "Cancelacion"


@dataclass(frozen=True, slots=True)
class Folio:
    """A CFDI to cancel.

    Attributes:
        uuid: folio in lower case.
        motivo: as written, empty when absent.
        substitute: FolioSustitucion in lower case, the CFDI that replaces it; None when absent or empty.
    """

    uuid: str
    motivo: str
    substitute: str | None = None


@dataclass(frozen=True, slots=True)
class Cancelacion:
    """The request of an issuer; each CFDI occurs once."""

    rfc_emisor: str
    folios: tuple[Folio, ...]

    def to_root(self, at: datetime) -> etree._Element:
        """Return the unsigned document with the fiscal instant `at` as its Fecha."""
        root = new_root(NAME, Fecha=to_central_mexico(at), RfcEmisor=self.rfc_emisor)
        for folio in self.folios:
            element = etree.SubElement(etree.SubElement(root, tag("Folios")), tag("Folio"))
            element.set("UUID", folio.uuid.upper())
            element.set("Motivo", folio.motivo)
            if folio.substitute is not None:
                element.set("FolioSustitucion", folio.substitute.upper())
        return root


def read_cancelacion(xml: bytes) -> Cancelacion:
    """Read the document; its signature is not verified. Of several entries for one CFDI the first counts.

    Raises:
        ServiceError: "request-unreadable", "request-empty", "folio-invalid" or "folios-many".
    """
    root = read_root(xml, NAME)
    require_fecha(root)
    elements = [element for group in root.iterchildren(tag("Folios")) for element in group.iterchildren("*")]
    require_folio_count(len(elements))
    folios = [_folio(element) for element in elements]
    return Cancelacion(root.get("RfcEmisor") or "", _once(folios))


def _folio(element: etree._Element) -> Folio:
    """Read a `Folio` element, or the plain `UUID` element of documents before 2022, which has no reason."""
    if element.tag == tag("UUID"):
        return Folio(parse_folio(element.text or ""), "")
    substitute = (element.get("FolioSustitucion") or "").strip()
    return Folio(
        parse_folio(element.get("UUID") or ""),
        element.get("Motivo") or "",
        parse_folio(substitute) if substitute else None,
    )


def _once(folios: list[Folio]) -> tuple[Folio, ...]:
    """Return the first entry of each CFDI."""
    first: dict[str, Folio] = {}
    for folio in folios:
        first.setdefault(folio.uuid, folio)
    return tuple(first.values())
