"""Unsealed documents that are derived from a stored CFDI 4.0: duplicate, substitute, credit note and payment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from enum import Enum

from lxml import etree

from timbra.core.errors import ServiceError

CFDI = "http://www.sat.gob.mx/cfd/4"
PAGOS = "http://www.sat.gob.mx/Pagos20"
PAGOS_XSD = "http://www.sat.gob.mx/sitio_internet/cfd/Pagos/Pagos20.xsd"
CFDI_XSD = "http://www.sat.gob.mx/sitio_internet/cfd/4/cfdv40.xsd"
SCHEMA_LOCATION = "{http://www.w3.org/2001/XMLSchema-instance}schemaLocation"
SEALED = ("Sello", "Certificado", "NoCertificado")
SUBSTITUTES, CREDITS = "04", "01"
"""TipoRelacion: substitution of earlier CFDI, and credit note."""
RETURNS = "G02"
"""UsoCFDI: returns, discounts and bonuses."""
UNDEFINED_PAYMENT = "99"
FORGIVENESS = "15"
"""FormaPago: por definir, and condonación."""
TRANSFER = "03"
CENT = Decimal("0.01")
TOTALS = {
    ("002", "Tasa", "0.160000"): "16",
    ("002", "Tasa", "0.080000"): "8",
    ("002", "Tasa", "0.000000"): "0",
}
"""Suffix of the totals of a payment by Impuesto, TipoFactor and TasaOCuota."""
WITHHELD = {"001": "TotalRetencionesISR", "002": "TotalRetencionesIVA", "003": "TotalRetencionesIEPS"}


class Derivation(Enum):
    """How a document is derived.

    Attributes:
        DUPLICATE: The same content with a new Fecha.
        SUBSTITUTE: A duplicate that substitutes the document, for its cancellation with motivo 01.
        CREDIT_NOTE: A CFDI of egreso about the document, with its concepts.
        PAYMENT: A CFDI of pago that pays the whole document.
    """

    DUPLICATE = "duplicar"
    SUBSTITUTE = "sustituir"
    CREDIT_NOTE = "nota-de-credito"
    PAYMENT = "pago"


def derivations_of(kind: str, version: str, payment_method: str) -> tuple[Derivation, ...]:
    """Return what can be derived from a document.

    Args:
        kind: TipoDeComprobante.
        payment_method: MetodoPago; empty when absent.
    """
    if version != "4.0" or kind not in "IETNP":
        return ()
    possible = [Derivation.DUPLICATE, Derivation.SUBSTITUTE]
    if kind == "I":
        possible.append(Derivation.CREDIT_NOTE)
        if payment_method == "PPD":
            possible.append(Derivation.PAYMENT)
    return tuple(possible)


def derive(cfdi: etree._Element, uuid: str, derivation: Derivation, fecha: str) -> bytes:
    """Return a derived document, unsealed and indented.

    Args:
        cfdi: Root of the stored document, which is not changed.
        derivation: One of `derivations_of`.
        fecha: Fecha of the new document.

    Raises:
        ServiceError: "TB4005" when the document does not allow it.
    """
    allowed = derivations_of(cfdi.get("TipoDeComprobante", ""), cfdi.get("Version", ""), cfdi.get("MetodoPago", ""))
    if derivation not in allowed:
        raise ServiceError("TB4005", f"De este documento no se puede obtener: {derivation.value}.")
    builders: Mapping[Derivation, Callable[[etree._Element, str, str], etree._Element]] = {
        Derivation.DUPLICATE: _duplicate,
        Derivation.SUBSTITUTE: _substitute,
        Derivation.CREDIT_NOTE: _credit_note,
        Derivation.PAYMENT: _payment,
    }
    root = builders[derivation](cfdi, uuid, fecha)
    etree.indent(root, "  ")
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def _duplicate(cfdi: etree._Element, _: str, fecha: str) -> etree._Element:
    """Copy the document without seal, stamp, addenda and folio."""
    root = etree.fromstring(etree.tostring(cfdi))
    for name in SEALED:
        root.set(name, "")
    root.set("Fecha", fecha)
    root.attrib.pop("Folio", "")
    for addenda in root.findall(f"{{{CFDI}}}Addenda"):
        root.remove(addenda)
    for holder in root.findall(f"{{{CFDI}}}Complemento"):
        for stamp in holder.findall("{*}TimbreFiscalDigital"):
            holder.remove(stamp)
        if len(holder) == 0:
            root.remove(holder)
    return root


def _substitute(cfdi: etree._Element, uuid: str, fecha: str) -> etree._Element:
    root = _duplicate(cfdi, uuid, fecha)
    for related in root.findall(f"{{{CFDI}}}CfdiRelacionados"):
        if related.get("TipoRelacion") == SUBSTITUTES:
            root.remove(related)
    _relate(root, SUBSTITUTES, uuid)
    return root


def _credit_note(cfdi: etree._Element, uuid: str, fecha: str) -> etree._Element:
    root = _duplicate(cfdi, uuid, fecha)
    for related in root.findall(f"{{{CFDI}}}CfdiRelacionados"):
        root.remove(related)
    for holder in root.findall(f"{{{CFDI}}}Complemento"):
        root.remove(holder)
    root.set("TipoDeComprobante", "E")
    root.set("MetodoPago", "PUE")
    if root.get("FormaPago") == UNDEFINED_PAYMENT:
        root.set("FormaPago", FORGIVENESS)
    _child(root, "Receptor").set("UsoCFDI", RETURNS)
    _relate(root, CREDITS, uuid)
    return root


def _payment(cfdi: etree._Element, uuid: str, fecha: str) -> etree._Element:
    """Build the payment of the whole total, with the taxes of the invoice."""
    currency, total = cfdi.get("Moneda", "MXN"), cfdi.get("Total", "0")
    rate = Decimal(cfdi.get("TipoCambio") or "1")
    root = etree.Element(
        f"{{{CFDI}}}Comprobante",
        {
            SCHEMA_LOCATION: f"{CFDI} {CFDI_XSD} {PAGOS} {PAGOS_XSD}",
            "Version": "4.0",
            "Fecha": fecha,
            "Sello": "",
            "NoCertificado": "",
            "Certificado": "",
            "SubTotal": "0",
            "Moneda": "XXX",
            "Total": "0",
            "TipoDeComprobante": "P",
            "Exportacion": "01",
            "LugarExpedicion": cfdi.get("LugarExpedicion", ""),
        },
        nsmap={"cfdi": CFDI, "pago20": PAGOS, "xsi": "http://www.w3.org/2001/XMLSchema-instance"},
    )
    for name in ("Emisor", "Receptor"):
        root.append(etree.fromstring(etree.tostring(_child(cfdi, name))))
    _child(root, "Receptor").set("UsoCFDI", "CP01")
    concept = {
        "ClaveProdServ": "84111506",
        "Cantidad": "1",
        "ClaveUnidad": "ACT",
        "Descripcion": "Pago",
        "ValorUnitario": "0",
        "Importe": "0",
        "ObjetoImp": "01",
    }
    etree.SubElement(etree.SubElement(root, f"{{{CFDI}}}Conceptos"), f"{{{CFDI}}}Concepto", concept)
    holder = etree.SubElement(root, f"{{{CFDI}}}Complemento")
    pagos = etree.SubElement(holder, f"{{{PAGOS}}}Pagos", Version="2.0")
    totals = etree.SubElement(pagos, f"{{{PAGOS}}}Totales")
    form = cfdi.get("FormaPago", "")
    pago = etree.SubElement(
        pagos,
        f"{{{PAGOS}}}Pago",
        FechaPago=fecha,
        FormaDePagoP=form if form not in ("", UNDEFINED_PAYMENT) else TRANSFER,
        MonedaP=currency,
        TipoCambioP="1" if currency == "MXN" else str(rate),
        Monto=total,
    )
    taxes = _taxes(cfdi)
    document = etree.SubElement(
        pago,
        f"{{{PAGOS}}}DoctoRelacionado",
        IdDocumento=uuid,
        MonedaDR=currency,
        EquivalenciaDR="1",
        NumParcialidad="1",
        ImpSaldoAnt=total,
        ImpPagado=total,
        ImpSaldoInsoluto="0.00",
        ObjetoImpDR="02" if any(taxes.values()) else "01",
    )
    for name in ("Serie", "Folio"):
        if cfdi.get(name):
            document.set(name, cfdi.get(name, ""))
    _add_taxes(document, "DR", taxes)
    _add_taxes(pago, "P", taxes)
    _set_totals(totals, taxes, Decimal(total), rate)
    return root


Taxes = dict[str, dict[tuple[str, str, str], tuple[Decimal, Decimal]]]
"""Base and Importe by Impuesto, TipoFactor and TasaOCuota; under "Traslado" and "Retencion"."""


def _taxes(cfdi: etree._Element) -> Taxes:
    """Return the taxes of the concepts, added up."""
    taxes: Taxes = {"Traslado": {}, "Retencion": {}}
    for kind in taxes:
        sums: dict[tuple[str, str, str], list[Decimal]] = defaultdict(lambda: [Decimal(0), Decimal(0)])
        for tax in cfdi.iterfind(f"{{{CFDI}}}Conceptos/{{{CFDI}}}Concepto/{{{CFDI}}}Impuestos//{{{CFDI}}}{kind}"):
            key = (tax.get("Impuesto", ""), tax.get("TipoFactor", ""), tax.get("TasaOCuota", ""))
            sums[key][0] += Decimal(tax.get("Base", "0"))
            sums[key][1] += Decimal(tax.get("Importe", "0"))
        taxes[kind] = {key: (_cents(base), _cents(amount)) for key, (base, amount) in sums.items()}
    return taxes


def _add_taxes(parent: etree._Element, suffix: str, taxes: Taxes) -> None:
    """Append ImpuestosDR or ImpuestosP; withholdings come first, those of a payment without base and rate."""
    if not any(taxes.values()):
        return
    holder = etree.SubElement(parent, f"{{{PAGOS}}}Impuestos{suffix}")
    if taxes["Retencion"]:
        group = etree.SubElement(holder, f"{{{PAGOS}}}Retenciones{suffix}")
        if suffix == "P":
            withheld: dict[str, Decimal] = defaultdict(Decimal)
            for (tax, _, _), (_, amount) in taxes["Retencion"].items():
                withheld[tax] += amount
            for tax, amount in withheld.items():
                etree.SubElement(group, f"{{{PAGOS}}}RetencionP", ImpuestoP=tax, ImporteP=str(amount))
        else:
            for key, values in taxes["Retencion"].items():
                _add_tax(group, "RetencionDR", "DR", key, values)
    if taxes["Traslado"]:
        group = etree.SubElement(holder, f"{{{PAGOS}}}Traslados{suffix}")
        for key, values in taxes["Traslado"].items():
            _add_tax(group, f"Traslado{suffix}", suffix, key, values)


def _add_tax(
    group: etree._Element, name: str, suffix: str, key: tuple[str, str, str], values: tuple[Decimal, Decimal]
) -> None:
    (tax, factor, rate), (base, amount) = key, values
    element = etree.SubElement(group, f"{{{PAGOS}}}{name}")
    element.set(f"Base{suffix}", str(base))
    element.set(f"Impuesto{suffix}", tax)
    element.set(f"TipoFactor{suffix}", factor)
    if factor != "Exento":
        element.set(f"TasaOCuota{suffix}", rate)
        element.set(f"Importe{suffix}", str(amount))


def _set_totals(totals: etree._Element, taxes: Taxes, total: Decimal, rate: Decimal) -> None:
    """Set the totals of the payment, in pesos, in the order of the schema."""
    withheld: dict[str, Decimal] = defaultdict(Decimal)
    for (tax, _, _), (_, amount) in taxes["Retencion"].items():
        withheld[tax] += amount
    for tax, name in (("002", WITHHELD["002"]), ("001", WITHHELD["001"]), ("003", WITHHELD["003"])):
        if tax in withheld:
            totals.set(name, str(_cents(withheld[tax] * rate)))
    for key, (base, amount) in taxes["Traslado"].items():
        if key in TOTALS:
            totals.set(f"TotalTrasladosBaseIVA{TOTALS[key]}", str(_cents(base * rate)))
            totals.set(f"TotalTrasladosImpuestoIVA{TOTALS[key]}", str(_cents(amount * rate)))
        elif key[:2] == ("002", "Exento"):
            totals.set("TotalTrasladosBaseIVAExento", str(_cents(base * rate)))
    totals.set("MontoTotalPagos", str(_cents(total * rate)))


def _relate(root: etree._Element, relation: str, uuid: str) -> None:
    """Insert CfdiRelacionados before Emisor."""
    related = etree.Element(f"{{{CFDI}}}CfdiRelacionados", TipoRelacion=relation)
    etree.SubElement(related, f"{{{CFDI}}}CfdiRelacionado", UUID=uuid)
    root.insert(root.index(_child(root, "Emisor")), related)


def _child(root: etree._Element, name: str) -> etree._Element:
    child = root.find(f"{{{CFDI}}}{name}")
    if child is None:
        raise ServiceError("TB4005", f"El documento no tiene {name}.")
    return child


def _cents(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_HALF_UP)
