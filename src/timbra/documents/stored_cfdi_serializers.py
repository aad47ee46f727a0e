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

from timbra.cfdi.tfd import TFD_TAG, read_stamps
from timbra.core.clock import to_central_mexico
from timbra.web.envelopes import SuccessAnswer, success

if TYPE_CHECKING:
    from timbra.documents.storage import StoredInvoice
    from timbra.stamps.port import StampRecord

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
        link: Makes the address of a file from its name.
        here: The address of the look-up.
    """
    meta = RecordsMeta(page=1, perPage=1, pageCount=1, totalCount=1, links=CurrentLink(here))
    return success(StoredCfdiPage(meta, [_record(stored, link)]))


def addenda_of(root: etree._Element) -> bytes | None:
    """Return the Addenda as XML, None without one."""
    addenda = root.find("{*}Addenda")
    return None if addenda is None else etree.tostring(addenda, encoding="utf-8", with_tail=False)


@dataclass(frozen=True, slots=True)
class _Contents:
    """The values of a document that the record has; None where it has none."""

    withheld: Mapping[str, Fragment]
    serie: str | None = None
    folio: str | None = None
    fecha: str | None = None
    subtotal: str | None = None
    descuento: str | None = None
    total: str | None = None
    moneda: str | None = None
    tipo_cambio: str | None = None
    tipo: str | None = None
    metodo_pago: str | None = None
    forma_pago: str | None = None
    condiciones: str | None = None
    lugar: str | None = None
    issuer_rfc: str | None = None
    issuer_name: str | None = None
    regime: str | None = None
    receiver_rfc: str | None = None
    receiver_name: str | None = None
    residence: str | None = None
    tax_id: str | None = None
    uso: str | None = None
    traslados: str | None = None
    retenciones: str | None = None


def _invoice_contents(root: etree._Element) -> _Contents:
    issuer, receiver = _attributes(root, "{*}Emisor"), _attributes(root, "{*}Receptor")
    totals = _attributes(root, "{*}Impuestos")
    return _Contents(
        serie=root.get("Serie"),
        folio=root.get("Folio"),
        fecha=root.get("Fecha"),
        subtotal=root.get("SubTotal"),
        descuento=root.get("Descuento"),
        total=root.get("Total"),
        moneda=root.get("Moneda"),
        tipo_cambio=root.get("TipoCambio"),
        tipo=root.get("TipoDeComprobante"),
        metodo_pago=root.get("MetodoPago"),
        forma_pago=root.get("FormaPago"),
        condiciones=root.get("CondicionesDePago"),
        lugar=root.get("LugarExpedicion"),
        issuer_rfc=issuer.get("Rfc"),
        issuer_name=issuer.get("Nombre"),
        regime=issuer.get("RegimenFiscal"),
        receiver_rfc=receiver.get("Rfc"),
        receiver_name=receiver.get("Nombre"),
        residence=receiver.get("ResidenciaFiscal"),
        tax_id=receiver.get("NumRegIdTrib"),
        uso=receiver.get("UsoCFDI"),
        traslados=totals.get("TotalImpuestosTrasladados"),
        retenciones=totals.get("TotalImpuestosRetenidos"),
        withheld={tax: _sum(root, "Impuestos/{*}Retenciones/{*}Retencion", tax) for tax in (ISR, IVA, IEPS)},
    )


def _retencion_contents(root: etree._Element, record: StampRecord) -> _Contents:
    """The values of a retención under the names of those of a CFDI that mean the same."""
    issuer, totals = _attributes(root, "{*}Emisor"), _attributes(root, "{*}Totales")
    receiver = _attributes(root, "{*}Receptor/{*}Nacional") or _attributes(root, "{*}Receptor/{*}Extranjero")
    rows, names = "Totales/{*}ImpRetenidos", ("ImpuestoRet", "MontoRet")
    return _Contents(
        folio=root.get("FolioInt"),
        fecha=root.get("FechaExp"),
        total=totals.get("MontoTotOperacion"),
        moneda="MXN",
        tipo=record.kind,
        lugar=root.get("LugarExpRetenc"),
        issuer_rfc=issuer.get("RfcE"),
        issuer_name=issuer.get("NomDenRazSocE"),
        regime=issuer.get("RegimenFiscalE"),
        receiver_rfc=record.receiver_rfc,
        receiver_name=receiver.get("NomDenRazSocR"),
        tax_id=receiver.get("NumRegIdTribR"),
        retenciones=totals.get("MontoTotRet"),
        withheld={tax: _sum(root, rows, tax, names) for tax in (ISR, IVA, IEPS)},
    )


def _record(stored: StoredInvoice, link: Callable[[str], str]) -> StoredCfdiAnswer:
    """PDFs are made when their link is followed. The server has no acuses of reception."""
    record, root = stored.record, stored.root
    contents = _retencion_contents(root, record) if record.is_retencion else _invoice_contents(root)
    local = _attributes(root, _LOCAL_TAXES)
    stamp, addenda = next(iter(read_stamps(root)), None), addenda_of(root)
    pdf, subtotal, stamped_at = link(PDF), _number(contents.subtotal), to_central_mexico(record.stamped_at)
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
        serie=contents.serie,
        folio=contents.folio,
        fecha=contents.fecha,
        numeroCertificado=root.get("NoCertificado"),
        subtotal=subtotal,
        subTotal=subtotal,
        descuento=_number(contents.descuento),
        total=_number(contents.total),
        moneda=contents.moneda,
        tipoCambio=_number(contents.tipo_cambio),
        tipoDeComprobante=contents.tipo,
        metodoPago=contents.metodo_pago,
        formaPago=contents.forma_pago,
        condicionesPago=contents.condiciones,
        luegarExpedicion=contents.lugar,
        rfcEmisor=contents.issuer_rfc,
        emisorRfc=contents.issuer_rfc,
        nombreEmisor=contents.issuer_name,
        emisorNombre=contents.issuer_name,
        regimenFiscal=contents.regime,
        rfcReceptor=contents.receiver_rfc,
        receptorRfc=contents.receiver_rfc,
        nombreReceptor=contents.receiver_name,
        receptorNombre=contents.receiver_name,
        residenciaFiscal=contents.residence,
        numRegIdTrib=contents.tax_id,
        usoCFDI=contents.uso,
        totalImpuestosTraslados=_number(contents.traslados),
        totalImpuestosRetencion=_number(contents.retenciones),
        trasladosIVA=_sum(root, "Impuestos/{*}Traslados/{*}Traslado", IVA),
        trasladosIEPS=_sum(root, "Impuestos/{*}Traslados/{*}Traslado", IEPS),
        retencionesISR=contents.withheld[ISR],
        retencionesIVA=contents.withheld[IVA],
        retencionesIEPS=contents.withheld[IEPS],
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


def _sum(root: etree._Element, rows: str, tax: str, names: tuple[str, str] = ("Impuesto", "Importe")) -> Fragment:
    """Add up the amounts of a tax. names: attributes of a row with the key of the tax and the amount."""
    key, amount = names
    amounts = (row.get(amount, "") for row in root.iterfind(f"{{*}}{rows}") if row.get(key) == tax)
    return _number(str(sum((Decimal(text) for text in amounts if _NUMBER.fullmatch(text)), Decimal())))


ANSWERS: dict[str, object] = {
    "StoredCfdi": SuccessAnswer[StoredCfdiPage],
}
