"""`SolicitudAceptacionRechazo`: a receiver accepts or rejects the cancellation of CFDI that it received."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from lxml import etree

from timbra.cfdi.cancelacion.reading import (
    new_root,
    parse_folio,
    read_root,
    reject_request,
    require_fecha,
    require_folio_count,
    tag,
)
from timbra.clock import to_central_mexico

NAME = "SolicitudAceptacionRechazo"


class ReceiverAnswer(StrEnum):
    """The values of the SAT."""

    ACCEPT = "Aceptacion"
    REJECT = "Rechazo"


@dataclass(frozen=True, slots=True)
class AcceptReject:
    """What a receiver answers, by UUID in lower case. provider_rfc: who sends the answer, empty if it does not say."""

    rfc_receptor: str
    answers: dict[str, ReceiverAnswer]
    provider_rfc: str = ""

    def to_root(self, at: datetime) -> etree._Element:
        """The document, unsigned, made at that fiscal instant."""
        root = new_root(
            NAME, Fecha=to_central_mexico(at), RfcReceptor=self.rfc_receptor, RfcPacEnviaSolicitud=self.provider_rfc
        )
        for uuid, answer in self.answers.items():
            group = etree.SubElement(root, tag("Folios"))
            etree.SubElement(group, tag("UUID")).text = uuid.upper()
            etree.SubElement(group, tag("Respuesta")).text = answer
        return root


def read_accept_reject(xml: bytes) -> AcceptReject:
    """ServiceError("request-unreadable", "request-empty", "folio-invalid", "folios-many"). Its seal is not looked at.

    Where a folio is answered twice the first answer counts.
    """
    root = read_root(xml, NAME)
    require_fecha(root)
    groups = list(root.iterchildren(tag("Folios")))
    require_folio_count(len(groups))
    answers: dict[str, ReceiverAnswer] = {}
    for group in groups:
        answers.setdefault(parse_folio(_text(group, "UUID")), read_answer(_text(group, "Respuesta")))
    return AcceptReject(root.get("RfcReceptor") or "", answers, root.get("RfcPacEnviaSolicitud") or "")


def read_answer(text: str) -> ReceiverAnswer:
    """`Aceptacion` or `Rechazo`, whatever the case of the letters. ServiceError("request-unreadable")."""
    wanted = text.strip().lower()
    parsed = next((answer for answer in ReceiverAnswer if answer.lower() == wanted), None)
    return parsed or reject_request("La Respuesta debe ser Aceptacion o Rechazo.")


def _text(group: etree._Element, name: str) -> str:
    """An element's text; some programs write the answer as an attribute."""
    return group.findtext(tag(name)) or group.get(name) or ""
