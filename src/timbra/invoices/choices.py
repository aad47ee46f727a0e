"""What the selects of the form offer, by the SAT's catalogs, and the search of keys by words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import zip_longest

from timbra.catalogs.search import CatalogSearch
from timbra.cfdi.rfc import FOREIGN, NATIONAL
from timbra.invoices.form import EXEMPT, IVA, IVA_RATES, KEEP, InvoiceForm

MOST_USED = ("MXN", "USD", "EUR")
WITHOUT_OBLIGATIONS = "616"
"""Régimen of the generic RFC."""
LENGTH_OF_COMPANY = 12
CATALOGS = {
    "FormaPago": "c_FormaPago",
    "MetodoPago": "c_MetodoPago",
    "Exportacion": "c_Exportacion",
    "CfdiRelacionados.TipoRelacion": "c_TipoRelacion",
    "InformacionGlobal.Periodicidad": "c_Periodicidad",
    "InformacionGlobal.Meses": "c_Meses",
    "ObjetoImp": "c_ObjetoImp",
}
"""Catalogs of the selects whose options do not depend on other fields."""
SEARCHED = {"ClaveProdServ": "c_ClaveProdServ", "ClaveUnidad": "c_ClaveUnidad"}
"""Catalogs of the fields of a line that are searched by words."""
MOST_FOUND = 8
SHORTEST_WORD, MOST_WORDS = 4, 4
"""Words that are searched alone."""
KINDS = (("I", "Ingreso (factura)"), ("E", "Egreso (nota de crédito)"))
IVA_TEXTS = dict(zip(IVA_RATES, ("16 %", "8 %", "0 %"), strict=True)) | {EXEMPT: "Exento", "": "Sin IVA"}
PRICES = (("sin", "sin impuestos"), ("con", "con impuestos incluidos"))


@dataclass(frozen=True, slots=True)
class Choice:
    """An option of a select, or a key that a search found."""

    value: str
    text: str


def choices_of(form: InvoiceForm, catalogs: CatalogSearch, on: date) -> dict[str, list[Choice]]:
    """Return the options of each select by its field; the value of a field is one of them in any case."""
    found = {name: _keyed(catalogs, catalog, "", on) for name, catalog in CATALOGS.items()}
    found["Moneda"] = currencies(catalogs, on)
    for name, rfc in (
        ("Emisor.RegimenFiscal", form.get("Emisor.Rfc")),
        ("Receptor.RegimenFiscalReceptor", form.get("Receptor.Rfc")),
    ):
        found[name] = _regimes(catalogs, rfc, on)
    found["Receptor.UsoCFDI"] = _uses(catalogs, form, on)
    found["TipoDeComprobante"] = [Choice(*pair) for pair in KINDS]
    found["precios"] = [Choice(*pair) for pair in PRICES]
    return {name: _with_value(form.get(name), options) for name, options in found.items()}


def currencies(catalogs: CatalogSearch, on: date) -> list[Choice]:
    """Return the currencies of amounts, those of most invoices first."""
    found = {choice.value: choice for choice in _keyed(catalogs, "c_Moneda", "", on)}
    first = [found.pop(key) for key in MOST_USED if key in found]
    return [*first, *(choice for key, choice in found.items() if key != "XXX")]


def payment_forms(catalogs: CatalogSearch, on: date) -> list[Choice]:
    """Return the forms of a payment: all but `99`, which is of what is not paid."""
    return [choice for choice in _keyed(catalogs, "c_FormaPago", "", on) if choice.value != "99"]


def iva_choices(line: dict[str, str]) -> list[Choice]:
    """Return the options of the IVA of a line."""
    options = [Choice(value, text) for value, text in IVA_TEXTS.items()]
    return [*options, Choice(KEEP, "Los del documento")] if line[IVA] == KEEP else options


def key_text(catalogs: CatalogSearch, catalog: str, key: str, on: date) -> str:
    """Return the text of a key that is valid on a day; empty for another one."""
    entry = catalogs.entry(catalog, key, on) if key else None
    return "" if entry is None else entry.text


def found_keys(catalogs: CatalogSearch, catalog: str, query: str, on: date) -> list[Choice]:
    """Return the first keys that a query finds; those of its words, one by one, when no key has all of them."""
    keys = catalogs.search(catalog, query, on)[:MOST_FOUND]
    if not keys:
        words = [word for word in query.split() if len(word) >= SHORTEST_WORD][:MOST_WORDS]
        of_words = (catalogs.search(catalog, word, on)[:MOST_FOUND] for word in words)
        keys = list(dict.fromkeys(key for found in zip_longest(*of_words) for key in found if key))[:MOST_FOUND]
    return _texts(catalogs, catalog, keys, on)


def _regimes(catalogs: CatalogSearch, rfc: str, on: date) -> list[Choice]:
    """Return the regimes of the kind of person of an RFC."""
    if rfc in (NATIONAL, FOREIGN):
        return _texts(catalogs, "c_RegimenFiscal", [WITHOUT_OBLIGATIONS], on)
    columns = {_person(rfc): "1"} if rfc else {}
    return _keyed(catalogs, "c_RegimenFiscal", "", on, columns)


def _uses(catalogs: CatalogSearch, form: InvoiceForm, on: date) -> list[Choice]:
    """Return the uses of the receiver's regime and kind of person."""
    rfc, regime = form.get("Receptor.Rfc"), form.get("Receptor.RegimenFiscalReceptor")
    columns = {_person(rfc): "1"} if rfc and rfc not in (NATIONAL, FOREIGN) else {}
    if regime:
        columns["regimenes_fiscales_receptores"] = regime
    return [choice for choice in _keyed(catalogs, "c_UsoCFDI", "", on, columns) if choice.value != "CP01"]


def _person(rfc: str) -> str:
    return "aplica_moral" if len(rfc) == LENGTH_OF_COMPANY else "aplica_fisica"


def _keyed(
    catalogs: CatalogSearch, catalog: str, query: str, on: date, columns: dict[str, str] | None = None
) -> list[Choice]:
    return _texts(catalogs, catalog, catalogs.search(catalog, query, on, columns), on)


def _texts(catalogs: CatalogSearch, catalog: str, keys: Iterable[str], on: date) -> list[Choice]:
    return [Choice(key, f"{key} · {key_text(catalogs, catalog, key, on)}") for key in keys]


def _with_value(value: str, options: Sequence[Choice]) -> list[Choice]:
    if not value or value in {choice.value for choice in options}:
        return list(options)
    return [Choice(value, f"{value} · no corresponde"), *options]
