"""From a cleared document to a finished stamp, still in memory; and from a stored stamp to what answers show."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from uuid import uuid4

from timbra.authority.port import Provider
from timbra.cfdi.document import Document, DocumentParser
from timbra.cfdi.qr import verification_url
from timbra.cfdi.splice import DECLARATION, insert_complement
from timbra.cfdi.tfd import TimbreFiscalDigital, stamps_in
from timbra.clock import to_central_mexico
from timbra.errors import ServiceError
from timbra.rules.cleared import Cleared
from timbra.seals.seal import seal
from timbra.service.orders import CustomIdConflict, Stamped
from timbra.store.port import StampRecord


@dataclass(frozen=True, slots=True)
class FreshStamp:
    """A stamp that no store has seen yet: the stamp itself and the whole XML, UTF-8 with declaration."""

    stamp: TimbreFiscalDigital
    cfdi: bytes


def make_stamp(cleared: Cleared, document: Document, provider: Provider) -> FreshStamp:
    """Gives a cleared document its folio, the instant of its checks and the provider's seal."""
    unsealed = TimbreFiscalDigital(
        uuid=str(uuid4()),
        fecha_timbrado=to_central_mexico(cleared.checked_at),
        rfc_prov_certif=provider.rfc,
        sello_cfd=document.root.get("Sello") or "",
        no_certificado_sat=provider.certificate.number,
    )
    stamp = unsealed.sealed(seal(provider.signer, unsealed.cadena_original))
    return FreshStamp(stamp, insert_complement(document, stamp.to_xml().encode()))


def shown(record: StampRecord, stamp: TimbreFiscalDigital) -> Stamped:
    """A stored stamp as answers show it."""
    return Stamped(
        tfd=_tfd(stamp),
        cfdi=record.cfdi.decode(),
        uuid=stamp.uuid,
        cadena_original_sat=stamp.cadena_original,
        numero_certificado_sat=stamp.no_certificado_sat,
        numero_certificado_cfdi=record.issuer_certificate,
        sello_sat=stamp.sello_sat,
        sello_cfdi=stamp.sello_cfd,
        fecha_timbrado=stamp.fecha_timbrado,
        verification_url=verification_url(
            stamp.uuid, record.issuer_rfc, record.receiver_rfc, Decimal(record.total), stamp.sello_cfd
        ),
    )


def conflict(stamp: TimbreFiscalDigital) -> CustomIdConflict:
    """What CFDI3307 may tell of the stamp that holds the customid."""
    return CustomIdConflict(
        tfd=_tfd(stamp),
        uuid=stamp.uuid,
        sello_sat=stamp.sello_sat,
        fecha_timbrado=stamp.fecha_timbrado,
        numero_certificado_sat=stamp.no_certificado_sat,
    )


def stamp_of(record: StampRecord, parser: DocumentParser) -> TimbreFiscalDigital:
    """The stamp inside a stored document. ServiceError CO1000 when the stored document has lost it."""
    for stamp in stamps_in(parser.parse(record.cfdi).root):
        if stamp.uuid == record.uuid:
            return stamp
    raise ServiceError("CO1000", "El documento guardado no contiene su timbre.")


def _tfd(stamp: TimbreFiscalDigital) -> str:
    return DECLARATION.decode() + stamp.to_xml()
