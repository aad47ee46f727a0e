"""The matrices at a glance: one line for each row, made from the rules themselves."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from datetime import date

from timbra.messages import MESSAGES, full_message
from timbra.rules.finding import Severity
from timbra.rules.rule import AnyRule, Book, Listed

ROOT = "Comprobante"
HEAD = "| code | place | what must hold | state | needs | function |\n|---|---|---|---|---|---|"


def page(name: str, title: str, books: Iterable[Book], rows: Iterable[str]) -> str:
    """A page of Markdown with every row, in the order given; KeyError for a row that no book has."""
    known: dict[str, AnyRule | Listed] = {}
    for book in books:
        known.update({rule.code: rule for rule in book.rules})
        known.update({row.code: row for row in book.listed})
    lines = [_line(known[row]) for row in rows]
    states = [state(known[row]) for row in rows]
    counted = ", ".join(f"{states.count(name)} {name}" for name in dict.fromkeys(states))
    note = f"Made from the rules themselves; `python -m timbra.rules.index {name}` prints it."
    return "\n".join((f"# {title}\n", f"{note}\n", f"Rows: {counted}.\n", HEAD, *lines, ""))


def state(row: AnyRule | Listed) -> str:
    """rule, or why it is not asked: suspended, inactive, listed."""
    if isinstance(row, Listed):
        return "listed"
    return str(row.severity) if row.severity in (Severity.SUSPENDED, Severity.INACTIVE) else "rule"


def _line(row: AnyRule | Listed) -> str:
    code = row.code.partition(":")[0]
    sentence = MESSAGES.get(code) or full_message(code)
    if isinstance(row, Listed):
        return f"| {row.code} | `{row.at}` | {sentence} | listed | {row.reason} | |"
    needs = ", ".join([*sorted(row.needs), *(".".join(column) for column in row.columns)])
    cells = (
        row.code,
        f"`{row.at or ROOT}`",
        sentence,
        state(row) + _dates(row),
        needs,
        f"`{row.judge.__module__}.{row.name}`",
    )
    return f"| {' | '.join(cells)} |"


def _dates(row: AnyRule) -> str:
    since = f" since {row.since}" if row.since > date.min else ""
    return since + (f" until {row.until}" if row.until < date.max else "")


def cfdi40() -> str:
    """The page of CFDI 4.0, certificate and seal included."""
    from timbra.rules import cfdi40, seals
    from timbra.rules.cfdi40.matrix import ROWS

    return page("cfdi40", "The CFDI 4.0 matrix, row by row", (seals.BOOK, cfdi40.BOOK), ROWS)


def cfdi33() -> str:
    """The page of CFDI 3.3, certificate and seal included."""
    from timbra.rules import cfdi33, seals
    from timbra.rules.cfdi33.matrix import ROWS

    return page("cfdi33", "The CFDI 3.3 matrix, row by row", (seals.BOOK, cfdi33.BOOK), ROWS)


def pagos10() -> str:
    """The page of Recepción de Pagos 1.0."""
    from timbra.rules import pagos10
    from timbra.rules.pagos10.matrix import ROWS

    return page("pagos10", "The matrix of Recepción de Pagos 1.0, row by row", (pagos10.BOOK,), ROWS)


def pagos20() -> str:
    """The page of Recepción de Pagos 2.0."""
    from timbra.rules import pagos20
    from timbra.rules.pagos20.matrix import ROWS

    return page("pagos20", "The matrix of Recepción de Pagos 2.0, row by row", (pagos20.BOOK,), ROWS)


def comercioexterior20() -> str:
    """The page of Comercio Exterior 2.0."""
    from timbra.rules import comercioexterior20
    from timbra.rules.comercioexterior20.matrix import ROWS

    title = "The matrix of Comercio Exterior 2.0, row by row"
    return page("comercioexterior20", title, comercioexterior20.BOOKS, ROWS)


def cartaporte31() -> str:
    """The page of Carta Porte 3.1."""
    from timbra.rules import cartaporte31
    from timbra.rules.cartaporte31.matrix import ROWS

    return page("cartaporte31", "The matrix of Carta Porte 3.1, row by row", cartaporte31.BOOKS, ROWS)


def ecc12() -> str:
    """The page of Estado de Cuenta de Combustibles 1.2."""
    from timbra.rules import ecc12
    from timbra.rules.ecc12.matrix import ROWS

    return page("ecc12", "The matrix of Estado de Cuenta de Combustibles 1.2, row by row", (ecc12.BOOK,), ROWS)


def gceh10() -> str:
    """The page of Gastos de Hidrocarburos 1.0."""
    from timbra.rules import gceh10
    from timbra.rules.gceh10.matrix import ROWS

    return page("gceh10", "The matrix of Gastos de Hidrocarburos 1.0, row by row", (gceh10.BOOK,), ROWS)


def hidroypetro10() -> str:
    """The page of Hidrocarburos y Petrolíferos 1.0."""
    from timbra.rules import hidroypetro10
    from timbra.rules.hidroypetro10.matrix import ROWS

    title = "The matrix of Hidrocarburos y Petrolíferos 1.0, row by row"
    return page("hidroypetro10", title, (hidroypetro10.BOOK,), ROWS)


def ieeh10() -> str:
    """The page of Ingresos de Hidrocarburos 1.0."""
    from timbra.rules import ieeh10
    from timbra.rules.ieeh10.matrix import ROWS

    return page("ieeh10", "The matrix of Ingresos de Hidrocarburos 1.0, row by row", (ieeh10.BOOK,), ROWS)


def ine11() -> str:
    """The page of INE 1.1."""
    from timbra.rules import ine11
    from timbra.rules.ine11.matrix import ROWS

    return page("ine11", "The matrix of INE 1.1, row by row", (ine11.BOOK,), ROWS)


def nomina12() -> str:
    """The page of Nómina 1.2 in CFDI 4.0."""
    from timbra.rules import nomina12
    from timbra.rules.nomina12.matrix import ROWS

    return page("nomina12", "The matrix of Nómina 1.2, revision E, row by row", nomina12.BOOKS, ROWS)


def nomina12b() -> str:
    """The page of Nómina 1.2 in CFDI 3.3."""
    from timbra.rules import nomina12b
    from timbra.rules.nomina12b.matrix import ROWS

    return page("nomina12b", "The matrix of Nómina 1.2 for CFDI 3.3, revision B, row by row", nomina12b.BOOKS, ROWS)


def forma() -> str:
    """The page of what a document declares."""
    from timbra.rules import shape

    rows = [rule.code for rule in shape.BOOK.rules]
    return page("forma", "Namespaces, schemas and the places of complements and stamp", (shape.BOOK,), rows)


def sellos() -> str:
    """The page of certificate, seal and stamp, the provider's own codes included."""
    from timbra.rules import seals

    rows = [rule.code for rule in seals.BOOK.rules]
    return page("sellos", "Certificate, seal, date and stamp", (seals.BOOK,), rows)


PAGES: dict[str, Callable[[], str]] = {
    "cartaporte31": cartaporte31,
    "cfdi33": cfdi33,
    "cfdi40": cfdi40,
    "comercioexterior20": comercioexterior20,
    "nomina12": nomina12,
    "nomina12b": nomina12b,
    "pagos10": pagos10,
    "pagos20": pagos20,
    "ecc12": ecc12,
    "gceh10": gceh10,
    "hidroypetro10": hidroypetro10,
    "ieeh10": ieeh10,
    "ine11": ine11,
    "forma": forma,
    "sellos": sellos,
}

if __name__ == "__main__":
    sys.stdout.write(PAGES[sys.argv[1]]())
