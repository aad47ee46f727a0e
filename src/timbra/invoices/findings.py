"""Findings of a document at the fields that cause them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from timbra.core.errors import ServiceError, finding_sentence
from timbra.documents.editor_view import UNSTAMPED
from timbra.invoices.form import (
    ELEMENTS,
    FIELDS,
    IVA,
    LINE_FIELDS,
    RELATION,
    ROOT,
    TAX_FIELDS,
    UUIDS,
    InvoiceForm,
    tax_field,
)
from timbra.invoices.local_taxes import field_at
from timbra.validation.models import ReportEntry, ReportEntryKind, ValidationReport
from timbra.web.portal.views.formatting import error_message

STRUCTURE = "301"
BAD_VALUE = "TB4005"
_LINE = re.compile(r"Conceptos/Concepto\[(\d+)\](?:/(.*))?")
_TAX = re.compile(r"Impuestos/(Traslados|Retenciones)(?:/\w+)?(?:\[(\d+)\])?(?:/@\w+)?")
_INDEX = re.compile(r"\[\d+\]")
_LINE_NUMBER = re.compile(r" Línea \d+\.$")
_WHOLE = {
    "InformacionGlobal": "InformacionGlobal.Periodicidad",
    "CfdiRelacionados": RELATION,
    "CfdiRelacionados/CfdiRelacionado": UUIDS,
}
"""Fields of elements that are absent."""

PLAIN = {
    "CFDI40115": "Escriba el tipo de cambio de la moneda frente al peso.",
    "CFDI40126": "No es un código postal vigente: escriba el del domicilio donde se expide la factura.",
    "CFDI40162": "No es una clave vigente de productos y servicios: escriba palabras y elija una.",
    "CFDI40165": "No es una clave vigente de unidades: escriba palabras y elija una.",
    "CFDI40171": "El concepto es objeto de impuesto (02) y no tiene ninguno: elija el IVA, aunque sea exento.",
    "CFDI40172": "El concepto tiene impuestos y su objeto de impuesto no los admite: quítelos, o elija 02.",
}
"""What to do about a finding whose sentence is in terms of the XML, by code."""


@dataclass(frozen=True, slots=True)
class FormFinding:
    """A finding at a field.

    Attributes:
        field: name of the field; empty for none.
        text: Spanish sentences.
        is_error: whether the document cannot be stamped with it.
        code: code of the rule; empty for what the form itself finds.
        suggestion: the value that satisfies the rule; empty when there is not one only.
    """

    field: str
    text: str
    is_error: bool = True
    code: str = ""
    suggestion: str = ""


def findings_of(report: ValidationReport, form: InvoiceForm, own: Sequence[FormFinding]) -> list[FormFinding]:
    """Return the findings of a report by field, after those of the form itself.

    A finding that follows from another one at the same field is left out, and so is one at a field about which the form
    itself says something, or at a tax of a line without quantity or price.
    """
    named = {finding.field for finding in own}
    named |= {
        f"{name.removesuffix(amount)}{tax}"
        for name in named
        for amount in (".Cantidad", ".ValorUnitario")
        if name.endswith(amount)
        for tax in (f".{tax}" for tax in TAX_FIELDS)
    }
    found = list(own)
    values = {(entry.path, entry.expected_value) for entry in report.entries if entry.expected_value}
    suggestions = {path or "": value or "" for path, value in values}
    for entry in report.entries:
        if entry.code == UNSTAMPED:
            continue
        name = field_of(entry.path or "", form)
        if name in named or (entry.caused_by is not None and entry.caused_by.path == entry.path):
            continue
        found.append(_finding(entry, name, suggestions.get(entry.path or "", "")))
    return found


def amount_finding(error: ServiceError, form: InvoiceForm) -> FormFinding:
    """Return the finding of an error of the amounts or of the stamp."""
    location = error.location
    if location is None:
        return FormFinding("", " ".join(filter(None, (error_message(error.code), error.detail))), code=error.code)
    name = field_of(location.path or "", form)
    if name and error.code in PLAIN:
        return FormFinding(name, PLAIN[error.code], code=error.code)
    start = "" if error.code in (BAD_VALUE, STRUCTURE) else f"{_sentence(error.code)} "
    code = "" if error.code == BAD_VALUE else error.code
    return FormFinding(name, start + _found(location.found, location.expected), code=code)


def field_of(path: str, form: InvoiceForm) -> str:
    """Return the field of a path such as `Conceptos/Concepto[2]/@Cantidad`; empty for none.

    Numbers in paths are those of the lines that are not empty.
    """
    if local := field_at(path, form.values):
        return local
    match = _LINE.match(path)
    if match is not None:
        return _field_of_line(int(match[1]), match[2] or "", form)
    bare = _INDEX.sub("", path)
    element, _, attribute = bare.rpartition("/@") if "/@" in bare else ("", "", bare.removeprefix("@"))
    name = f"{element}.{attribute}" if element else attribute
    if name in FIELDS and (not element or element in ELEMENTS):
        return name
    if attribute == "UUID":
        return UUIDS
    if attribute == "TipoRelacion":
        return RELATION
    return _WHOLE.get(bare, "")


def _field_of_line(place: int, rest: str, form: InvoiceForm) -> str:
    lines = form.written_lines
    if not 0 < place <= len(lines):
        return ""
    number = lines[place - 1]
    attribute = rest.removeprefix("@")
    if rest.startswith("@") and attribute in LINE_FIELDS:
        return f"Concepto.{number}.{attribute}"
    if rest == "@Importe":
        return f"Concepto.{number}.ValorUnitario"
    if rest.startswith("Impuestos"):
        match = _TAX.fullmatch(rest)
        name = tax_field(form.lines[number - 1], match[1], int(match[2] or 1)) if match else IVA
        return f"Concepto.{number}.{name}"
    return f"Concepto.{number}.ClaveProdServ"


def by_field(findings: Iterable[FormFinding]) -> dict[str, list[FormFinding]]:
    """Group findings by field, errors first."""
    grouped: dict[str, list[FormFinding]] = {}
    for finding in sorted(findings, key=lambda each: not each.is_error):
        grouped.setdefault(finding.field, []).append(finding)
    return grouped


def first_field(findings: Iterable[FormFinding], lines: int) -> str:
    """Return the first field of the page that has an error; empty for none. `lines`: number of lines."""
    wrong = {finding.field for finding in findings if finding.is_error}
    issuer_and_receiver = [f"{element}.{name}" for element in ("Emisor", "Receptor") for name in ELEMENTS[element]]
    of_lines = [f"Concepto.{number}.{name}" for number in range(1, lines + 1) for name in LINE_FIELDS]
    return next((name for name in (*issuer_and_receiver, *ROOT, *of_lines, *FIELDS) if name in wrong), "")


def _finding(entry: ReportEntry, name: str, suggestion: str) -> FormFinding:
    code = entry.code or ""
    is_error = entry.kind is ReportEntryKind.ERROR
    if code == STRUCTURE or not code:
        text = entry.detail or entry.message
        if name:
            text = _found(entry.found, entry.expected)
        return FormFinding(name, _LINE_NUMBER.sub("", text), is_error, code, suggestion)
    if name and code in PLAIN:
        return FormFinding(name, PLAIN[code], is_error, code, suggestion)
    found = _found(entry.found, entry.expected, entry.hint)
    # The field names the attribute: what was found and expected is enough there, and the rule says it elsewhere.
    said = "" if name and entry.expected else f"{entry.message.partition(' - ')[2] or entry.message} "
    return FormFinding(name, said + found, is_error, code, suggestion)


def _found(found: str | None, expected: str | None, hint: str | None = None) -> str:
    """Return the sentence of a finding without its path, which is the field that shows it."""
    sentence = finding_sentence("-", found, expected, hint).removeprefix("-: ")
    return sentence[0].upper() + sentence[1:]


def _sentence(code: str) -> str:
    return error_message(code).partition(" - ")[2] or error_message(code)
