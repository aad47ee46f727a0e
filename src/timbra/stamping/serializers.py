"""Answers about stamps: the four versions of a stamp, and the pages of the account's stamps.

The OpenAPI schemas are derived from the classes.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Final, TypeAlias, TypedDict
from urllib.parse import quote

from timbra.cfdi.qr import VerificationQuery
from timbra.core.clock import to_central_mexico
from timbra.evaluation.article_69b import Article69bFinding
from timbra.stamping.models import CustomIdConflict, StampResult
from timbra.stamps.port import DamagedStamp, StampPage, StampRecord
from timbra.stamps.row_mapping import has_damaged_columns
from timbra.web.envelopes import ErrorAnswer, RejectionContent, SuccessAnswer

ARTICLE_69B_HEADER: Final = "X-Timbra-Article-69B"


def article_69b_header(finding: Article69bFinding) -> str:
    """Return the value of the header, in ASCII.

    It is `unavailable` without a list, else `listed` or `not-listed` with the day of the list, the listed RFCs
    (percent-encoded, because an RFC may have the letter Ñ) and `stale` for a list that is too old:
    `listed; date=2026-10-15; rfc=EKU9003173C9; stale`.
    """
    if finding.dated is None:
        return "unavailable"
    parts = ["listed" if finding.listed else "not-listed", f"date={finding.dated}"]
    parts += [f"rfc={quote(rfc)}" for rfc in finding.listed]
    return "; ".join([*parts, "stale"] if finding.is_stale else parts)


class StampV1Answer(TypedDict):
    """A stamp in version 1."""

    tfd: Annotated[str, "XML of the TimbreFiscalDigital; base64 with `b64` in the path."]


class StampV2Answer(TypedDict):
    """A stamp in version 2."""

    tfd: Annotated[str, "XML of the TimbreFiscalDigital; base64 with `b64` in the path."]
    cfdi: Annotated[str, "XML of the stamped CFDI; base64 with `b64` in the path."]


class StampV3Answer(TypedDict):
    """A stamp in version 3."""

    cfdi: Annotated[str, "XML of the stamped CFDI; base64 with `b64` in the path."]


class StampV4Answer(TypedDict):
    """A stamp in version 4."""

    cadenaOriginalSAT: str
    noCertificadoSAT: str
    noCertificadoCFDI: str
    uuid: str
    selloSAT: str
    selloCFDI: str
    fechaTimbrado: str
    qrCode: Annotated[str, "PNG in base64."]
    cfdi: Annotated[str, "XML of the stamped CFDI; base64 with `b64` in the path."]


class RetencionV2Answer(TypedDict):
    """Version 2 of a stamped retención."""

    tfd: Annotated[str, "XML of the TimbreFiscalDigital; base64 with `b64` in the path."]
    retencion: Annotated[str, "XML of the stamped retención; base64 with `b64` in the path."]


class RetencionV3Answer(TypedDict):
    """Version 3 of a stamped retención."""

    retencion: Annotated[str, "XML of the stamped retención; base64 with `b64` in the path."]


class RetencionV4Answer(TypedDict):
    """Version 4 of a stamped retención."""

    cadenaOriginalSAT: str
    noCertificadoSAT: str
    noCertificadoCFDI: str
    uuid: str
    selloSAT: str
    selloCFDI: str
    fechaTimbrado: str
    qrCode: Annotated[str, "PNG in base64."]
    retencion: Annotated[str, "XML of the stamped retención; base64 with `b64` in the path."]


class CustomIdConflictAnswer(TypedDict):
    """The stamp that holds a customid, in version 4, without its document."""

    cadenaOriginalSAT: None
    noCertificadoSAT: str
    noCertificadoCFDI: None
    uuid: str
    selloSAT: str
    selloCFDI: None
    fechaTimbrado: str
    qrCode: None
    cfdi: str


StampAnswer: TypeAlias = StampV1Answer | StampV2Answer | StampV3Answer | StampV4Answer
RetencionAnswer: TypeAlias = StampV1Answer | RetencionV2Answer | RetencionV3Answer | RetencionV4Answer
ConflictAnswer: TypeAlias = StampV1Answer | StampV2Answer | StampV3Answer | CustomIdConflictAnswer
RejectionData: TypeAlias = Annotated[
    StampAnswer | RetencionAnswer | CustomIdConflictAnswer | None,
    "The stamp behind 307, T307 and CFDI3307; null with every other code.",
]


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
    damaged: Annotated[bool, "Whether the stored document or another value of the row cannot be read."]


@dataclass(frozen=True, slots=True)
class StampPageAnswer:
    records: list[StampRecordAnswer]
    cursor: Annotated[str | None, "Cursor of the next page, null on the last page."]


def stamp_answer(
    stamped: StampResult, version: str, *, base64: bool, qr: Callable[[VerificationQuery], bytes]
) -> StampAnswer:
    """Build `data` of a stamp.

    Args:
        version: `v1` to `v4`.
        base64: Whether `tfd` and `cfdi` are base64.
        qr: Draws the QR code of a query as PNG; only version 4 calls it.
    """
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
        "qrCode": b64encode(qr(stamped.verification_query)).decode("ascii"),
        "cfdi": _text(stamped.cfdi, base64),
    }


def retencion_answer(
    stamped: StampResult, version: str, *, base64: bool, qr: Callable[[VerificationQuery], bytes]
) -> RetencionAnswer:
    """Build `data` of a stamped retención.

    Args:
        version: `v1` to `v4`.
        base64: Whether `tfd` and `retencion` are base64.
        qr: Draws the QR code of a verification query as PNG; only version 4 calls it.
    """
    document = _text(stamped.cfdi, base64)
    if version == "v1":
        return {"tfd": _text(stamped.tfd, base64)}
    if version == "v2":
        return {"tfd": _text(stamped.tfd, base64), "retencion": document}
    if version == "v3":
        return {"retencion": document}
    return {
        "cadenaOriginalSAT": stamped.cadena_original_sat,
        "noCertificadoSAT": stamped.numero_certificado_sat,
        "noCertificadoCFDI": stamped.numero_certificado_cfdi,
        "uuid": stamped.uuid,
        "selloSAT": stamped.sello_sat,
        "selloCFDI": stamped.sello_cfdi,
        "fechaTimbrado": stamped.fecha_timbrado,
        "qrCode": b64encode(qr(stamped.verification_query)).decode("ascii"),
        "retencion": document,
    }


def conflict_answer(conflict: CustomIdConflict, version: str, *, base64: bool) -> ConflictAnswer:
    """Build `data` of CFDI3307: the stamp that holds the customid, with an empty document.

    Args:
        conflict: What the caller may read of that stamp.
        version: `v1` to `v4`.
        base64: Whether `tfd` is base64.
    """
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


def rejection_content(data: object, outcome: object) -> RejectionContent:
    """Build what a rejection of stamping has besides code and detail.

    `messageDetail` of a repeat is the stamped XML, never in base64: Odoo reads it there.

    Args:
        data: The content of `data`.
        outcome: The data of the rejection: the earlier stamp of a repeat, a `CustomIdConflict`, or None.
    """
    return RejectionContent(data, outcome.cfdi if isinstance(outcome, StampResult) else None)


def stamp_page_answer(page: StampPage) -> StampPageAnswer:
    """Build `data` of a page of stamps."""
    return StampPageAnswer([_record(stamp) for stamp in page.stamps], page.cursor)


def _record(stamp: StampRecord | DamagedStamp) -> StampRecordAnswer:
    record = stamp.record if isinstance(stamp, DamagedStamp) else stamp
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
        damaged=record is not stamp or has_damaged_columns(record),
    )


def _text(xml: str, base64: bool) -> str:
    return b64encode(xml.encode("utf-8")).decode("ascii") if base64 else xml


ANSWERS: dict[str, object] = {
    "Rejection": ErrorAnswer[RejectionData],
    "Retencion": SuccessAnswer[Annotated[RetencionAnswer, "By the version in the path: v4, v2, v1, v3."]],
    "Stamp": SuccessAnswer[Annotated[StampAnswer, "By the version in the path: v4, v2, v1, v3."]],
    "StampPage": SuccessAnswer[StampPageAnswer],
}
