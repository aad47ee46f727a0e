"""A month of received CFDI with an ERP's export and payments, in which differences of known kinds are planted."""

from __future__ import annotations

import csv
import random
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from uuid import UUID

from timbra.validation.metadata_files import HEADINGS

OWN = "SPR190613I52"
MONTH = "2026-10"
CENTS = Decimal("0.01")
RATE = Decimal("17.1234")
PROVIDER = "PPD101129EA3"
_CFD = 'xmlns:cfdi="http://www.sat.gob.mx/cfd/4" xmlns:tfd="http://www.sat.gob.mx/TimbreFiscalDigital"'
ERP_COLUMNS = (
    "UUID",
    "RFC emisor",
    "Fecha",
    "Total",
    "Moneda",
    "Tipo de cambio",
    "Estatus",
    "Tipo",
    "Subtotal",
    "Descuento",
    "IVA",
    "IEPS",
    "ISR retenido",
    "Traslados locales",
    "Retenciones locales",
)


@dataclass(frozen=True, slots=True)
class Invoice:
    """A CFDI as the SAT has it; `paid` of a payment: paid UUID, number, balance before, amount, date of the payment."""

    uuid: str
    issuer: str
    fecha: datetime
    subtotal: Decimal
    folio: str
    tipo: str = "I"
    metodo: str = "PUE"
    moneda: str = "MXN"
    descuento: Decimal = Decimal(0)
    ieps: Decimal = Decimal(0)
    isr: Decimal = Decimal(0)
    local: Decimal = Decimal(0)
    local_withheld: Decimal = Decimal(0)
    cancelled_at: datetime | None = None
    relation: str = ""
    related: tuple[str, ...] = ()
    paid: tuple[tuple[str, int, Decimal, Decimal, datetime], ...] = ()
    name: str = "Proveedor, S.A."
    has_xml: bool = True

    @property
    def iva(self) -> Decimal:
        return Decimal(0) if self.tipo in "PR" else ((self.subtotal - self.descuento) * Decimal("0.16")).quantize(CENTS)

    @property
    def total(self) -> Decimal:
        if self.tipo == "R":
            return self.subtotal
        taxes = self.iva + self.ieps + self.local - self.isr - self.local_withheld
        return self.subtotal - self.descuento + taxes

    def metadata(self) -> str:
        cancelled = f"{self.cancelled_at:%Y-%m-%d %H:%M:%S}" if self.cancelled_at else ""
        values = (self.uuid.upper(), self.issuer, self.name, OWN, "Receptora", PROVIDER)
        times = (f"{self.fecha:%Y-%m-%d %H:%M:%S}",) * 2
        return "~".join((*values, *times, str(self.total), self.tipo, "0" if cancelled else "1", cancelled))

    def xml(self) -> str:
        stamp = (
            f'<tfd:TimbreFiscalDigital Version="1.1" UUID="{self.uuid.upper()}" FechaTimbrado="{self.fecha:%FT%T}" '
            f'RfcProvCertif="{PROVIDER}" SelloCFD="x" NoCertificadoSAT="0" SelloSAT="x"/>'
        )
        related = "".join(f'<cfdi:CfdiRelacionado UUID="{uuid}"/>' for uuid in self.related)
        if self.tipo == "R":
            return self._retencion(stamp)
        head = (
            f'<cfdi:Comprobante {_CFD} Version="4.0" Serie="A" Folio="{self.folio}" Fecha="{self.fecha:%FT%T}" '
            f'SubTotal="{self.subtotal}" Total="{self.total}" TipoDeComprobante="{self.tipo}" Exportacion="01" '
            f'LugarExpedicion="06000" Sello="x" NoCertificado="0" Certificado="x" '
        )
        if self.tipo == "P":
            head += 'Moneda="XXX">'
        else:
            rate = f' TipoCambio="{RATE}"' if self.moneda != "MXN" else ""
            head += f'Moneda="{self.moneda}"{rate} Descuento="{self.descuento}" MetodoPago="{self.metodo}">'
        relations = f'<cfdi:CfdiRelacionados TipoRelacion="{self.relation}">{related}</cfdi:CfdiRelacionados>'
        return (
            head
            + (relations if self.related else "")
            + f'<cfdi:Emisor Rfc="{self.issuer}" Nombre="P" RegimenFiscal="601"/><cfdi:Receptor Rfc="{OWN}"/>'
            + self._taxes()
            + f"<cfdi:Complemento>{self._payments()}{self._local_taxes()}{stamp}</cfdi:Complemento></cfdi:Comprobante>"
        )

    def _taxes(self) -> str:
        if self.tipo == "P":
            return ""
        withheld = f'<cfdi:Retenciones><cfdi:Retencion Impuesto="001" Importe="{self.isr}"/></cfdi:Retenciones>'
        added = "".join(
            f'<cfdi:Traslado Impuesto="{tax}" Importe="{amount}"/>'
            for tax, amount in (("002", self.iva), ("003", self.ieps))
            if amount
        )
        return (
            f"<cfdi:Impuestos>{withheld if self.isr else ''}<cfdi:Traslados>{added}</cfdi:Traslados></cfdi:Impuestos>"
        )

    def _local_taxes(self) -> str:
        if not (self.local or self.local_withheld):
            return ""
        return (
            '<implocal:ImpuestosLocales xmlns:implocal="http://www.sat.gob.mx/implocal" version="1.0" '
            f'TotaldeTraslados="{self.local}" TotaldeRetenciones="{self.local_withheld}"/>'
        )

    def _payments(self) -> str:
        payments = "".join(
            f'<pago20:Pago FechaPago="{day:%FT%T}" FormaDePagoP="03" MonedaP="MXN" TipoCambioP="1" Monto="{amount}">'
            f'<pago20:DoctoRelacionado IdDocumento="{uuid}" MonedaDR="MXN" NumParcialidad="{number}" '
            f'EquivalenciaDR="1" ImpSaldoAnt="{before}" ImpPagado="{amount}" ImpSaldoInsoluto="{before - amount}"/>'
            "</pago20:Pago>"
            for uuid, number, before, amount, day in self.paid
        )
        if not payments:
            return ""
        return f'<pago20:Pagos xmlns:pago20="http://www.sat.gob.mx/Pagos20" Version="2.0">{payments}</pago20:Pagos>'

    def _retencion(self, stamp: str) -> str:
        related = "".join(
            f'<r:CfdiRetenRelacionados TipoRelacion="{self.relation}" UUID="{uuid}"/>' for uuid in self.related
        )
        return (
            '<r:Retenciones xmlns:r="http://www.sat.gob.mx/esquemas/retencionpago/2" '
            'xmlns:tfd="http://www.sat.gob.mx/TimbreFiscalDigital" Version="2.0" '
            f'FolioInt="{self.folio}" FechaExp="{self.fecha:%FT%T}" CveRetenc="14" Sello="x" NoCertificado="0" '
            f'Certificado="x" LugarExpRetenc="06000">{related}<r:Emisor RfcE="{self.issuer}" NomDenRazSocE="P"/>'
            f'<r:Receptor NacionalidadR="Nacional"><r:Nacional RfcR="{OWN}"/></r:Receptor>'
            f'<r:Totales MontoTotOperacion="{self.subtotal}" MontoTotRet="{self.isr}">'
            f'<r:ImpRetenidos ImpuestoRet="001" MontoRet="{self.isr}" TipoPagoRet="03"/></r:Totales>'
            f"<r:Complemento>{stamp}</r:Complemento></r:Retenciones>"
        )


