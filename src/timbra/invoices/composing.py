"""The document that the fields are: its amounts, its XML, and what the fields lack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from hashlib import sha256

import orjson

from timbra.amounts.rule_check import check_amounts
from timbra.amounts.totals import Totals, totals_of
from timbra.catalogs.zones import time_zone
from timbra.core.clock import CENTRAL_MEXICO, LOCAL_FORMAT
from timbra.core.errors import ServiceError
from timbra.core.money import half_up
from timbra.documents.editor_view import indented
from timbra.invoices.findings import FormFinding, amount_finding
from timbra.invoices.form import RELATION, UUIDS, InvoiceForm, Json
from timbra.invoices.services import InvoiceServices
from timbra.rendering.texts import number as number_of

AGE = timedelta(minutes=2)
"""Time between the Fecha of a document without one and fiscal time."""
WITHOUT_SECONDS = len("2026-11-28T12:00")
REQUIRED = {
    "Emisor.Rfc": "Elija el emisor.",
    "Emisor.Nombre": "Escriba el nombre del emisor, como está en su Constancia de Situación Fiscal.",
    "Emisor.RegimenFiscal": "Elija el régimen fiscal del emisor.",
    "LugarExpedicion": "Escriba el código postal del lugar de expedición.",
    "Receptor.Rfc": "Escriba el RFC del cliente.",
    "Receptor.Nombre": "Escriba el nombre o la razón social, como está en la Constancia de Situación Fiscal.",
    "Receptor.DomicilioFiscalReceptor": "Escriba el código postal del domicilio fiscal del cliente.",
    "Receptor.RegimenFiscalReceptor": "Elija el régimen fiscal del cliente.",
    "Receptor.UsoCFDI": "Elija el uso que el cliente dará al CFDI.",
    "MetodoPago": "Elija el método de pago.",
    "FormaPago": "Elija la forma de pago.",
    "Exportacion": "Elija si la operación es una exportación.",
}
REQUIRED_OF_LINE = {
    "ClaveProdServ": "Escriba la clave del producto o servicio, o palabras para buscarla.",
    "ClaveUnidad": "Escriba la clave de la unidad, o palabras para buscarla.",
    "Cantidad": "Escriba la cantidad.",
    "Descripcion": "Escriba la descripción.",
    "ValorUnitario": "Escriba el precio unitario.",
    "ObjetoImp": "Elija si el concepto es objeto de impuesto.",
}
UNDEFINED_PAYMENT = "99"


UNWRITTEN = {"Cantidad": "1", "ValorUnitario": "0"}
"""What the amounts of an incomplete line are computed with; `_missing` names these fields, so nothing is stamped."""


@dataclass(frozen=True, slots=True)
class Composition:
    """What the fields compute to.

    Attributes:
        totals: the amounts; None when a value does not allow them.
        text: the XML, indented and not sealed; empty without amounts.
        missing: what an accountant has not filled in, in words, and what no rule of the SAT checks.
        problem: the value that does not allow amounts or XML; None without one.
    """

    totals: Totals | None
    text: str
    missing: list[FormFinding]
    problem: FormFinding | None = None

    @property
    def findings(self) -> list[FormFinding]:
        """What can be said without an evaluation of the document; a problem of no field follows from the others."""
        problem = self.problem
        if problem is None or (self.missing and not problem.field):
            return self.missing
        named = {finding.field for finding in self.missing}
        return self.missing if problem.field in named else [*self.missing, problem]


def compose(form: InvoiceForm, services: InvoiceServices) -> Composition:
    """Compute the amounts and write the XML; reads the clock, which may be in the database."""
    missing, totals = list(_missing(form)), None
    members = {**form.members(), "Fecha": fecha_of(form, services)}
    members["Conceptos"] = [{**UNWRITTEN, **concepto} for concepto in members["Conceptos"]]
    data = services.amounts.reference_data()
    try:
        totals = totals_of(members, data, price_includes_tax=form.includes_tax, rounding="line", check=False)
        return Composition(totals, _xml(totals.comprobante, services), missing)
    except ServiceError as error:
        return Composition(totals, "", missing, amount_finding(error, form))


def amounts_problem(composition: Composition, services: InvoiceServices, form: InvoiceForm) -> list[FormFinding]:
    """Return the value that does not allow amounts, or the first rule that the amounts of complete lines violate."""
    if composition.totals is None or composition.problem is not None:
        return [] if composition.problem is None else [composition.problem]
    if any(finding.field.startswith("Concepto.") for finding in composition.missing):
        return []
    comprobante = composition.totals.comprobante
    try:
        check_amounts(comprobante, comprobante["Fecha"], services.amounts.reference_data())
    except ServiceError as error:
        return [amount_finding(error, form)]
    return []


def fecha_of(form: InvoiceForm, services: InvoiceServices) -> str:
    """Return the Fecha of the form; without one, that of now at the place of issue."""
    written = form.get("Fecha")
    return with_seconds(written) if written else local_now(form.get("LugarExpedicion"), services)


def with_seconds(local: str) -> str:
    """Return a local instant as documents write it; a browser may leave out its seconds."""
    return f"{local}:00" if len(local) == WITHOUT_SECONDS else local


def local_now(place: str, services: InvoiceServices) -> str:
    """Return the Fecha of a document that is written now at a postal code; in central Mexico for an unknown one."""
    instant = services.certificates.fiscal.now() - AGE
    entry = services.validation.catalogs.entry("c_CodigoPostal", place, instant.date())
    zone = CENTRAL_MEXICO
    if entry is not None:
        columns = entry.columns
        zone = time_zone(columns["huso_horario"], columns["estado"], columns.get("municipio", ""))
    return instant.astimezone(zone).strftime(LOCAL_FORMAT)


def custom_id_of(form: InvoiceForm) -> str:
    """Return the idempotency key of a form and its content: what is sent twice gets one stamp, a change another one."""
    content = orjson.dumps([form.members(), form.includes_tax], option=orjson.OPT_SORT_KEYS)
    return f"form:{form.submission}:{sha256(content).hexdigest()}"


def _xml(comprobante: Json, services: InvoiceServices) -> str:
    body = orjson.dumps({**comprobante, "Sello": "", "NoCertificado": "", "Certificado": ""})
    conversion = services.stamping.json_documents.invoice(body)
    if conversion.ignored_keys:
        raise ServiceError("TB4005", f"No se conoce {conversion.ignored_keys[0]}, que se conservaba del documento.")
    return indented(services.stamping.checks.parser.parse(conversion.xml).root)


def _missing(form: InvoiceForm) -> Iterator[FormFinding]:
    """Yield what an accountant has not filled in, in words, and what no rule of the SAT checks."""
    yield from (FormFinding(name, sentence) for name, sentence in REQUIRED.items() if not form.get(name))
    yield from _missing_of_payment(form.get("FormaPago"), form.get("MetodoPago"))
    relation, uuids = form.get(RELATION), form.get(UUIDS).strip()
    if relation and not uuids:
        yield FormFinding(UUIDS, "Escriba el folio fiscal (UUID) de cada comprobante relacionado, uno en cada línea.")
    if uuids and not relation:
        yield FormFinding(RELATION, "Elija qué relación tiene con los comprobantes.")
    if form.is_general_public and not form.get("InformacionGlobal.Periodicidad"):
        sentence = "Una factura a PUBLICO EN GENERAL es global: elija la periodicidad, el mes y el año."
        yield FormFinding("InformacionGlobal.Periodicidad", sentence)
    for number in form.written_lines:
        yield from _missing_of_line(number, form.lines[number - 1])


def _missing_of_payment(forma: str, metodo: str) -> Iterator[FormFinding]:
    """Yield the contradiction of FormaPago and MetodoPago. Source: Anexo 20, Guía de llenado, FormaPago."""
    if forma == UNDEFINED_PAYMENT and metodo == "PUE":
        yield FormFinding(
            "FormaPago",
            "99 (por definir) es de lo que se cobra después, con método PPD. Con PUE elija la forma en que se paga; "
            "si aún no se paga, cambie el método a PPD.",
        )
    elif metodo == "PPD" and forma not in ("", UNDEFINED_PAYMENT):
        yield FormFinding("FormaPago", "Con método PPD la forma de pago es 99 (por definir).", suggestion="99")


def _missing_of_line(number: int, line: Mapping[str, str]) -> Iterator[FormFinding]:
    for name, sentence in REQUIRED_OF_LINE.items():
        if not line.get(name):
            yield FormFinding(f"Concepto.{number}.{name}", sentence)
    importe, discount = _product(line["Cantidad"], line["ValorUnitario"]), number_of(line["Descuento"])
    if importe is not None and discount is not None and discount > importe:
        sentence = f"El descuento no puede ser mayor que el importe del concepto, {importe:,.2f}."
        yield FormFinding(f"Concepto.{number}.Descuento", sentence)


def _product(quantity: str, price: str) -> Decimal | None:
    """Return the product of two numbers as written; None when one of them is none."""
    factors = number_of(quantity), number_of(price)
    return None if factors[0] is None or factors[1] is None else half_up(factors[0] * factors[1], 2)
