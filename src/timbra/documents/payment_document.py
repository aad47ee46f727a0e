"""A CFDI of pago (Pagos 2.0) of stored invoices, each paid in whole or in part."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal

from lxml import etree

from timbra.core.errors import ServiceError
from timbra.core.money import half_up

CFDI = "http://www.sat.gob.mx/cfd/4"
PAGOS = "http://www.sat.gob.mx/Pagos20"
PAGOS_XSD = "http://www.sat.gob.mx/sitio_internet/cfd/Pagos/Pagos20.xsd"
CFDI_XSD = "http://www.sat.gob.mx/sitio_internet/cfd/4/cfdv40.xsd"
SCHEMA_LOCATION = "{http://www.w3.org/2001/XMLSchema-instance}schemaLocation"
CENT = Decimal("0.01")
PESOS = "MXN"
EQUIVALENCE_DECIMALS = 10
"""The most decimals of EquivalenciaDR."""
PART_DECIMALS = 6
"""Decimals of the taxes of an invoice that is paid in part."""
TOTALS = {
    ("002", "Tasa", "0.160000"): "16",
    ("002", "Tasa", "0.080000"): "8",
    ("002", "Tasa", "0.000000"): "0",
}
"""Suffix of the totals of a payment by Impuesto, TipoFactor and TasaOCuota."""
WITHHELD = {"001": "TotalRetencionesISR", "002": "TotalRetencionesIVA", "003": "TotalRetencionesIEPS"}


@dataclass(frozen=True, slots=True)
class PaidInvoice:
    """An invoice that a payment pays.

    Attributes:
        cfdi: root of the stored document.
        paid: ImpPagado, in the currency of the invoice.
        balance: ImpSaldoAnt.
        instalment: NumParcialidad.
    """

    uuid: str
    cfdi: etree._Element
    paid: Decimal
    balance: Decimal
    instalment: int

    @property
    def currency(self) -> str:
        """Moneda."""
        return self.cfdi.get("Moneda", "MXN")


@dataclass(frozen=True, slots=True)
class PaymentTerms:
    """How the invoices are paid.

    Attributes:
        paid_at: FechaPago.
        form: FormaDePagoP.
        currency: MonedaP.
        rates: pesos of one unit of each other currency, that of the payment and those of the invoices.
        operation: NumOperacion; empty without one.
        received: Monto; None for what the invoices are paid with.
    """

    paid_at: str
    form: str
    currency: str = PESOS
    rates: Mapping[str, Decimal] = field(default_factory=dict)
    operation: str = ""
    received: Decimal | None = None

    def rate_of(self, currency: str) -> Decimal:
        """Return the pesos of one unit of a currency."""
        return Decimal(1) if currency == PESOS else self.rates[currency]

    def equivalence(self, currency: str) -> Decimal:
        """Return EquivalenciaDR: units of the currency of an invoice for one unit of that of the payment."""
        return half_up(self.rate_of(self.currency) / self.rate_of(currency), EQUIVALENCE_DECIMALS)


def payment_document(
    invoices: Sequence[PaidInvoice], terms: PaymentTerms, fecha: str, folio: tuple[str, str] = ("", "")
) -> etree._Element:
    """Build the payment of invoices of one issuer and one receiver, unsealed.

    Args:
        fecha: Fecha of the document.
        folio: Serie and Folio; empty without them.
    """
    cfdi, currency, rate = invoices[0].cfdi, terms.currency, terms.rate_of(terms.currency)
    mixes = any(invoice.currency != currency for invoice in invoices)
    converted = (invoice.paid / _equivalence(invoice, terms) for invoice in invoices)
    total = sum(converted, Decimal(0))
    total = terms.received or (_cents(total) if mixes else total)
    numbers = {name: value for name, value in zip(("Serie", "Folio"), folio, strict=True) if value}
    root = etree.Element(
        f"{{{CFDI}}}Comprobante",
        {
            SCHEMA_LOCATION: f"{CFDI} {CFDI_XSD} {PAGOS} {PAGOS_XSD}",
            "Version": "4.0",
            **numbers,
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
        root.append(deepcopy(_child(cfdi, name)))
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
    pago = etree.SubElement(
        pagos,
        f"{{{PAGOS}}}Pago",
        FechaPago=terms.paid_at,
        FormaDePagoP=terms.form,
        MonedaP=currency,
        TipoCambioP=f"{rate:f}",
        Monto=str(total),
    )
    if terms.operation:
        pago.set("NumOperacion", terms.operation)
    found = [_add_document(pago, invoice, terms, mixes=mixes) for invoice in invoices]
    taxes = _added_up(found)
    if mixes:
        # The totals, in pesos, are sums of these amounts.
        decimals = 2 if currency == PESOS else PART_DECIMALS
        taxes = _changed(taxes, lambda amount: half_up(amount, decimals))
    _add_taxes(pago, "P", taxes)
    _set_totals(totals, taxes, total, rate)
    return root


def _equivalence(invoice: PaidInvoice, terms: PaymentTerms) -> Decimal:
    return Decimal(1) if invoice.currency == terms.currency else terms.equivalence(invoice.currency)


def _add_document(pago: etree._Element, invoice: PaidInvoice, terms: PaymentTerms, *, mixes: bool) -> Taxes:
    """Append the DoctoRelacionado of an invoice; return its taxes in the currency of the payment, not rounded.

    Args:
        mixes: whether an invoice of the payment has another currency.
    """
    taxes, cfdi = _paid_taxes(invoice), invoice.cfdi
    equivalence = _equivalence(invoice, terms)
    document = etree.SubElement(
        pago,
        f"{{{PAGOS}}}DoctoRelacionado",
        IdDocumento=invoice.uuid,
        MonedaDR=invoice.currency,
        EquivalenciaDR=f"{equivalence:.{EQUIVALENCE_DECIMALS}f}" if mixes else "1",
        NumParcialidad=str(invoice.instalment),
        ImpSaldoAnt=str(invoice.balance),
        ImpPagado=str(invoice.paid),
        ImpSaldoInsoluto=str(_cents(invoice.balance - invoice.paid)),
        ObjetoImpDR="02" if any(taxes.values()) else "01",
    )
    for name in ("Serie", "Folio"):
        if cfdi.get(name):
            document.set(name, cfdi.get(name, ""))
    _add_taxes(document, "DR", taxes)
    return _changed(taxes, lambda amount: amount / equivalence)


def _paid_taxes(invoice: PaidInvoice) -> Taxes:
    """Return the taxes of what is paid: those of the invoice, or their part in proportion to the payment."""
    taxes, total = _taxes(invoice.cfdi), Decimal(invoice.cfdi.get("Total", "0"))
    if invoice.paid == total or not total:
        return taxes
    share = invoice.paid / total
    return {
        kind: {key: _part(key, base, amount, share) for key, (base, amount) in rows.items()}
        for kind, rows in taxes.items()
    }


def _part(key: tuple[str, str, str], base: Decimal, amount: Decimal, share: Decimal) -> tuple[Decimal, Decimal]:
    part = half_up(base * share, PART_DECIMALS)
    is_rate = key[1] == "Tasa"
    return part, half_up(part * Decimal(key[2]) if is_rate else amount * share, PART_DECIMALS)


def _changed(taxes: Taxes, change: Callable[[Decimal], Decimal]) -> Taxes:
    return {
        kind: {key: (change(base), change(amount)) for key, (base, amount) in rows.items()}
        for kind, rows in taxes.items()
    }


def _added_up(found: Sequence[Taxes]) -> Taxes:
    """Add up the taxes of several invoices in the currency of the payment."""
    if len(found) == 1:
        return found[0]
    sums: Taxes = {"Traslado": {}, "Retencion": {}}
    for taxes in found:
        for kind, rows in taxes.items():
            for key, (base, amount) in rows.items():
                before = sums[kind].get(key, (Decimal(0), Decimal(0)))
                sums[kind][key] = before[0] + base, before[1] + amount
    return sums


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


def _child(root: etree._Element, name: str) -> etree._Element:
    child = root.find(f"{{{CFDI}}}{name}")
    if child is None:
        raise ServiceError("TB4005", f"El documento no tiene {name}.")
    return child


def _cents(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_HALF_UP)
