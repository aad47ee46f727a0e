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
from timbra.core.clock import to_central_mexico

NAME = "SolicitudAceptacionRechazo"


class ReceiverAnswer(StrEnum):
    """Respuesta of a receiver, with the SAT's values."""

    ACCEPT = "Aceptacion"
    REJECT = "Rechazo"


@dataclass(frozen=True, slots=True)
class AcceptReject:
    """The answers of one receiver.

    Attributes:
        rfc_receptor: RFC of the receiver.
        answers: answer by UUID in lower case.
        provider_rfc: RFC of the provider that sends the document; empty when the document does not name one.
    """

    rfc_receptor: str
    answers: dict[str, ReceiverAnswer]
    provider_rfc: str = ""

    def to_root(self, at: datetime) -> etree._Element:
        """Return the unsigned document with the fiscal instant `at` as its Fecha."""
        root = new_root(
            NAME, Fecha=to_central_mexico(at), RfcReceptor=self.rfc_receptor, RfcPacEnviaSolicitud=self.provider_rfc
        )
        for uuid, answer in self.answers.items():
            group = etree.SubElement(root, tag("Folios"))
            etree.SubElement(group, tag("UUID")).text = uuid.upper()
            etree.SubElement(group, tag("Respuesta")).text = answer
        return root


def read_accept_reject(xml: bytes) -> AcceptReject:
    """Read the document; its signature is not verified. Of several answers for one folio the first counts.

    Raises:
        ServiceError: "request-unreadable", "date-invalid", "request-empty", "folio-invalid" or "folios-many".
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
    """Read `Aceptacion` or `Rechazo` in any letter case.

    Raises:
        ServiceError: "request-unreadable" for any other text.
    """
    folded = text.strip().lower()
    parsed = next((answer for answer in ReceiverAnswer if answer.lower() == folded), None)
    return parsed or reject_request("La Respuesta debe ser Aceptacion o Rechazo.")


def _text(group: etree._Element, name: str) -> str:
    """Return the text of a child element, or of the attribute of that name, which some programs write instead."""
    return group.findtext(tag(name)) or group.get(name) or ""
