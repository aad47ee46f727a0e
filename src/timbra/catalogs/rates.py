"""c_TasaOCuota: the rates that a tax may have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from timbra.catalogs.dated import SINCE, UNTIL, parse_period


@dataclass(frozen=True, slots=True)
class TaxRate:
    """A row of c_TasaOCuota.

    tax: key of c_Impuesto. factor: Tasa or Cuota. A fixed rate has minimum == maximum. transfer, withholding: whether
    it may be a traslado, a retención. border_stimulus: the 8 % IVA of the border stimulus. since, until: both included.
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
        """Whether the row admits the rate, compared as a number."""
        return self.minimum <= value <= self.maximum


def read_rates(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> tuple[TaxRate, ...]:
    """The rates of a c_TasaOCuota table, in its order."""
    return tuple(_rate(dict(zip(columns, row, strict=True))) for row in rows)


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
