"""Reader of published exchange rates: the JSON of Banco de México's SIE, or a CSV `fecha,moneda,pesos`.

{"bmx": {"series": [{"idSerie": "SF60653", "datos": [{"fecha": "20/11/2026", "dato": "18.1234"}]}]}}
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal, InvalidOperation

from timbra.core.errors import ServiceError

CSV_HEADER = ("fecha", "moneda", "pesos")
NO_RATE = ("N/E", "")
"""The value of a day without a rate."""
_CURRENCY = re.compile(r"[A-Z]{3}")
_MAX_RATE = Decimal(1_000_000)

Row = tuple[bytes, bytes]
_Rate = tuple[str, str, str]


def series_of(configured: str) -> dict[str, str]:
    """Return the currency of each series of Banco de México.

    Args:
        configured: "SERIES=CURRENCY", separated by commas.

    Raises:
        ServiceError: "list-columns" for another text.
    """
    series = {}
    for pair in filter(None, (part.strip() for part in configured.split(","))):
        name, _, currency = (part.strip() for part in pair.partition("="))
        if not name or not _CURRENCY.fullmatch(currency):
            raise ServiceError("list-columns", f"{pair}: se espera SERIE=MONEDA, como SF60653=USD.")
        series[name] = currency
    return series


def rate_key(currency: str, day: date) -> bytes:
    """Return the key of a rate in the packed list."""
    return f"{currency} {day:%Y-%m-%d}".encode()


class ExchangeRateFile:
    """The rates. `rows` returns key and packed line of each rate: `CURRENCY YYYY-MM-DD|pesos`.

    Attributes:
        dated: The day of the newest rate; known after `rows`.
        skipped: Malformed rates.
    """

    def __init__(self, content: bytes, series: Mapping[str, str]) -> None:
        """Read a file.

        Args:
            content: The JSON or CSV.
            series: The currency of each series of the JSON.
        """
        self._content = content
        self._series = series
        self.dated: date | None = None
        self.skipped = 0

    def rows(self) -> list[Row]:
        """Return the rows.

        Raises:
            ServiceError: "list-unreadable" for another content, "list-columns" for an unknown series or header.
        """
        text = self._content.decode("utf-8-sig", "replace").lstrip()
        rates = self._of_json(text) if text.startswith("{") else _of_csv(text)
        found = []
        for day_text, currency, value in rates:
            if value in NO_RATE:
                continue
            day, pesos = _day(day_text), _pesos(value)
            if day is None or pesos is None or not _CURRENCY.fullmatch(currency):
                self.skipped += 1
                continue
            self.dated = day if self.dated is None else max(day, self.dated)
            key = rate_key(currency, day)
            found.append((key, b"%b|%b\n" % (key, str(pesos).encode())))
        return found

    def _of_json(self, text: str) -> Iterator[_Rate]:
        try:
            series = [(str(one["idSerie"]), one.get("datos", ())) for one in json.loads(text)["bmx"]["series"]]
            rates = [(name, [(str(row["fecha"]), str(row["dato"])) for row in rows]) for name, rows in series]
        except (ValueError, KeyError, TypeError, AttributeError) as cause:
            raise ServiceError("list-unreadable", "El archivo no es de series del Banco de México.") from cause
        for name, rows in rates:
            if name not in self._series:
                raise ServiceError(
                    "list-columns", f"No se sabe de qué moneda es la serie {name[:40]} (TIMBRA_EXCHANGE_RATE_SERIES)."
                )
            for day, value in rows:
                yield day, self._series[name], value.strip().replace(",", "")


def _of_csv(text: str) -> Iterable[_Rate]:
    records = csv.reader(text.splitlines())
    header = tuple(name.strip().lower() for name in next(records, []))
    if header != CSV_HEADER:
        raise ServiceError("list-columns", f"Se espera el encabezado {','.join(CSV_HEADER)} o el JSON del SIE.")
    for record in records:
        if record:
            day, currency, value = (*(part.strip() for part in record), "", "", "")[:3]
            yield day, currency, value or "malformed"


def _day(text: str) -> date | None:
    for form in ("%d/%m/%Y", "%Y-%m-%d"):
        try:
            return datetime.strptime(text, form).date()  # noqa: DTZ007 - a day without a zone
        except ValueError:
            continue
    return None


def _pesos(text: str) -> Decimal | None:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if value.is_finite() and 0 < value < _MAX_RATE else None
