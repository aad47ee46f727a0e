"""A stored CFDI as the look-up tells it. Several clients read the same value under different names: it has them all."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal

import orjson
from lxml import etree

from timbra.api.serializers.stamps import Json
from timbra.cfdi.tfd import TFD_TAG, TimbreFiscalDigital, read_stamps
from timbra.clock import to_central_mexico
from timbra.service.documents.storage import StoredInvoice
from timbra.store.stamps.port import StampRecord

XML, PDF, ADDENDA, CANCELLATION = "cfdi.xml", "cfdi.pdf", "addenda.xml", "acuse-cancelacion.xml"
IVA, ISR, IEPS = "002", "001", "003"
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,12})?")
_LOCAL_TAXES = "{*}Complemento/{http://www.sat.gob.mx/implocal}ImpuestosLocales"


def live_answer(stored: StoredInvoice, link: Callable[[str], str], here: str) -> Json:
    """The whole answer: one page of one record. link: makes the address of a file; here: that of the look-up."""
    page = {"page": 1, "perPage": 1, "pageCount": 1, "totalCount": 1, "links": {"current": here}}
    return {"data": {"metaData": page, "records": [_record(stored, link)]}, "status": "success"}


def addenda_of(root: etree._Element) -> bytes | None:
    """The Addenda as XML, None without one."""
    addenda = root.find("{*}Addenda")
    return None if addenda is None else etree.tostring(addenda, encoding="utf-8", with_tail=False)


def _record(stored: StoredInvoice, link: Callable[[str], str]) -> Json:
    record, root = stored.record, stored.root
    stamp = next(iter(read_stamps(root)), None)
    return {
        "status": True,
        "statusSAT": None,
        "codigoCancelacion": None,
        **_files(root, link),
        "urlAckCancellation": None if stored.cancellation is None else link(CANCELLATION),
        "fechaGeneracionPdf": None,
        "idDealer": stored.user,
        "idUser": stored.user,
        **_head(root),
        **_parties(root),
        **_taxes(root),
        "complementos": _complements(root),
        **_stamp(record, stamp),
    }


def _files(root: etree._Element, link: Callable[[str], str]) -> Json:
    """PDFs are made when their link is followed. The server has no acuses of reception."""
    addenda = addenda_of(root)
    pdf = link(PDF)
    return {
        "urlXml": link(XML),
        "urlPdf": pdf,
        "urlPDF": pdf,
        "urlAckCfdi": None,
        "urlAddenda": None if addenda is None else link(ADDENDA),
        "hasAddenda": addenda is not None,
        "addenda": None if addenda is None else addenda.decode(),
    }


def _head(root: etree._Element) -> Json:
    get = root.get
    subtotal = _number(get("SubTotal"))
    return {
        "version": get("Version"),
        "serie": get("Serie"),
        "folio": get("Folio"),
        "fecha": get("Fecha"),
        "numeroCertificado": get("NoCertificado"),
        "subtotal": subtotal,
        "subTotal": subtotal,
        "descuento": _number(get("Descuento")),
        "total": _number(get("Total")),
        "moneda": get("Moneda"),
        "tipoCambio": _number(get("TipoCambio")),
        "tipoDeComprobante": get("TipoDeComprobante"),
        "metodoPago": get("MetodoPago"),
        "formaPago": get("FormaPago"),
        "condicionesPago": get("CondicionesDePago"),
        "luegarExpedicion": get("LugarExpedicion"),
    }


def _parties(root: etree._Element) -> Json:
    issuer, receiver = _of(root, "{*}Emisor"), _of(root, "{*}Receptor")
    return {
        "rfcEmisor": issuer.get("Rfc"),
        "emisorRfc": issuer.get("Rfc"),
        "nombreEmisor": issuer.get("Nombre"),
        "emisorNombre": issuer.get("Nombre"),
        "regimenFiscal": issuer.get("RegimenFiscal"),
        "rfcReceptor": receiver.get("Rfc"),
        "receptorRfc": receiver.get("Rfc"),
        "nombreReceptor": receiver.get("Nombre"),
        "receptorNombre": receiver.get("Nombre"),
        "residenciaFiscal": receiver.get("ResidenciaFiscal"),
        "numRegIdTrib": receiver.get("NumRegIdTrib"),
        "usoCFDI": receiver.get("UsoCFDI"),
    }


def _taxes(root: etree._Element) -> Json:
    totals, local = _of(root, "{*}Impuestos"), _of(root, _LOCAL_TAXES)
    return {
        "totalImpuestosTraslados": _number(totals.get("TotalImpuestosTrasladados")),
        "totalImpuestosRetencion": _number(totals.get("TotalImpuestosRetenidos")),
        "trasladosIVA": _sum(root, "Traslados/{*}Traslado", IVA),
        "trasladosIEPS": _sum(root, "Traslados/{*}Traslado", IEPS),
        "retencionesISR": _sum(root, "Retenciones/{*}Retencion", ISR),
        "retencionesIVA": _sum(root, "Retenciones/{*}Retencion", IVA),
        "retencionesIEPS": _sum(root, "Retenciones/{*}Retencion", IEPS),
        "totalImpuestosLocalesTraslados": _number(local.get("TotaldeTraslados")),
        "totalImpuestosLocalesRetencion": _number(local.get("TotaldeRetenciones")),
    }


def _complements(root: etree._Element) -> str:
    """Names of the complements beside the stamp, comma separated."""
    elements = root.iterfind("{*}Complemento/*")
    return ",".join(etree.QName(element).localname for element in elements if element.tag != TFD_TAG)


def _stamp(record: StampRecord, stamp: TimbreFiscalDigital | None) -> Json:
    return {
        "uuid": record.uuid,
        "fechaTimbrado": to_central_mexico(record.stamped_at),
        "yearMonth": int(to_central_mexico(record.stamped_at)[:7].replace("-", "")),
        "rfcProvCertif": stamp.rfc_prov_certif if stamp else None,
        "selloCFD": stamp.sello_cfd if stamp else None,
    }


def _of(root: etree._Element, path: str) -> Mapping[str, str]:
    """The attributes of an element that may be absent."""
    element = root.find(path)
    return {} if element is None else {str(name): str(value) for name, value in element.attrib.items()}


def _number(written: str | None) -> object:
    """A JSON number with the digits of the document; 0 where it has none, since clients read no null there."""
    return orjson.Fragment(written) if written and _NUMBER.fullmatch(written) else 0


def _sum(root: etree._Element, rows: str, tax: str) -> object:
    found = root.iterfind(f"{{*}}Impuestos/{{*}}{rows}")
    amounts = (row.get("Importe", "") for row in found if row.get("Impuesto") == tax)
    return _number(str(sum((Decimal(amount) for amount in amounts if _NUMBER.fullmatch(amount)), Decimal())))
