"""The record of a stored CFDI. Clients read the same value under different names, so the record has all of them.

The OpenAPI schema is derived from the classes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated

from lxml import etree
from orjson import Fragment

from timbra.api.serializers.envelopes import SuccessAnswer, success
from timbra.cfdi.tfd import TFD_TAG, read_stamps
from timbra.clock import to_central_mexico

if TYPE_CHECKING:
    from timbra.service.documents.storage import StoredInvoice

XML, PDF, ADDENDA, CANCELLATION = "cfdi.xml", "cfdi.pdf", "addenda.xml", "acuse-cancelacion.xml"
IVA, ISR, IEPS = "002", "001", "003"
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,12})?")
_LOCAL_TAXES = "{*}Complemento/{http://www.sat.gob.mx/implocal}ImpuestosLocales"
_ZERO = Fragment("0")


@dataclass(frozen=True, slots=True)
class CurrentLink:
    """The address of the look-up itself."""

    current: str


@dataclass(frozen=True, slots=True)
class RecordsMeta:
    """The page of the answer; the look-up of one CFDI has one page of one record."""

    page: int
    perPage: int
    pageCount: int
    totalCount: int
    links: CurrentLink


@dataclass(frozen=True, slots=True)
class StoredCfdiAnswer:
    """A stored CFDI. Amounts have the digits of the document, and are 0 where it has none."""

    status: bool
    statusSAT: None
    codigoCancelacion: None
    urlXml: str
    urlPdf: str
    urlPDF: str
    urlAckCfdi: None
    urlAddenda: str | None
    hasAddenda: bool
    addenda: str | None
    urlAckCancellation: str | None
    fechaGeneracionPdf: None
    idDealer: str
    idUser: str
    version: str | None
    serie: str | None
    folio: str | None
    fecha: str | None
    numeroCertificado: str | None
    subtotal: Fragment
    subTotal: Fragment
    descuento: Fragment
    total: Fragment
    moneda: str | None
    tipoCambio: Fragment
    tipoDeComprobante: str | None
    metodoPago: str | None
    formaPago: str | None
    condicionesPago: str | None
    luegarExpedicion: str | None
    rfcEmisor: str | None
    emisorRfc: str | None
    nombreEmisor: str | None
    emisorNombre: str | None
    regimenFiscal: str | None
    rfcReceptor: str | None
    receptorRfc: str | None
    nombreReceptor: str | None
    receptorNombre: str | None
    residenciaFiscal: str | None
    numRegIdTrib: str | None
    usoCFDI: str | None
    totalImpuestosTraslados: Fragment
    totalImpuestosRetencion: Fragment
    trasladosIVA: Fragment
    trasladosIEPS: Fragment
    retencionesISR: Fragment
    retencionesIVA: Fragment
    retencionesIEPS: Fragment
    totalImpuestosLocalesTraslados: Fragment
    totalImpuestosLocalesRetencion: Fragment
    complementos: Annotated[str, "Names of the complements except the stamp, comma separated."]
    uuid: str
    fechaTimbrado: str
    yearMonth: Annotated[int, "Year and month of the stamp, such as 202611."]
    rfcProvCertif: str | None
    selloCFD: str | None


@dataclass(frozen=True, slots=True)
class StoredCfdiPage:
    """The record in a page."""

    metaData: RecordsMeta
    records: list[StoredCfdiAnswer]


def stored_cfdi_answer(stored: StoredInvoice, link: Callable[[str], str], here: str) -> SuccessAnswer[StoredCfdiPage]:
    """Build the whole answer: one page of one record.

    Args:
        stored: The stamp with its document.
        link: Makes the address of a file from its name.
        here: The address of the look-up.
    """
    meta = RecordsMeta(page=1, perPage=1, pageCount=1, totalCount=1, links=CurrentLink(here))
    return success(StoredCfdiPage(meta, [_record(stored, link)]))


def addenda_of(root: etree._Element) -> bytes | None:
    """Return the Addenda as XML, None without one."""
    addenda = root.find("{*}Addenda")
    return None if addenda is None else etree.tostring(addenda, encoding="utf-8", with_tail=False)


def _record(stored: StoredInvoice, link: Callable[[str], str]) -> StoredCfdiAnswer:
    """PDFs are made when their link is followed. The server has no acuses of reception."""
    record, root = stored.record, stored.root
    issuer, receiver = _attributes(root, "{*}Emisor"), _attributes(root, "{*}Receptor")
    totals, local = _attributes(root, "{*}Impuestos"), _attributes(root, _LOCAL_TAXES)
    stamp, addenda = next(iter(read_stamps(root)), None), addenda_of(root)
    pdf, subtotal, stamped_at = link(PDF), _number(root.get("SubTotal")), to_central_mexico(record.stamped_at)
    return StoredCfdiAnswer(
        status=True,
        statusSAT=None,
        codigoCancelacion=None,
        urlXml=link(XML),
        urlPdf=pdf,
        urlPDF=pdf,
        urlAckCfdi=None,
        urlAddenda=None if addenda is None else link(ADDENDA),
        hasAddenda=addenda is not None,
        addenda=None if addenda is None else addenda.decode(),
        urlAckCancellation=None if stored.cancellation is None else link(CANCELLATION),
        fechaGeneracionPdf=None,
        idDealer=stored.user,
        idUser=stored.user,
        version=root.get("Version"),
        serie=root.get("Serie"),
        folio=root.get("Folio"),
        fecha=root.get("Fecha"),
        numeroCertificado=root.get("NoCertificado"),
        subtotal=subtotal,
        subTotal=subtotal,
        descuento=_number(root.get("Descuento")),
        total=_number(root.get("Total")),
        moneda=root.get("Moneda"),
        tipoCambio=_number(root.get("TipoCambio")),
        tipoDeComprobante=root.get("TipoDeComprobante"),
        metodoPago=root.get("MetodoPago"),
        formaPago=root.get("FormaPago"),
        condicionesPago=root.get("CondicionesDePago"),
        luegarExpedicion=root.get("LugarExpedicion"),
        rfcEmisor=issuer.get("Rfc"),
        emisorRfc=issuer.get("Rfc"),
        nombreEmisor=issuer.get("Nombre"),
        emisorNombre=issuer.get("Nombre"),
        regimenFiscal=issuer.get("RegimenFiscal"),
        rfcReceptor=receiver.get("Rfc"),
        receptorRfc=receiver.get("Rfc"),
        nombreReceptor=receiver.get("Nombre"),
        receptorNombre=receiver.get("Nombre"),
        residenciaFiscal=receiver.get("ResidenciaFiscal"),
        numRegIdTrib=receiver.get("NumRegIdTrib"),
        usoCFDI=receiver.get("UsoCFDI"),
        totalImpuestosTraslados=_number(totals.get("TotalImpuestosTrasladados")),
        totalImpuestosRetencion=_number(totals.get("TotalImpuestosRetenidos")),
        trasladosIVA=_sum(root, "Traslados/{*}Traslado", IVA),
        trasladosIEPS=_sum(root, "Traslados/{*}Traslado", IEPS),
        retencionesISR=_sum(root, "Retenciones/{*}Retencion", ISR),
        retencionesIVA=_sum(root, "Retenciones/{*}Retencion", IVA),
        retencionesIEPS=_sum(root, "Retenciones/{*}Retencion", IEPS),
        totalImpuestosLocalesTraslados=_number(local.get("TotaldeTraslados")),
        totalImpuestosLocalesRetencion=_number(local.get("TotaldeRetenciones")),
        complementos=_complements(root),
        uuid=record.uuid,
        fechaTimbrado=stamped_at,
        yearMonth=int(stamped_at[:7].replace("-", "")),
        rfcProvCertif=stamp.rfc_prov_certif if stamp else None,
        selloCFD=stamp.sello_cfd if stamp else None,
    )


def _complements(root: etree._Element) -> str:
    elements = root.iterfind("{*}Complemento/*")
    return ",".join(etree.QName(element).localname for element in elements if element.tag != TFD_TAG)


def _attributes(root: etree._Element, path: str) -> Mapping[str, str]:
    """The attributes of an element, none when it is absent."""
    element = root.find(path)
    return {} if element is None else {str(name): str(value) for name, value in element.attrib.items()}


def _number(written: str | None) -> Fragment:
    """A JSON number with the digits of the document; 0 where it has none, since clients read no null there."""
    return Fragment(written) if written and _NUMBER.fullmatch(written) else _ZERO


def _sum(root: etree._Element, rows: str, tax: str) -> Fragment:
    found = root.iterfind(f"{{*}}Impuestos/{{*}}{rows}")
    amounts = (row.get("Importe", "") for row in found if row.get("Impuesto") == tax)
    return _number(str(sum((Decimal(amount) for amount in amounts if _NUMBER.fullmatch(amount)), Decimal())))
