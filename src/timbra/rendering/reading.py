"""The reader of views of a parsed document of any kind."""

from __future__ import annotations

from copy import deepcopy

from lxml import etree

from timbra.catalogs import SnapshotCatalogs
from timbra.catalogs.labels import CatalogLabels
from timbra.cfdi.document import is_retenciones, version_of
from timbra.cfdi.nodes import comprobante32
from timbra.cfdi.qr import (
    SAT_PAGES,
    QrPainter,
    VerificationPages,
    VerificationQuery,
    retenciones_verification_query,
    verification_query,
)
from timbra.cfdi.structure.standards import XmlStandards
from timbra.cfdi.tfd import TimbreFiscalDigital, read_stamps
from timbra.rendering.invoice_reading import MAX_LINES, InvoiceReader
from timbra.rendering.issue_place import IssuePlaces
from timbra.rendering.parts import attributes_of, first
from timbra.rendering.retencion_reading import RetencionReader
from timbra.rendering.sections import SectionReader
from timbra.rendering.stamp_check import StampCheck
from timbra.rendering.texts import number
from timbra.rendering.view import Certification, DocumentView, InvoiceView, RetencionView, StampView

PRINTED = "Este documento es una representación impresa de un CFDI"
PRINTED_RETENCION = f"{PRINTED} de retenciones e información de pagos"
UNVERIFIED = "Documento sin timbre fiscal verificable: no es la representación impresa de un CFDI"
WITHOUT_EFFECT = "Documento de prueba, sin validez fiscal"


class ViewReader:
    """Reads views.

    Args:
        labels: names of the keys of catalogs.
        standards: the schemas, which name the catalogs of complements.
        catalogs: c_CodigoPostal describes places of issue.
        qr: draws the QR code.
        is_verified: verifies the stamp of a document; views of documents without a valid stamp have a warning.
        fiscal_effect: whether stamps have fiscal effect; without it, views have the legend that says so.
    """

    def __init__(
        self,
        labels: CatalogLabels,
        standards: XmlStandards,
        catalogs: SnapshotCatalogs,
        qr: QrPainter,
        is_verified: StampCheck,
        *,
        fiscal_effect: bool,
    ) -> None:
        sections, places = SectionReader(labels, standards), IssuePlaces(labels, catalogs)
        self._invoices = InvoiceReader(labels, sections, places, qr)
        self._retenciones = RetencionReader(labels, sections, places)
        self._qr = qr
        self._is_verified = is_verified
        self._fiscal_effect = fiscal_effect

    def view(
        self, root: etree._Element, max_lines: int | None = MAX_LINES, *, pages: VerificationPages = SAT_PAGES
    ) -> DocumentView:
        """Read a document.

        Args:
            root: Comprobante or Retenciones of any version.
            max_lines: limit of Conceptos, None for all.
            pages: addresses of the pages that QR codes lead to.
        """
        if is_retenciones(root):
            return self.retencion(root, pages=pages)
        return self.invoice(root, max_lines, pages=pages)

    def invoice(
        self, root: etree._Element, max_lines: int | None = MAX_LINES, *, pages: VerificationPages = SAT_PAGES
    ) -> InvoiceView:
        """Read a Comprobante of any version; see `view`."""
        stamp = next(iter(read_stamps(root)), None)
        named = _with_later_names(root)
        query = None if stamp is None else _invoice_query(named, stamp)
        qr = None if query is None else self._qr_code(pages.url(query))
        return self._invoices.view(named, max_lines, self._certification(root, stamp, qr, PRINTED))

    def retencion(self, root: etree._Element, *, pages: VerificationPages = SAT_PAGES) -> RetencionView:
        """Read a Retenciones of any version; see `view`."""
        stamp = next(iter(read_stamps(root)), None)
        query = None if stamp is None else _retencion_query(root, stamp)
        qr = None if query is None else self._qr_code(pages.url(query))
        return self._retenciones.view(root, self._certification(root, stamp, qr, PRINTED_RETENCION))

    def _certification(
        self, root: etree._Element, stamp: TimbreFiscalDigital | None, qr: bytes | None, printed: str
    ) -> Certification:
        unverified = "" if self._is_verified(root) else UNVERIFIED
        return Certification(
            version=root.get("Version") or root.get("version") or "",
            sello=root.get("Sello") or root.get("sello") or "",
            stamp=None if stamp is None else _stamp_view(stamp),
            qr=qr,
            legends=(unverified or printed, *([] if self._fiscal_effect else [WITHOUT_EFFECT])),
            fiscal_effect=self._fiscal_effect,
            unverified=unverified,
        )

    def _qr_code(self, url: str) -> bytes | None:
        """Draw the QR code; None for a URL that a QR code does not hold."""
        try:
            return self._qr.png(url)
        except ValueError:
            return None


def _invoice_query(root: etree._Element, stamp: TimbreFiscalDigital) -> VerificationQuery | None:
    """Return the query of the verification URL; None when the document does not have its data."""
    total = number(root.get("Total"))
    issuer, receiver = (attributes_of(root.find(f"{{*}}{name}")).get("Rfc") for name in ("Emisor", "Receptor"))
    if total is None or not (issuer and receiver):
        return None
    return verification_query(stamp.uuid, issuer, receiver, total, root.get("Sello", ""))


def _retencion_query(root: etree._Element, stamp: TimbreFiscalDigital) -> VerificationQuery | None:
    """Return the query of the verification URL; None when the document does not have its data."""
    total = number(first(attributes_of(root.find("{*}Totales")), "MontoTotOperacion", "montoTotOperacion"))
    issuer = first(attributes_of(root.find("{*}Emisor")), "RfcE", "RFCEmisor")
    receiver = first(attributes_of(root.find("{*}Receptor/{*}Nacional")), "RfcR", "RFCRecep")
    tax_id = first(attributes_of(root.find("{*}Receptor/{*}Extranjero")), "NumRegIdTribR", "NumRegIdTrib")
    if total is None or not issuer:
        return None
    return retenciones_verification_query(stamp.uuid, issuer, receiver, tax_id, total, root.get("Sello", ""))


def _stamp_view(stamp: TimbreFiscalDigital) -> StampView:
    return StampView(
        uuid=stamp.uuid,
        fecha=stamp.fecha_timbrado,
        provider=stamp.rfc_prov_certif,
        no_certificado=stamp.no_certificado_sat,
        sello_cfd=stamp.sello_cfd,
        sello_sat=stamp.sello_sat,
        cadena=stamp.cadena_original,
    )


def _with_later_names(root: etree._Element) -> etree._Element:
    """Return a copy of a CFDI 3.2 or CFD 2.2 whose attributes are written with capitals, as later versions do."""
    if version_of(root) not in comprobante32.VERSIONS:
        return root
    copy = deepcopy(root)
    for element in copy.iter(f"{{{etree.QName(root).namespace}}}*"):
        for name in [each for each in map(str, element.attrib) if each[0].islower()]:
            element.set(name[0].upper() + name[1:], element.attrib.pop(name))
    return copy
