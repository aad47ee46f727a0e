"""Answers about printed documents and rows of the SAT's lists; the OpenAPI schemas are derived from the classes."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.service.documents.printing import PrintedDocument


@dataclass(frozen=True, slots=True)
class PdfAnswer:
    """A printed CFDI."""

    contentB64: str
    contentSizeBytes: int
    uuid: str
    serie: str
    folio: str
    stampDate: str
    issuedDate: str
    rfcIssuer: str
    rfcReceptor: str
    total: str


@dataclass(frozen=True, slots=True)
class LrfcAnswer:
    """A row of the list of taxpayers (l_RFC)."""

    contribuyenteRFC: str
    sncf: bool
    subcontratacion: bool


def pdf_answer(printed: PrintedDocument) -> PdfAnswer:
    view = printed.view
    return PdfAnswer(
        contentB64=b64encode(printed.pdf).decode("ascii"),
        contentSizeBytes=len(printed.pdf),
        uuid=printed.uuid,
        serie=view.serie,
        folio=view.folio,
        stampDate=printed.stamp_date,
        issuedDate=view.fecha,
        rfcIssuer=view.emisor.rfc,
        rfcReceptor=view.receptor.rfc,
        total=view.total.replace(",", ""),
    )
