"""`PeticionConsultaRelacionados`: an issuer or receiver asks which CFDI name one of theirs, and which it names."""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

from timbra.cfdi.cancelacion.reading import new_root, parse_folio, read_root

NAME = "PeticionConsultaRelacionados"


@dataclass(frozen=True, slots=True)
class RelationsRequest:
    """uuid: lower case. rfc: of the receiver or issuer that asks. provider_rfc: who sends it."""

    uuid: str
    rfc: str
    provider_rfc: str = ""

    def to_root(self) -> etree._Element:
        """The document, unsigned; it carries no date."""
        root = new_root(NAME)
        root.set("Uuid", self.uuid.upper())
        root.set("RfcReceptor", self.rfc)
        root.set("RfcPacEnviaSolicitud", self.provider_rfc)
        return root


def read_relations_request(xml: bytes) -> RelationsRequest:
    """ServiceError("request-unreadable", "folio-invalid"). Its seal is not looked at."""
    root = read_root(xml, NAME)
    rfc = root.get("RfcReceptor") or root.get("RfcEmisor") or ""
    return RelationsRequest(
        parse_folio(root.get("Uuid") or root.get("UUID") or ""), rfc, root.get("RfcPacEnviaSolicitud") or ""
    )
