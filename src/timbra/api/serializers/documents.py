"""Answers about printed documents and rows of the SAT's lists. The OpenAPI schemas are derived from the classes."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

if TYPE_CHECKING:
    from timbra.rendering.branding import Branding
    from timbra.service.documents.printing import PrintedDocument
    from timbra.service.validation.taxpayer_lookup import ListedTaxpayer, Presumed


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


@dataclass(frozen=True, slots=True)
class LrfcAnswer:
    """A row of the list of taxpayers (l_RFC)."""

    contribuyenteRFC: str
    sncf: bool
    subcontratacion: bool


@dataclass(frozen=True, slots=True)
class Article69BAnswer:
    """A row of the list of article 69-B. The server does not have the columns about publications: null."""

    id: str
    rfc: str
    nombre_Contribuyente: str
    situacion_del_contribuyente: str
    numero_y_fecha_oficio_global_presuncion: None = None
    publicacion_pagina_SAT_presuntos: None = None
    publicacion_DOF_presuntos: None = None
    publicacion_pagina_SAT_desvirtuados: None = None
    numero_fecha_oficio_global_contribuyentes_que_desvirtuaron: None = None
    publicacion_DOF_desvirtuados: None = None
    numero_fecha_oficio_global_definitivos: None = None
    publicacion_pagina_SAT_definitivos: None = None
    publicacion_DOF_definitivos: None = None
    numero_fecha_oficio_global_sentencia_favorable: None = None
    publicacion_pagina_SAT_sentencia_favorable: None = None
    publicacion_DOF_sentencia_favorable: None = None


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


def lrfc_answer(row: ListedTaxpayer) -> LrfcAnswer:
    """Build `data` of a row of l_RFC."""
    return LrfcAnswer(row.rfc, row.sncf, row.subcontracting)


def article_69b_answer(row: Presumed) -> Article69BAnswer:
    """Build `data` of a row of the list of article 69-B."""
    return Article69BAnswer(row.rfc, row.rfc, row.name, row.situation)
