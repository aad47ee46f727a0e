"""What clients read: the four answer versions of a stamp, and a validation report, as JSON-ready dictionaries."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass

from timbra.clock import to_central_mexico
from timbra.service.stamping.models import CustomIdConflict, StampResult
from timbra.service.validation.models import ReportEntry, ReportEntryKind, ValidationReport
from timbra.store.stamps.port import StampPage, StampRecord

TYPE_VALUES = {
    ReportEntryKind.ERROR: "Error",
    ReportEntryKind.INFORMATION: "Information",
    ReportEntryKind.WARNING: "Warning",
}

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class StampRecordAnswer:
    """A stamp of the account."""

    uuid: str
    fechaTimbrado: str
    version: str
    tipoDeComprobante: str
    serie: str
    folio: str
    fecha: str
    rfcEmisor: str
    rfcReceptor: str
    total: str
    noCertificadoCFDI: str
    noCertificadoSAT: str
    requestId: str


@dataclass(frozen=True, slots=True)
class StampPageAnswer:
    """A page of stamps. cursor: of the next page, null at the end."""

    records: list[StampRecordAnswer]
    cursor: str | None


def stamp_page_answer(page: StampPage) -> StampPageAnswer:
    return StampPageAnswer([_record(record) for record in page.records], page.cursor)


def _record(record: StampRecord) -> StampRecordAnswer:
    return StampRecordAnswer(
        uuid=record.uuid,
        fechaTimbrado=to_central_mexico(record.stamped_at),
        version=record.version,
        tipoDeComprobante=record.kind,
        serie=record.serie,
        folio=record.folio,
        fecha=record.fecha,
        rfcEmisor=record.issuer_rfc,
        rfcReceptor=record.receiver_rfc,
        total=record.total,
        noCertificadoCFDI=record.issuer_certificate,
        noCertificadoSAT=record.provider_certificate,
        requestId=record.request_id,
    )


def success(data: object) -> Json:
    """The envelope of every success but a validation."""
    return {"data": data, "status": "success"}


def coded(data: object, code: str, message: str = "") -> Json:
    """The envelope of the receiver's services, which carries a code and, some of them, a message."""
    body: Json = {"data": data, "codStatus": code}
    return body | ({"message": message} if message else {}) | {"status": "success"}


def coded_rejection(code: str, message: str) -> Json:
    """The same where the code says that nothing was found."""
    return {"message": message, "messageDetail": None, "data": None, "codStatus": code, "status": "error"}


def stamped_data(stamped: StampResult, version: str, *, base64: bool, qr: Callable[[str], bytes]) -> Json:
    """`data` of a stamp in the version `v1`..`v4`. base64: `tfd` and `cfdi` in base64. qr: draws a URL as PNG."""
    if version == "v1":
        return {"tfd": _text(stamped.tfd, base64)}
    if version == "v2":
        return {"tfd": _text(stamped.tfd, base64), "cfdi": _text(stamped.cfdi, base64)}
    if version == "v3":
        return {"cfdi": _text(stamped.cfdi, base64)}
    return {
        "cadenaOriginalSAT": stamped.cadena_original_sat,
        "noCertificadoSAT": stamped.numero_certificado_sat,
        "noCertificadoCFDI": stamped.numero_certificado_cfdi,
        "uuid": stamped.uuid,
        "selloSAT": stamped.sello_sat,
        "selloCFDI": stamped.sello_cfdi,
        "fechaTimbrado": stamped.fecha_timbrado,
        "qrCode": b64encode(qr(stamped.verification_url)).decode("ascii"),
        "cfdi": _text(stamped.cfdi, base64),
    }


def conflict_data(conflict: CustomIdConflict, version: str, *, base64: bool) -> Json:
    """`data` of CFDI3307: what the caller may know of the stamp that holds the customid, without its document."""
    if version == "v1":
        return {"tfd": _text(conflict.tfd, base64)}
    if version == "v2":
        return {"tfd": _text(conflict.tfd, base64), "cfdi": ""}
    if version == "v3":
        return {"cfdi": ""}
    return {
        "cadenaOriginalSAT": None,
        "noCertificadoSAT": conflict.numero_certificado_sat,
        "noCertificadoCFDI": None,
        "uuid": conflict.uuid,
        "selloSAT": conflict.sello_sat,
        "selloCFDI": None,
        "fechaTimbrado": conflict.fecha_timbrado,
        "qrCode": None,
        "cfdi": "",
    }


def report_body(report: ValidationReport) -> Json:
    """The whole body of a validation, which has no `data`: a wrong invoice too is a success of the service."""
    return {
        "detail": [
            {"detail": [_entry(entry) for entry in section.entries], "section": section.name}
            for section in report.sections
        ],
        "cadenaOriginalSAT": report.cadena_original_sat,
        "cadenaOriginalComprobante": report.cadena_original_comprobante,
        "uuid": report.uuid,
        "statusSat": report.status_sat,
        "statusCodeSat": report.status_code_sat,
        "isCancelable": report.is_cancelable,
        "statusCancelation": report.status_cancelation,
        "validacionEFOS": report.efos,
        "dataVersion": report.data_version,
        "status": "success",
    }


def _entry(entry: ReportEntry) -> Json:
    """The four keys of the contract, and those of Timbra's own that have something to say."""
    own: Json = {
        "code": entry.code,
        "path": entry.path,
        "found": entry.found,
        "expected": entry.expected,
        "hint": entry.hint,
        "page": entry.page,
    }
    contract: Json = {
        "message": entry.message,
        "messageDetail": entry.detail,
        "type": int(entry.kind),
        "typeValue": TYPE_VALUES[entry.kind],
    }
    return contract | {key: value for key, value in own.items() if value is not None}


def _text(xml: str, base64: bool) -> str:
    return b64encode(xml.encode("utf-8")).decode("ascii") if base64 else xml
