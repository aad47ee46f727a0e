"""c_TasaOCuota: the rates that a tax may have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from timbra.catalogs.dated import SINCE, UNTIL, parse_period

KEY = ("impuesto", "factor", "minimo", "valor")
"""Columns that together are the key of a row, because the SAT's table has no key."""


@dataclass(frozen=True, slots=True)
class TaxRate:
    """A row of c_TasaOCuota.

    Attributes:
        tax: A key of c_Impuesto.
        factor: Tasa or Cuota.
        minimum: The lowest rate; equal to `maximum` for a fixed rate.
        maximum: The highest rate.
        transfer: Whether the rate may be a traslado.
        withholding: Whether the rate may be a retención.
        border_stimulus: Whether it is the 8 % IVA of the border stimulus.
        since: The first day of the validity.
        until: The last day of the validity.
    """

    tax: str
    factor: str
    minimum: Decimal
    maximum: Decimal
    transfer: bool
    withholding: bool
    border_stimulus: bool
    since: date
    until: date

    def allows(self, value: Decimal) -> bool:
        """Whether the row allows the rate, compared as a number."""
        return self.minimum <= value <= self.maximum


def read_rates(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> tuple[TaxRate, ...]:
    """Read the rows of a c_TasaOCuota table, in its order."""
    return tuple(_rate(dict(zip(columns, row, strict=True))) for row in rows)


def with_rate_keys(
    columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the table with a first column `clave`, such as `002|Tasa||0.160000`."""
    places = [columns.index(name) for name in KEY]
    return ("clave", *columns), [("|".join(row[place] for place in places), *row) for row in rows]


def _rate(row: Mapping[str, str]) -> TaxRate:
    maximum = Decimal(row["valor"])
    since, until = parse_period(row.get(SINCE, ""), row.get(UNTIL, ""))
    return TaxRate(
        tax=row["impuesto"],
        factor=row["factor"],
        minimum=Decimal(row["minimo"]) if row["tipo"] == "Rango" else maximum,
        maximum=maximum,
        transfer=row["traslado"] == "1",
        withholding=row["retencion"] == "1",
        border_stimulus=row["estimulo_frontera"] == "1",
        since=since,
        until=until,
    )
