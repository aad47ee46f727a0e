"""The delivery of stamped documents to the SAT, as the service sees it. Implementation: `authority.sat.reception`."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from timbra.cfdi.document import Document
from timbra.cfdi.tfd import read_stamps
from timbra.core.errors import ServiceError


class ReceptionState(StrEnum):
    """What the SAT did with a document."""

    RECEIVED = "received"
    WITH_INCIDENCIA = "received-with-incidencia"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class StampedDocument:
    """A document to deliver, with what is announced about it.

    Attributes:
        uuid: The folio as in the stamp.
        stamped_at: FechaTimbrado, as written.
        certificate_number: NoCertificadoSAT of the stamp.
        is_retencion: Whether it is a retención, which another service receives.
    """

    uuid: str
    issuer_rfc: str
    stamped_at: str
    certificate_number: str
    version: str
    xml: bytes = field(repr=False)
    is_retencion: bool = False


@dataclass(frozen=True, slots=True)
class AcuseIncidencia:
    """An Incidencia of an acuse.

    Attributes:
        code: CodigoError.
        message: MensajeIncidencia.
    """

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class ReceptionAcuse:
    """The answer of the SAT about one document.

    Attributes:
        state: What the SAT did with the document.
        status: CodEstatus.
        incidencias: The findings.
        xml: The whole acuse, as received.
        announce_seconds: The time from the end of the upload to the acuse.
    """

    state: ReceptionState
    status: str
    incidencias: tuple[AcuseIncidencia, ...]
    xml: bytes = field(repr=False)
    announce_seconds: float = 0.0


class ReceptionAuthority(Protocol):
    """The receiver of stamped documents."""

    def capacity(self, wanted: int) -> int:
        """Return how many of some documents may be delivered now: fewer after repeated failures, 0 during a pause."""
        ...

    def pause(self, document: StampedDocument) -> float | None:
        """Return for how many seconds the receiver of a document is not called after repeated failures.

        Returns:
            None while it is called without a pause.
        """
        ...

    def deliver(self, document: StampedDocument) -> ReceptionAcuse:
        """Deliver a document; the call may be repeated.

        Raises:
            ServiceError: "authority-down" when it is unknown whether the SAT received the document: repeat the call.
                "delivery-rejected" when the SAT does not admit the caller: the configuration must change first.
        """
        ...


def stamped_document(document: Document) -> StampedDocument:
    """Return what is delivered of a CFDI.

    Raises:
        ServiceError: "document-invalid" unless it has one stamp.
    """
    stamps = read_stamps(document.root)
    issuer = document.root.find("{*}Emisor")
    if len(stamps) != 1 or issuer is None or not document.version:
        raise ServiceError("document-invalid", "Debe ser un CFDI con un timbre.")
    (stamp,) = stamps
    rfc = issuer.get("Rfc") or issuer.get("RfcE") or issuer.get("rfc") or ""
    return StampedDocument(
        stamp.uuid,
        rfc,
        stamp.fecha_timbrado,
        stamp.no_certificado_sat,
        document.version,
        document.source,
        document.is_retenciones,
    )
