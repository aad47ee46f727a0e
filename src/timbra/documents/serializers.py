"""Answers about printed documents. The OpenAPI schemas are derived from the classes."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from timbra.delivery.serializers import StampDeliveryAnswer
from timbra.web.envelopes import MessageAnswer, SuccessAnswer

if TYPE_CHECKING:
    from timbra.documents.printing import PrintedDocument
    from timbra.rendering.branding import Branding


@dataclass(frozen=True, slots=True)
class PdfAnswer:
    """A printed CFDI."""

    contentB64: Annotated[str, "PDF in base64."]
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
class BrandingAnswer:
    """How the documents of an account are printed."""

    template: Annotated[str, "Name of the template."]
    color: Annotated[str, "Colour of titles, `#rrggbb`."]
    footer: Annotated[str, "Text at the foot of every page."]
    logo: Annotated[str | None, "PNG or JPEG in base64; null without a logo."]


def pdf_answer(printed: PrintedDocument) -> PdfAnswer:
    """Build `data` of a printed CFDI."""
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


def branding_answer(branding: Branding) -> BrandingAnswer:
    """Build `data` of the branding of an account."""
    logo = branding.logo
    encoded = None if logo is None else b64encode(logo.content).decode("ascii")
    return BrandingAnswer(branding.template, branding.color, branding.footer, encoded)


ANSWERS: dict[str, object] = {
    "StampDelivery": SuccessAnswer[StampDeliveryAnswer],
    "Branding": SuccessAnswer[BrandingAnswer],
    "Pdf": SuccessAnswer[PdfAnswer],
    "RegeneratedPdf": MessageAnswer[PdfAnswer],
    "Resent": MessageAnswer[Literal["email sent ok"]],
}
