"""The documents of an example month: what a taxpayer issued and received, as documents without seal.

Each day has invoices; some are paid later in one or two installments with receipts of payment, some get a credit note,
are substituted or cancelled. The plan depends on the month only, so that two folders have the same documents, except
for their folios.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from timbra import examples
from timbra.core import money
from timbra.examples import pagos20
from timbra.examples.comprobante import CASAS, ILUMINADORA, KEMPER, ROBOTICA, ExampleParty

OWN = KEMPER
"""The taxpayer whose month it is."""
CUSTOMERS = (ROBOTICA, CASAS, ILUMINADORA)
SUPPLIERS = (ILUMINADORA, ROBOTICA, CASAS)
SALES = ("Curso de electrónica", "Diplomado en robótica", "Taller de redes", "Asesoría técnica")
PURCHASES = ("Papelería", "Mantenimiento de equipo", "Lámparas", "Servicio de limpieza", "Licencias")
PRICES = ("1250.00", "480.50", "3200.00", "99.90", "18750.00", "6400.00", "760.25")
SUNDAY = 6
SUBSTITUTE = "A20S"
Folios = Mapping[str, str]
"""The folio fiscal of each document that is stamped, by the key of its plan."""


@dataclass(frozen=True, slots=True)
class PlannedDocument:
    """A document to stamp.

    Attributes:
        key: names it in the plan.
        day: Its date.
        hour: The hour of its Fecha.
        text: Returns the XML for Fecha and the folios that are stamped before.
        is_retencion: Whether it is a CFDI de retenciones.
    """

    key: str
    day: date
    hour: int
    text: Callable[[str, Folios], str]
    is_retencion: bool = False


@dataclass(frozen=True, slots=True)
class PlannedCancellation:
    """A cancellation to request.

    Attributes:
        key: The document.
        day: When; None for the present.
        issuer: Who cancels.
        motivo: A key of c_Motivo.
        substitute: The key of the document that replaces it; empty for none.
        reply: The answer of the receiver: `accept`, `reject`, or empty for none.
    """

    key: str
    day: date | None
    issuer: ExampleParty
    motivo: str = "02"
    substitute: str = ""
    reply: str = ""


@dataclass(frozen=True, slots=True)
class MonthPlan:
    """What happens in a month, in order."""

    documents: tuple[PlannedDocument, ...]
    cancellations: tuple[PlannedCancellation, ...]


def plan_month(year: int, month: int) -> MonthPlan:
    """Return the documents and cancellations of a month."""
    days = [date(year, month, number) for number in range(1, monthrange(year, month)[1] + 1)]
    documents = sorted(_documents(days), key=lambda document: (document.day, document.hour, document.key))
    return MonthPlan(tuple(documents), tuple(_cancellations(days)))


def _cancellations(days: list[date]) -> Iterator[PlannedCancellation]:
    """Yield one of each kind: accepted, rejected, without acceptance, substituted, and pending now; of both sides."""
    worked = [day for day in days if day.weekday() != SUNDAY]
    yield PlannedCancellation("A12", worked[6], OWN, reply="accept")
    yield PlannedCancellation("A17", worked[9], OWN, reply="reject")
    yield PlannedCancellation("A18", worked[8], OWN)
    yield PlannedCancellation("A20", worked[10], OWN, "01", SUBSTITUTE, "accept")
    yield PlannedCancellation("B2", worked[4], SUPPLIERS[1], reply="accept")
    yield PlannedCancellation("B17", worked[14], SUPPLIERS[2])
    yield PlannedCancellation("A48", None, OWN)
    yield PlannedCancellation("B11", None, SUPPLIERS[2])


def _substitute(days: list[date]) -> PlannedDocument:
    def text(fecha: str, folios: Folios) -> str:
        changes: dict[str, examples.Change] = {
            "@Serie": "A",
            "@Folio": "20S",
            "CfdiRelacionados": examples.relation("04", folios["A20"]),
        }
        concepts = [examples.concepto({"@Descripcion": SALES[0]}, price="6500.00")]
        return examples.ingreso(changes, fecha=fecha, receiver=CUSTOMERS[1], concepts=concepts)

    worked = [day for day in days if day.weekday() != SUNDAY]
    return PlannedDocument(SUBSTITUTE, worked[9], 12, text)


def _documents(days: list[date]) -> Iterator[PlannedDocument]:
    for index, day in enumerate(day for day in days if day.weekday() != SUNDAY):
        yield from _sales(index, day, days[-1])
        yield from _purchases(index, day, days[-1])
        if day.weekday() == SUNDAY - 1:
            yield PlannedDocument(f"G{index}", day, 19, lambda fecha, _: examples.global_invoice({}, fecha=fecha))
    yield _substitute(days)
    yield PlannedDocument("N1", days[14], 17, lambda fecha, _: examples.nomina({"@Folio": "1"}, fecha=fecha))
    yield PlannedDocument("N2", days[-1], 17, lambda fecha, _: examples.nomina({"@Folio": "2"}, fecha=fecha))
    yield PlannedDocument("T1", days[-1], 18, lambda fecha, _: examples.retencion(fecha=fecha), is_retencion=True)
    yield PlannedDocument(
        "T2", days[-1], 18, lambda fecha, _: examples.retencion(fecha=fecha, issuer=ROBOTICA, receiver=OWN), True
    )


def _sales(index: int, day: date, last: date) -> Iterator[PlannedDocument]:
    for number in range(3):
        key = f"A{index * 3 + number + 1}"
        sale = _Invoice(key, day, 9 + number, OWN, CUSTOMERS[(index + number) % 3], SALES[(index + number) % 4])
        yield from _invoice(sale, index * 3 + number, last)


def _purchases(index: int, day: date, last: date) -> Iterator[PlannedDocument]:
    for number in range(2):
        key = f"B{index * 2 + number + 1}"
        supplier = SUPPLIERS[(index + number) % 3]
        bought = _Invoice(key, day, 13 + number, supplier, OWN, PURCHASES[(index + number) % 5])
        yield from _invoice(bought, index * 2 + number + 1, last)


@dataclass(frozen=True, slots=True)
class _Invoice:
    key: str
    day: date
    hour: int
    issuer: ExampleParty
    receiver: ExampleParty
    concept: str


def _invoice(invoice: _Invoice, number: int, last: date) -> Iterator[PlannedDocument]:
    """Yield an invoice with what follows from it: payments of each third one, a credit note of each eleventh one."""
    price = PRICES[number % len(PRICES)]
    is_credit = number % 3 == 0
    in_dollars = number % 13 == 5
    changes: dict[str, examples.Change] = {"@Serie": invoice.key[0], "@Folio": invoice.key[1:]}
    if is_credit:
        changes |= {"@MetodoPago": "PPD", "@FormaPago": "99"}
    if in_dollars:
        changes |= {"@Moneda": "USD", "@TipoCambio": "18.25"}

    def text(fecha: str, _: Folios) -> str:
        concepts = [examples.concepto({"@Descripcion": invoice.concept}, price=price)]
        return examples.ingreso(
            changes, fecha=fecha, issuer=invoice.issuer, receiver=invoice.receiver, concepts=concepts
        )

    yield PlannedDocument(invoice.key, invoice.day, invoice.hour, text)
    if is_credit and not in_dollars:
        yield from _payments(invoice, price, number // 3, last)
    if number % 11 == 4:
        yield from _credit_note(invoice, last)


def _payments(invoice: _Invoice, price: str, number: int, last: date) -> Iterator[PlannedDocument]:
    """Yield no payment, one of the whole, one of a part, or two installments, by turns."""
    total = money.half_up(Decimal(price) * Decimal("1.16"), 2)
    half = money.half_up(total / 2, 2)
    installments = ((), (total,), (half,), (half, total - half))[number % 4]
    left = total
    for place, paid in enumerate(installments, 1):
        day = invoice.day + timedelta(days=4 * place)
        if day > last:
            return
        yield PlannedDocument(f"{invoice.key}P{place}", day, 16, _payment(invoice, place, left, paid))
        left -= paid


def _payment(invoice: _Invoice, place: int, before: Decimal, paid: Decimal) -> Callable[[str, Folios], str]:
    base = money.half_up(paid / Decimal("1.16"), 2)

    def text(fecha: str, folios: Folios) -> str:
        installment = pagos20.document(
            str(paid),
            {
                "@NumParcialidad": str(place),
                "@ImpSaldoAnt": str(before),
                "@ImpSaldoInsoluto": str(before - paid),
            },
            related=folios[invoice.key],
            traslados=[examples.tax(str(base), "002", "0.160000")],
        )
        payments = [pagos20.payment([installment])]
        changes: dict[str, examples.Change] = {"@Serie": "P", "@Folio": f"{invoice.key[1:]}{place}"}
        return examples.pago(changes, fecha=fecha, issuer=invoice.issuer, receiver=invoice.receiver, payments=payments)

    return text


def _credit_note(invoice: _Invoice, last: date) -> Iterator[PlannedDocument]:
    day = invoice.day + timedelta(days=3)
    if day > last:
        return

    def text(fecha: str, folios: Folios) -> str:
        concepts = [examples.concepto({"@Descripcion": "Bonificación"}, price="50.00")]
        changes: dict[str, examples.Change] = {"@Serie": "C", "@Folio": invoice.key[1:]}
        return examples.egreso(
            changes,
            fecha=fecha,
            issuer=invoice.issuer,
            receiver=invoice.receiver,
            related=folios[invoice.key],
            concepts=concepts,
        )

    yield PlannedDocument(f"{invoice.key}C", day, 15, text)
