"""What the template of the form shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import orjson

from timbra.accounts.store.models import StoredCertificate
from timbra.amounts.local_taxes import TRANSFERRED, WITHHELD, local_taxes_in
from timbra.amounts.totals import Totals
from timbra.catalogs.search import CatalogSearch
from timbra.invoices.choices import SEARCHED, Choice, choices_of, found_keys, iva_choices, key_text
from timbra.invoices.composing import Composition
from timbra.invoices.findings import FormFinding, by_field
from timbra.invoices.form import IEPS, WITHHELD_ISR, WITHHELD_IVA, InvoiceForm
from timbra.rendering.texts import amount, rate, tax_name

MOST_SEARCHED = 4
"""Fields of a page whose words are searched; a search of the largest catalog takes 0.1 s."""


@dataclass(frozen=True, slots=True)
class KeySearch:
    """A key of a line: its text, or the keys that its words find, if they were searched."""

    text: str = ""
    found: Sequence[Choice] = ()
    is_searched: bool = False


@dataclass(frozen=True, slots=True)
class LineView:
    """A line of the form.

    Attributes:
        values: its fields.
        keys: of the fields that are searched.
        importe: Importe, and total with taxes, as the page shows them; empty without amounts.
    """

    number: int
    values: Mapping[str, str]
    iva: list[Choice]
    keys: dict[str, KeySearch]
    importe: str
    total: str


@dataclass(frozen=True, slots=True)
class FormView:
    """The form with its options, amounts and findings.

    Attributes:
        rest: findings without a field on the page.
        sums: the amounts of the invoice, each with its name; the last one is Total.
        problem: why there are no amounts or no XML; empty without a reason.
        has_csd: whether the account has a certificate that can seal.
    """

    form: InvoiceForm
    kept: str
    choices: Mapping[str, Sequence[Choice]]
    lines: list[LineView]
    findings: Mapping[str, Sequence[FormFinding]]
    rest: Sequence[FormFinding]
    errors: int
    sums: list[tuple[str, str]]
    problem: str
    xml: str
    has_csd: bool

    def get(self, name: str) -> str:
        """Return the value of a field."""
        return self.form.get(name)


def form_view(
    form: InvoiceForm,
    composition: Composition,
    findings: Sequence[FormFinding],
    certificates: Sequence[StoredCertificate],
    catalogs: CatalogSearch,
    on: date,
) -> FormView:
    """Return the view of a form.

    Args:
        on: the day on which keys of catalogs must be valid.
    """
    grouped = by_field(findings)
    choices = choices_of(form, catalogs, on)
    choices["Emisor.Rfc"] = _issuers(form, certificates)
    return FormView(
        form,
        orjson.dumps(form.kept).decode() if form.kept else "",
        choices,
        _lines(form, composition.totals, catalogs, on),
        grouped,
        grouped.get("", ()),
        sum(finding.is_error for finding in findings),
        [] if composition.totals is None else sums_of(composition.totals),
        "" if composition.problem is None else composition.problem.text,
        composition.text,
        bool(issuers_of(certificates)),
    )


def issuers_of(certificates: Sequence[StoredCertificate]) -> dict[str, str]:
    """Return the names of the issuers whose documents the account can seal, by RFC."""
    return {each.rfc: each.name for each in reversed(certificates) if each.active}


def sums_of(totals: Totals) -> list[tuple[str, str]]:
    """Return the amounts of an invoice with their names, Total last."""
    comprobante = totals.comprobante
    sums = [("Subtotal", comprobante["SubTotal"])]
    if "Descuento" in comprobante:
        sums.append(("Descuento", f"-{comprobante['Descuento']}"))
    taxes = comprobante.get("Impuestos", {})
    for row in taxes.get("Traslados", ()):
        name = f"{tax_name(row['Impuesto'])} {rate(row['TipoFactor'], row.get('TasaOCuota'))}"
        sums.append((name, row.get("Importe", "0.00")))
    sums += [(f"{tax_name(row['Impuesto'])} retenido", f"-{row['Importe']}") for row in taxes.get("Retenciones", ())]
    for _, local in local_taxes_in(comprobante.get("Complemento")):
        for kind, sign in ((WITHHELD, "-"), (TRANSFERRED, "")):
            rows = local.get(kind.rows, ())
            sums += [(f"{row[kind.name]} {row[kind.rate]} %", f"{sign}{row['Importe']}") for row in rows]
    return [*((name, amount(value)) for name, value in sums), ("Total", amount(comprobante["Total"]))]


def _issuers(form: InvoiceForm, certificates: Sequence[StoredCertificate]) -> list[Choice]:
    names = issuers_of(certificates)
    found = [Choice(rfc, f"{rfc} · {name}") for rfc, name in names.items()]
    chosen = form.get("Emisor.Rfc")
    return [Choice(chosen, f"{chosen} · sin certificado"), *found] if chosen and chosen not in names else found


def _lines(form: InvoiceForm, totals: Totals | None, catalogs: CatalogSearch, on: date) -> list[LineView]:
    amounts: dict[int, tuple[str, Decimal]] = {}
    if totals is not None:
        rows = zip(form.written_lines, totals.comprobante["Conceptos"], totals.lines, strict=True)
        amounts = {number: (row["Importe"], line.total) for number, row, line in rows}
    views = []
    searches = 0
    for number, line in enumerate(form.lines, 1):
        keys = {}
        for name, catalog in SEARCHED.items():
            keys[name] = _key(catalogs, catalog, line.get(name, ""), on, is_searched=searches < MOST_SEARCHED)
            searches += bool(line.get(name) and not keys[name].text)
        importe, total = amounts.get(number, ("", None))
        shown = "" if total is None or not line.get("ValorUnitario") else amount(f"{total:f}")
        views.append(LineView(number, line, iva_choices(line), keys, amount(importe), shown))
    return views


def _key(catalogs: CatalogSearch, catalog: str, query: str, on: date, *, is_searched: bool) -> KeySearch:
    text = key_text(catalogs, catalog, query, on) if query else ""
    if text or not query or not is_searched:
        return KeySearch(text)
    return KeySearch(text, found_keys(catalogs, catalog, query[:200], on), is_searched=True)


LINE_TAXES = (
    (IEPS, "IEPS %"),
    (WITHHELD_ISR, "Ret. ISR %"),
    (WITHHELD_IVA, "Ret. IVA %"),
)
"""Taxes of a line that are written as percentages, with their labels."""
