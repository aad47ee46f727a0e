"""`PeticionConsultaRelacionados`: the query of an issuer or receiver for the CFDI related to one of its own."""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

from timbra.cfdi.cancelacion.reading import new_root, parse_folio, read_root

NAME = "PeticionConsultaRelacionados"


@dataclass(frozen=True, slots=True)
class RelationsRequest:
    """A query for related CFDI.

    Attributes:
        uuid: folio in lower case.
        rfc: RFC of the issuer or receiver that makes the query.
        provider_rfc: RFC of the provider that sends it.
    """

    uuid: str
    rfc: str
    provider_rfc: str = ""

    def to_root(self) -> etree._Element:
        """Return the unsigned document; it has no date."""
        root = new_root(NAME)
        root.set("Uuid", self.uuid.upper())
        root.set("RfcReceptor", self.rfc)
        root.set("RfcPacEnviaSolicitud", self.provider_rfc)
        return root


def read_relations_request(xml: bytes) -> RelationsRequest:
    """Read the document; its signature is not verified.

    Raises:
        ServiceError: "request-unreadable" or "folio-invalid".
    """
    root = read_root(xml, NAME)
    rfc = root.get("RfcReceptor") or root.get("RfcEmisor") or ""
    return RelationsRequest(
        parse_folio(root.get("Uuid") or root.get("UUID") or ""), rfc, root.get("RfcPacEnviaSolicitud") or ""
    )