ErpRow = dict[str, object]


@dataclass(slots=True)
class PlantedMonth:
    """The documents, the rows of the ERP and the payments; `planted` has kind and folio of each difference."""

    random: random.Random
    documents: list[Invoice] = field(default_factory=list)
    erp: list[ErpRow] = field(default_factory=list)
    payments: list[tuple[str, str, str, str]] = field(default_factory=list)
    planted: set[tuple[str, str]] = field(default_factory=set)
    number: int = 0

    def invoice(self, **changes: object) -> Invoice:
        """Return a new invoice of the month with an amount that no other one has."""
        self.number += 1
        day = datetime(2026, 10, 1, 9) + timedelta(days=self.number % 20, seconds=self.number % 30_000)  # noqa: DTZ001
        subtotal = Decimal(1000 + self.number).quantize(CENTS) + Decimal(self.number % 100) / 100
        uuid = str(UUID(int=self.random.getrandbits(128), version=4))
        values: dict[str, object] = {
            "uuid": uuid,
            "issuer": f"P{chr(65 + self.number % 26)}R{self.number % 12 + 1:02}0101AA{self.number % 9 + 1}",
            "fecha": day,
            "subtotal": subtotal,
            "folio": str(self.number),
        }
        issuer = f"PR{chr(65 + self.number % 26)}900101AA{self.number % 9 + 1}"
        return Invoice(**{**values, "issuer": issuer, **changes})  # type: ignore[arg-type]

    def row(self, invoice: Invoice, **changes: object) -> ErpRow:
        """Return the row of the ERP of an invoice."""
        parts = (invoice.subtotal, invoice.descuento, invoice.iva, invoice.ieps, invoice.isr)
        amounts = (*parts, invoice.local, invoice.local_withheld)
        rate = RATE if invoice.moneda != "MXN" else ""
        state = "Cancelada" if invoice.cancelled_at else "Contabilizada"
        party = (invoice.uuid.upper(), invoice.issuer, f"{invoice.fecha:%d/%m/%Y}", f"${invoice.total:,}")
        values = (*party, invoice.moneda, rate, state, {"I": "Factura", "E": "Nota de crédito"}.get(invoice.tipo, ""))
        return {**dict(zip(ERP_COLUMNS, (*values, *amounts), strict=True)), **changes}

    def pay(
        self, invoice: Invoice, amount: Decimal | None = None, days: int = 3, *, with_uuid: bool = True
    ) -> datetime:
        """Pay an invoice."""
        at = invoice.fecha + timedelta(days=days)
        paid = invoice.total if amount is None else amount
        row = (invoice.uuid if with_uuid else "", invoice.issuer, f"{at:%Y-%m-%d}", str(paid))
        self.payments.append(row)
        return at

    def complement(self, invoice: Invoice, *installments: tuple[int, Decimal, Decimal], at: datetime) -> Invoice:
        """Add the payment complement of installments: number, balance before, amount."""
        paid = tuple((invoice.uuid, number, before, amount, at) for number, before, amount in installments)
        when = at + timedelta(hours=1)
        made = self.invoice(tipo="P", subtotal=Decimal(0), issuer=invoice.issuer, fecha=when, paid=paid)
        self.documents.append(made)
        return made

    def add(self, invoice: Invoice, *, paid: bool = True, row: ErpRow | None = None, in_erp: bool = True) -> None:
        """Add an invoice that is paid as it should be, with its row."""
        self.documents.append(invoice)
        if in_erp:
            self.erp.append(row or self.row(invoice))
        if paid and invoice.tipo == "I" and invoice.cancelled_at is None:
            at = self.pay(invoice)
            if invoice.metodo == "PPD":
                self.complement(invoice, (1, invoice.total, invoice.total), at=at)

    def plant(self, kind: str, key: str) -> None:
        """Note a difference by its UUID; by the text of its row when it has none."""
        self.planted.add((kind, key))

    def write(self, folder: Path) -> None:
        """Write `metadata.zip`, `xml.zip`, `erp.csv` and `payments.csv`."""
        head = "~".join(HEADINGS)
        order = [*self.documents]
        self.random.shuffle(order)
        with zipfile.ZipFile(folder / "metadata.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            text = "\r\n".join((head, *(document.metadata() for document in order)))
            archive.writestr("3F2504E0-4F89-41D3-9A0C-0305E82C3301_01.txt", text)
            archive.writestr("x_tercero.txt", "Uuid~RfcACuentaTerceros~NombreACuentaTerceros\r\n")
        with zipfile.ZipFile(folder / "xml.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for document in order:
                if document.has_xml:
                    archive.writestr(f"{document.uuid}.xml", document.xml())
        self.random.shuffle(self.erp)
        self.random.shuffle(self.payments)
        with (folder / "erp.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, ERP_COLUMNS)
            writer.writeheader()
            writer.writerows(self.erp)
        with (folder / "payments.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("UUID", "RFC", "Fecha de pago", "Monto"), *self.payments])


def _not_in_books(month: PlantedMonth) -> str:
    invoice = month.invoice()
    month.add(invoice, in_erp=False)
    return invoice.uuid


def _not_at_sat(month: PlantedMonth) -> str:
    invoice = month.invoice()
    month.erp.append(month.row(invoice))
    return invoice.uuid


def _uuid_differs(month: PlantedMonth) -> str:
    invoice = month.invoice()
    month.add(invoice, row=month.row(invoice, UUID=str(UUID(int=month.random.getrandbits(128), version=4))))
    return invoice.uuid


def _amounts_differ(month: PlantedMonth) -> str:
    invoice = month.invoice()
    other = replace(invoice, subtotal=invoice.subtotal + 10)
    month.add(invoice, row=month.row(other))
    return invoice.uuid


def _breakdown_differs(month: PlantedMonth) -> str:
    invoice = month.invoice(ieps=Decimal("80.00"))
    month.add(invoice, row=month.row(invoice, IEPS="75.00", IVA=str(invoice.iva + 5)))
    return invoice.uuid


def _currency_differs(month: PlantedMonth) -> str:
    invoice = month.invoice(moneda="USD")
    month.add(invoice, row=month.row(invoice, Moneda="EUR"))
    return invoice.uuid


def _exchange_rate_differs(month: PlantedMonth) -> str:
    invoice = month.invoice(moneda="USD")
    month.add(invoice, row=month.row(invoice, **{"Tipo de cambio": "18.5"}))
    return invoice.uuid


def _parties_differ(month: PlantedMonth) -> str:
    invoice = month.invoice()
    month.add(invoice, row=month.row(invoice, **{"RFC emisor": "XAXX010101000"}))
    return invoice.uuid


def _type_differs(month: PlantedMonth) -> str:
    invoice = month.invoice()
    month.add(invoice, row=month.row(invoice, Tipo="Nota de crédito"))
    return invoice.uuid


def _period_differs(month: PlantedMonth) -> str:
    invoice = month.invoice()
    month.add(invoice, row=month.row(invoice, Fecha="30/09/2026"))
    return invoice.uuid


def _cancelled(month: PlantedMonth, days: int = 5) -> Invoice:
    invoice = month.invoice()
    return replace(invoice, cancelled_at=invoice.fecha + timedelta(days=days))


def _cancelled_at_sat(month: PlantedMonth) -> str:
    invoice = _cancelled(month)
    month.add(invoice, row=month.row(invoice, Estatus="Contabilizada"))
    return invoice.uuid


def _cancelled_in_books(month: PlantedMonth) -> str:
    invoice = month.invoice()
    month.add(invoice, row=month.row(invoice, Estatus="CANCELADO"))
    return invoice.uuid


def _cancelled_after_payment(month: PlantedMonth) -> str:
    invoice = _cancelled(month)
    month.add(invoice)
    month.pay(invoice)
    return invoice.uuid


def _paid_after_cancellation(month: PlantedMonth) -> str:
    invoice = _cancelled(month, 1)
    month.add(invoice)
    month.pay(invoice)
    return invoice.uuid


def _substituted(month: PlantedMonth) -> str:
    invoice = _cancelled(month)
    month.add(invoice, row=month.row(invoice, Estatus="Contabilizada"))
    month.add(month.invoice(issuer=invoice.issuer, relation="04", related=(invoice.uuid,)), in_erp=False)
    return invoice.uuid


def _substituted_in_force(month: PlantedMonth) -> str:
    invoice = month.invoice()
    month.add(invoice, paid=False)
    month.add(month.invoice(issuer=invoice.issuer, relation="04", related=(invoice.uuid,)))
    return invoice.uuid


def _duplicate_in_books(month: PlantedMonth) -> str:
    invoice = month.invoice()
    month.add(invoice)
    month.erp.append(month.row(invoice))
    return invoice.uuid


def _duplicate_at_sat(month: PlantedMonth) -> str:
    first = month.invoice()
    second = replace(first, uuid=month.invoice().uuid, fecha=first.fecha + timedelta(days=1))
    month.add(first)
    month.add(second)
    return second.uuid


def _ppd_without_complement(month: PlantedMonth) -> str:
    invoice = month.invoice(metodo="PPD")
    month.add(invoice, paid=False)
    month.pay(invoice)
    return invoice.uuid


def _complement_for_pue(month: PlantedMonth) -> str:
    invoice = month.invoice()
    month.add(invoice)
    month.complement(invoice, (1, invoice.total, invoice.total), at=invoice.fecha + timedelta(days=3))
    return invoice.uuid


def _complement_late(month: PlantedMonth) -> str:
    invoice = month.invoice(metodo="PPD", fecha=datetime(2026, 8, 3, 10))  # noqa: DTZ001
    month.add(invoice, paid=False)
    at = month.pay(invoice)
    made = month.complement(invoice, (1, invoice.total, invoice.total), at=at)
    month.documents[-1] = replace(made, fecha=datetime(2026, 10, 6, 0, 0, 1))  # noqa: DTZ001
    return made.uuid


def _complement_differs(month: PlantedMonth) -> str:
    invoice = month.invoice(metodo="PPD")
    month.add(invoice, paid=False)
    at = month.pay(invoice)
    month.complement(invoice, (1, invoice.total, invoice.total - 100), at=at)
    return invoice.uuid


def _installments_differ(month: PlantedMonth) -> str:
    invoice = month.invoice(metodo="PPD")
    month.add(invoice, paid=False)
    at = month.pay(invoice)
    rest = invoice.total - 400
    wrong = [(1, invoice.total, Decimal(400)), (3, rest, rest)], [(1, invoice.total + 1, Decimal(400)), (2, rest, rest)]
    repeated = [(1, invoice.total, Decimal(400)), (1, rest, rest)]
    month.complement(invoice, *(*wrong, repeated)[month.number % 3], at=at)
    return invoice.uuid


def _payment_without_invoice(month: PlantedMonth) -> str:
    invoice = month.invoice()
    month.pay(invoice)
    return invoice.uuid


def _duplicate_payment(month: PlantedMonth) -> str:
    invoice = month.invoice()
    month.add(invoice)
    month.pay(invoice)
    return invoice.uuid


def _overpaid(month: PlantedMonth) -> str:
    invoice = month.invoice()
    month.add(invoice, paid=False)
    month.pay(invoice, invoice.total + Decimal("0.50"))
    return invoice.uuid


def _pue_not_paid(month: PlantedMonth) -> str:
    invoice = month.invoice()
    month.add(invoice, paid=False)
    if month.number % 2:
        month.pay(invoice, invoice.total - Decimal("0.50"))
    return invoice.uuid


def _unreadable(month: PlantedMonth) -> str:
    invoice = month.invoice()
    month.erp.append(month.row(invoice, Fecha="ayer"))
    return ""


PLANTERS: dict[str, Callable[[PlantedMonth], str]] = {
    "not-in-books": _not_in_books,
    "not-at-sat": _not_at_sat,
    "uuid-differs": _uuid_differs,
    "amounts-differ": _amounts_differ,
    "breakdown-differs": _breakdown_differs,
    "currency-differs": _currency_differs,
    "exchange-rate-differs": _exchange_rate_differs,
    "parties-differ": _parties_differ,
    "type-differs": _type_differs,
    "period-differs": _period_differs,
    "cancelled-at-sat": _cancelled_at_sat,
    "cancelled-in-books": _cancelled_in_books,
    "cancelled-after-payment": _cancelled_after_payment,
    "paid-after-cancellation": _paid_after_cancellation,
    "substituted": _substituted,
    "substituted-in-force": _substituted_in_force,
    "duplicate-in-books": _duplicate_in_books,
    "duplicate-at-sat": _duplicate_at_sat,
    "ppd-without-complement": _ppd_without_complement,
    "complement-for-pue": _complement_for_pue,
    "complement-late": _complement_late,
    "complement-differs": _complement_differs,
    "installments-differ": _installments_differ,
    "payment-without-invoice": _payment_without_invoice,
    "duplicate-payment": _duplicate_payment,
    "overpaid": _overpaid,
    "pue-not-paid": _pue_not_paid,
    "unreadable": _unreadable,
}
"""Functions that plant a difference; they return the UUID of the document that has it."""


def _add_equal(month: PlantedMonth) -> None:
    """Add documents that agree, each in another way."""
    invoice = month.invoice
    local = {"local": Decimal("30.00"), "local_withheld": Decimal("12.50"), "isr": Decimal("55.10")}
    month.add(invoice())
    month.add(invoice(ieps=Decimal("80.00"), descuento=Decimal("15.00"), **local))
    in_pesos = invoice(moneda="USD")
    pesos = {name: (getattr(in_pesos, field_) * RATE).quantize(CENTS) for name, field_ in _PESOS.items()}
    month.add(in_pesos, row=month.row(in_pesos, Moneda="MXN", **pesos, **{"Tipo de cambio": ""}))
    month.add(invoice(moneda="USD"))
    without_uuid = invoice()
    month.add(without_uuid, row=month.row(without_uuid, UUID=""))
    pesos_without_uuid = invoice(moneda="USD")
    pesos = {name: (getattr(pesos_without_uuid, field_) * RATE).quantize(CENTS) for name, field_ in _PESOS.items()}
    month.add(pesos_without_uuid, row=month.row(pesos_without_uuid, UUID="", Moneda="M.N.", **pesos))
    month.add(_cancelled(month))
    month.add(invoice(tipo="N"), in_erp=False)
    month.add(invoice(has_xml=False, name="Línea\ncortada ~ con signo"))
    month.add(invoice(metodo="PPD"))
    month.add(invoice(fecha=datetime(2026, 9, 30, 23, 59, 59)), in_erp=False)  # noqa: DTZ001
    paid_by_amount = invoice()
    month.add(paid_by_amount, paid=False)
    month.pay(paid_by_amount, with_uuid=False)
    _add_installments(month)
    _add_credit(month)
    _add_retenciones(month)
    old = _cancelled(month)
    month.add(old)
    month.add(invoice(issuer=old.issuer, relation="04", related=(old.uuid,)))
    month.add(invoice(tipo="I", folio="same", issuer="AAA010101AAA"))
    month.documents[-1] = replace(month.documents[-1], folio=str(month.number))


_PESOS = {"Total": "total", "Subtotal": "subtotal", "IVA": "iva"}


def _add_installments(month: PlantedMonth) -> None:
    """Add an invoice in three installments, of which one complement was cancelled and issued again."""
    invoice = month.invoice(metodo="PPD")
    month.add(invoice, paid=False)
    before = invoice.total
    for number, amount in enumerate((Decimal(300), Decimal(200), invoice.total - 500), 1):
        at = month.pay(invoice, amount, number)
        made = month.complement(invoice, (number, before, amount), at=at)
        if number == 2:
            month.documents[-1] = replace(made, cancelled_at=at + timedelta(days=1))
            again = month.complement(invoice, (number, before, amount), at=at)
            month.documents[-1] = replace(again, relation="04", related=(made.uuid,))
        before -= amount


def _add_credit(month: PlantedMonth) -> None:
    """Add an invoice that a credit note reduces."""
    invoice = month.invoice()
    month.add(invoice, paid=False)
    note = month.invoice(tipo="E", subtotal=Decimal(100), issuer=invoice.issuer, relation="01", related=(invoice.uuid,))
    month.add(note)
    month.pay(invoice, invoice.total - note.total)


def _add_retenciones(month: PlantedMonth) -> None:
    """Add a retención that substitutes a cancelled one."""
    old = replace(_cancelled(month), tipo="R", isr=Decimal(10))
    month.add(old, in_erp=False)
    new = month.invoice(tipo="R", isr=Decimal(11), issuer=old.issuer, relation="04", related=(old.uuid,))
    month.add(new, in_erp=False)


def planted_month(differences: int, equal: int, seed: int = 1) -> PlantedMonth:
    """Return a month with so many differences, the kinds in turn, and so many groups of documents that agree."""
    month = PlantedMonth(random.Random(seed))
    names = [*PLANTERS]
    for number in range(differences):
        kind = names[number % len(names)]
        month.plant(kind, PLANTERS[kind](month) or f"row {number}")
    for _ in range(equal):
        _add_equal(month)
    return month
