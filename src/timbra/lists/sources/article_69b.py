"""Reader of the list of article 69-B of the CFF as the SAT publishes it: a CSV with lines before its header.

Información actualizada al 15 de octubre de 2026
Listado completo de contribuyentes (Artículo 69-B del Código Fiscal de la Federación)
No,RFC,Nombre del Contribuyente,Situación del contribuyente,...
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import date

from timbra.cfdi.rfc import is_rfc
from timbra.core.errors import ServiceError

SITUATIONS = {
    "presunto": "Presunto",
    "definitivo": "Definitivo",
    "desvirtuado": "Desvirtuado",
    "sentencia favorable": "Sentencia Favorable",
}
"""The situations in the SAT's spelling."""
MAX_HEADER_LINES = 20
_MASKED = re.compile(r"X{12,13}")
"""The RFC of a taxpayer whom a court has removed from the list."""
_MONTHS = (
    *("enero", "febrero", "marzo", "abril", "mayo", "junio"),
    *("julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"),
)
_UPDATED = re.compile(r"actualizad[ao] al? (\d{1,2}) de (\w+) del? (\d{4})")

Row = tuple[bytes, bytes]


class Article69bFile:
    """The list. `rows` returns key and packed line of each taxpayer: `RFC|situation|name`.

    Attributes:
        dated: The day of "Información actualizada al"; None without that line.
        skipped: Malformed rows.
    """

    def __init__(self, content: bytes) -> None:
        self._text = _decoded(content)
        self.dated: date | None = None
        self.skipped = 0

    def rows(self) -> list[Row]:
        """Return the rows. Raises ServiceError: "list-columns" without the header."""
        records = csv.reader(self._text.splitlines())
        rfc, name, situation = self._header(records)
        found = []
        for record in records:
            if not any(value.strip() for value in record):
                continue
            if len(record) <= max(rfc, name, situation):
                self.skipped += 1
                continue
            number, status = record[rfc].strip().upper(), SITUATIONS.get(_plain(record[situation]))
            if _MASKED.fullmatch(number):
                continue
            if not is_rfc(number) or status is None:
                self.skipped += 1
                continue
            text = " ".join(record[name].replace("|", " ").split())
            found.append((number.encode(), f"{number}|{status}|{text}\n".encode()))
        return found

    def _header(self, records: Iterator[Sequence[str]]) -> tuple[int, int, int]:
        for _, record in zip(range(MAX_HEADER_LINES), records, strict=False):
            names = [_plain(value) for value in record]
            updated = _UPDATED.search(" ".join(names))
            if updated is not None and self.dated is None:
                self.dated = _day(*updated.groups())
            if "rfc" in names:
                try:
                    situation = next(place for place, name in enumerate(names) if name.startswith("situacion"))
                    holder = next(place for place, name in enumerate(names) if name.startswith("nombre"))
                except StopIteration:
                    break
                return names.index("rfc"), holder, situation
        raise ServiceError("list-columns", "69-B: no se encontró el encabezado RFC, Nombre, Situación.")


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def _plain(text: str) -> str:
    """Return the text in lower case, without accents and repeated blanks."""
    decomposed = unicodedata.normalize("NFD", " ".join(text.split()).lower())
    return "".join(mark for mark in decomposed if not unicodedata.combining(mark))


def _day(day: str, month: str, year: str) -> date | None:
    try:
        return date(int(year), _MONTHS.index(month) + 1, int(day))
    except ValueError:
        return None
