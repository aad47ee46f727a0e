"""`Cancelacion`: the request of an issuer to cancel its CFDI or its retenciones (since 2022 with a reason for each).

The namespace tells the two kinds apart; the elements are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from lxml import etree

from timbra.cfdi.cancelacion.reading import (
    CANCELACFD,
    RETENCIONES_NAMESPACES,
    new_root,
    parse_folio,
    read_root,
    require_fecha,
    require_folio_count,
    tag,
)
from timbra.core.clock import to_central_mexico

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
    """The request of an issuer; each document occurs once.

    Attributes:
        rfc_emisor: RFC of the issuer.
        folios: the documents to cancel.
        namespace: of the document; see `is_retenciones`.
    """

    rfc_emisor: str
    folios: tuple[Folio, ...]
    namespace: str = CANCELACFD

    @property
    def is_retenciones(self) -> bool:
        """Whether the request names retenciones instead of CFDI."""
        return self.namespace in RETENCIONES_NAMESPACES

    def to_root(self, at: datetime) -> etree._Element:
        """Return the unsigned document with the fiscal instant `at` as its Fecha."""
        root = new_root(NAME, self.namespace, Fecha=to_central_mexico(at), RfcEmisor=self.rfc_emisor)
        for folio in self.folios:
            group = etree.SubElement(root, tag("Folios", self.namespace))
            element = etree.SubElement(group, tag("Folio", self.namespace))
            element.set("UUID", folio.uuid.upper())
            element.set("Motivo", folio.motivo)
            if folio.substitute is not None:
                element.set("FolioSustitucion", folio.substitute.upper())
        return root


def read_cancelacion(xml: bytes, namespaces: Sequence[str] = (CANCELACFD,)) -> Cancelacion:
    """Read the document; its signature is not verified. Of several entries for one document the first counts.

    Args:
        namespaces: those that it may have; `RETENCIONES_NAMESPACES` for retenciones.

    Raises:
        ServiceError: "request-unreadable", "date-invalid", "request-empty", "folio-invalid" or "folios-many".
    """
    root = read_root(xml, NAME, namespaces)
    namespace = str(etree.QName(root).namespace)
    require_fecha(root)
    groups = root.iterchildren(tag("Folios", namespace))
    elements = [element for group in groups for element in group.iterchildren("*")]
    require_folio_count(len(elements))
    folios = [_folio(element, namespace) for element in elements]
    return Cancelacion(root.get("RfcEmisor") or "", _once(folios), namespace)


def _folio(element: etree._Element, namespace: str) -> Folio:
    """Read a `Folio` element, or the plain `UUID` element of documents before 2022, which has no reason."""
    if element.tag == tag("UUID", namespace):
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
