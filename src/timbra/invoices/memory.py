"""What a stamped invoice leaves for the next one, and the fields that it fills in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from timbra.cfdi.rfc import GENERIC
from timbra.invoices.form import DRAFT, FIELDS, KEPT, LINE_ATTRIBUTES, LINE_FIELDS, TAX_FIELDS, InvoiceForm
from timbra.invoices.store import Content, EntryKind, InvoiceEntry

CUSTOMER = tuple(
    f"Receptor.{name}" for name in ("Rfc", "Nombre", "DomicilioFiscalReceptor", "RegimenFiscalReceptor", "UsoCFDI")
)
ISSUER = ("Emisor.Rfc", "Emisor.Nombre", "Emisor.RegimenFiscal", "LugarExpedicion", "Serie")
PRODUCT = tuple(name for name in (*LINE_ATTRIBUTES, *TAX_FIELDS) if name not in ("Cantidad", "Descuento"))
NAME, FOLIO = "Descripcion", "Folio"


def entries_of(form: InvoiceForm) -> list[InvoiceEntry]:
    """Return what is remembered of a stamped invoice: issuer, customer, and each product by its description."""
    issuer = {name: form.get(name) for name in (*ISSUER, FOLIO)}
    found = [InvoiceEntry(EntryKind.ISSUER, form.get("Emisor.Rfc"), issuer)]
    if form.get("Receptor.Rfc") not in GENERIC:
        found.append(
            InvoiceEntry(EntryKind.CUSTOMER, form.get("Receptor.Rfc"), {name: form.get(name) for name in CUSTOMER})
        )
    for number in form.written_lines:
        line = form.lines[number - 1]
        if not line[KEPT]:
            found.append(InvoiceEntry(EntryKind.PRODUCT, line[NAME], {name: line[name] for name in PRODUCT}))
    return found


def fill(form: InvoiceForm, entries: Iterable[InvoiceEntry], *, is_new: bool = False) -> None:
    """Fill empty fields from what the account has used.

    Args:
        is_new: whether the form is opened: the folio follows the last one of the issuer.
    """
    known = {(entry.kind, entry.key): entry.fields for entry in reversed(list(entries))}
    issuer = known.get((EntryKind.ISSUER, form.get("Emisor.Rfc")), {})
    names = ISSUER if is_new else tuple(name for name in ISSUER if name != "Serie")
    _fill(form.values, issuer, names)
    if is_new:
        form.values[FOLIO] = next_folio(issuer.get(FOLIO, ""))
    _fill(form.values, known.get((EntryKind.CUSTOMER, form.get("Receptor.Rfc")), {}), CUSTOMER)
    for line in form.lines:
        if not line["ClaveProdServ"] and (found := known.get((EntryKind.PRODUCT, line[NAME]))) is not None:
            line |= {name: found.get(name, "") for name in PRODUCT if not line[name] or name in TAX_FIELDS}


def _fill(values: dict[str, str], known: Mapping[str, str], names: Iterable[str]) -> None:
    values |= {name: known[name] for name in names if known.get(name) and not values.get(name)}


def next_folio(folio: str) -> str:
    """Return the folio after one that is a number, with its leading zeros; empty for another one."""
    return f"{int(folio) + 1:0{len(folio)}}" if folio.isascii() and folio.isdigit() else ""


def draft_of(form: InvoiceForm) -> Content:
    """Return the content of a draft."""
    return {"values": form.values, "lines": form.lines, "kept": form.kept}


def form_of_draft(content: Content, number: int) -> InvoiceForm:
    """Return the form of a stored draft; fields that it does not have are empty."""
    found: Any = content
    values = {**dict.fromkeys(FIELDS, ""), **found["values"], DRAFT: str(number)}
    lines = [{**dict.fromkeys(LINE_FIELDS, ""), **line} for line in found["lines"]]
    return InvoiceForm(values, lines, found["kept"])


def draft_label(form: InvoiceForm) -> str:
    return " ".join(filter(None, (form.get("Receptor.Rfc"), form.get("Receptor.Nombre"))))


def keys_of(entries: Sequence[InvoiceEntry], kind: EntryKind) -> list[InvoiceEntry]:
    """Return the entries of a kind, by key."""
    return sorted((entry for entry in entries if entry.kind is kind), key=lambda entry: entry.key)
