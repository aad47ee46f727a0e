"""What clients read: the four answer versions of a stamp, and a validation report, as JSON-ready dictionaries."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable

from timbra.service.orders import CustomIdConflict, Stamped
from timbra.service.report import Entry, EntryKind, Report

TYPE_VALUES = {EntryKind.ERROR: "Error", EntryKind.INFORMATION: "Information", EntryKind.WARNING: "Warning"}

Json = dict[str, object]


def success(data: object) -> Json:
    """The envelope of every success but a validation."""
    return {"data": data, "status": "success"}


def coded(data: object, code: str, message: str = "") -> Json:
    """The envelope of the receiver's services, which carries a code and, some of them, a message."""
    told: Json = {"data": data, "codStatus": code}
    return told | ({"message": message} if message else {}) | {"status": "success"}


def coded_refusal(code: str, message: str) -> Json:
    """The same where the code says that nothing was found."""
    return {"message": message, "messageDetail": None, "data": None, "codStatus": code, "status": "error"}


def stamped_data(stamped: Stamped, version: str, *, base64: bool, qr: Callable[[str], bytes]) -> Json:
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
    """`data` of CFDI3307: what may be told of the stamp that holds the customid; never its document."""
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


def report_body(report: Report) -> Json:
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


def _entry(entry: Entry) -> Json:
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
