"""Makes stamps in memory in three steps (prepare, sign, finish), and results from stored stamps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import NamedTuple
from xml.parsers.expat import ExpatError

from timbra.cfdi.byte_splice import DECLARATION, insert_complement
from timbra.cfdi.document import Document, DocumentParser
from timbra.cfdi.header_reader import read_header
from timbra.cfdi.nodes import FiscalDocument
from timbra.cfdi.nodes.retenciones20 import Retenciones
from timbra.cfdi.qr import VerificationQuery, retenciones_verification_query, verification_query
from timbra.cfdi.read_back import describe_error, find_mismatch, find_syntax_error
from timbra.cfdi.tfd import TimbreFiscalDigital, read_stamps
from timbra.cfdi.uuid_text import random_uuid
from timbra.core.clock import to_central_mexico
from timbra.core.errors import ServiceError
from timbra.sat.port import Provider
from timbra.stamping.models import CustomIdConflict, StampRequest, StampResult
from timbra.stamping.stages import IssuancePermit, header_of
from timbra.stamping.stored_document import read_stored
from timbra.stamps.port import StampRecord

DECLARATION_TEXT = DECLARATION.decode()


@dataclass(frozen=True, slots=True)
class UnsignedStamp:
    """A stamp that is ready for the provider's signature.

    Attributes:
        tfd: the TimbreFiscalDigital without SelloSAT.
        cadena: its cadena original.
    """

    document: Document
    tfd: TimbreFiscalDigital
    cadena: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class NewStamp:
    """A finished stamp that is not stored yet.

    Attributes:
        xml: XML of the TimbreFiscalDigital, without declaration.
        cadena: cadena original of the stamp.
        tag: qualified name of the root, `{namespace}local`.
        cfdi: the whole XML, UTF-8 with declaration.
    """

    stamp: TimbreFiscalDigital
    xml: str = field(repr=False)
    cadena: str = field(repr=False)
    tag: str
    cfdi: bytes


def prepare_stamp(permit: IssuancePermit, provider: Provider) -> UnsignedStamp:
    """Consume the permit and assign a folio fiscal and the fiscal time of the checks.

    Raises:
        RuntimeError: the permit was used before.
    """
    document = permit.consume()
    tfd = TimbreFiscalDigital(
        uuid=random_uuid(),
        fecha_timbrado=to_central_mexico(permit.validated.checked_at),
        rfc_prov_certif=provider.rfc,
        sello_cfd=document.root.get("Sello") or "",
        no_certificado_sat=provider.certificate.number,
    )
    return UnsignedStamp(document, tfd, tfd.cadena_original)


def finish_stamp(unsigned: UnsignedStamp, sello_sat: str) -> NewStamp:
    """Write the signed stamp into the document.

    Args:
        unsigned: the stamp and its document.
        sello_sat: the provider's signature in base64.

    Raises:
        ServiceError: "stamp-unreadable" when the document has no place for a stamp.
    """
    stamp = unsigned.tfd.sealed(sello_sat)
    xml = stamp.to_xml()
    try:
        stamped = insert_complement(unsigned.document, xml.encode())
    except ExpatError as error:
        raise ServiceError("stamp-unreadable", describe_error(error)) from error
    return NewStamp(stamp, xml, unsigned.cadena, str(unsigned.document.root.tag), stamped)


def require_read_back(new_stamp: NewStamp) -> None:
    """Parse the bytes that the server is about to store and compare them with the stamp.

    Raises:
        ServiceError: "stamp-unreadable" when they differ.
    """
    fault = find_mismatch(new_stamp.cfdi, new_stamp.stamp, new_stamp.tag)
    if fault is not None:
        raise ServiceError("stamp-unreadable", fault)


def require_well_formed(received: bytes) -> None:
    """Check that a second XML parser (expat) accepts a received document that libxml2 has accepted.

    Raises:
        ServiceError: "301" when expat rejects the document.
    """
    fault = find_syntax_error(received)
    if fault is not None:
        raise ServiceError("301", f"El documento no es XML 1.0 para todos los lectores: {fault}")


class Versions(NamedTuple):
    """What a document was evaluated against."""

    rules: str
    catalogs: str
    lists: str


def new_record(
    document: FiscalDocument,
    request: StampRequest,
    new_stamp: NewStamp,
    seal_hash: bytes,
    checked_at: datetime,
    versions: Versions,
    environment: str,
) -> StampRecord:
    """Return what is stored of a finished stamp.

    Args:
        document: nodes of the sealed document.
        checked_at: fiscal instant of the checks.
        environment: name of the environment.
    """
    header = header_of(document)
    return StampRecord(
        seal_hash=seal_hash,
        uuid=new_stamp.stamp.uuid,
        account_id=request.caller.account_id,
        environment=environment,
        request_id=request.request_id,
        stamped_at=checked_at.replace(microsecond=0),
        version=document.Version,
        kind=document.kind,
        serie=header.serie,
        folio=header.folio,
        fecha=document.issued_at,
        issuer_rfc=document.issuer_rfc,
        receiver_rfc=header.receiver_rfc,
        total=header.total,
        issuer_certificate=document.NoCertificado,
        provider_certificate=new_stamp.stamp.no_certificado_sat,
        rule_set=versions.rules,
        data_version=versions.catalogs,
        lists_version=versions.lists,
        cfdi=new_stamp.cfdi,
    )


def to_result(record: StampRecord, stamp: TimbreFiscalDigital) -> StampResult:
    """Return a stored stamp as responses represent it."""
    return _result(record, stamp, stamp.to_xml(), stamp.cadena_original)


def to_new_result(record: StampRecord, new_stamp: NewStamp) -> StampResult:
    """Return a stamp that was stored now, as responses represent it."""
    return _result(record, new_stamp.stamp, new_stamp.xml, new_stamp.cadena)


def _result(record: StampRecord, stamp: TimbreFiscalDigital, xml: str, cadena: str) -> StampResult:
    return StampResult(
        tfd=DECLARATION_TEXT + xml,
        cfdi=record.cfdi.decode(),
        uuid=stamp.uuid,
        cadena_original_sat=cadena,
        numero_certificado_sat=stamp.no_certificado_sat,
        numero_certificado_cfdi=record.issuer_certificate,
        sello_sat=stamp.sello_sat,
        sello_cfdi=stamp.sello_cfd,
        fecha_timbrado=stamp.fecha_timbrado,
        build_query=_query_builder(record, stamp),
    )


def _query_builder(record: StampRecord, stamp: TimbreFiscalDigital) -> Callable[[], VerificationQuery]:
    """Return a function without the record, because results of child processes are sent to their parent."""
    total = Decimal(record.total)
    if record.version not in Retenciones.VERSIONS:
        return partial(verification_query, stamp.uuid, record.issuer_rfc, record.receiver_rfc, total, stamp.sello_cfd)
    header = read_header(record.cfdi)
    receiver = header.receiver_rfc, header.receiver_tax_id
    return partial(retenciones_verification_query, stamp.uuid, record.issuer_rfc, *receiver, total, stamp.sello_cfd)


def to_conflict(stamp: TimbreFiscalDigital) -> CustomIdConflict:
    """Return the values of the stamp that has the customid, for the response CFDI3307."""
    return CustomIdConflict(
        tfd=DECLARATION_TEXT + stamp.to_xml(),
        uuid=stamp.uuid,
        sello_sat=stamp.sello_sat,
        fecha_timbrado=stamp.fecha_timbrado,
        numero_certificado_sat=stamp.no_certificado_sat,
    )


def read_stamp(record: StampRecord, parser: DocumentParser) -> TimbreFiscalDigital:
    """Return the stamp inside a stored document.

    Args:
        parser: parser of the calling thread.

    Raises:
        ServiceError: as `read_stored`; "document-damaged" when the document does not contain its stamp.
    """
    for stamp in read_stamps(read_stored(record, parser).root):
        if stamp.uuid == record.uuid:
            return stamp
    raise ServiceError("document-damaged", f"Timbre {record.uuid}: el documento no contiene su timbre.")
