"""One document in one world: what rules may ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Literal, TypeVar, cast
from zoneinfo import ZoneInfo

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.base import number
from timbra.clock import CENTRAL_MEXICO
from timbra.rules.instants import local_time
from timbra.rules.sums import TaxSums
from timbra.rules.versions import Catalogs33
from timbra.rules.world import Catalogs, Rate, RegisteredTaxpayer, World

T = TypeVar("T")


class Case:
    """The document, the world frozen for this request, and what several rules ask of both, asked once.

    local: Fecha, None where it is no date.
    catalogs: those of the document's version; standard: its name.
    on: the document's own date; where Fecha has none, the date of the request at the place of issue.
    """

    def __init__(self, comprobante: Comprobante, world: World) -> None:
        self.comprobante = comprobante
        self.world = world
        self.catalogs: Catalogs = world.catalogs
        self.standard: Literal["cfdi40", "cfdi33"] = "cfdi40"
        if comprobante.Version == "3.3":
            self.catalogs, self.standard = Catalogs33(world.catalogs), "cfdi33"
        self.local = local_time(comprobante.Fecha)
        self.on = (self.local or world.now.astimezone(self.zone)).date()
        self._rows: dict[tuple[str, str], Mapping[str, str] | None] = {}
        self._decimals: int | None = None
        self._decimals_known = False
        self._taxpayers: dict[str, RegisteredTaxpayer | None] = {}
        self._numbers: dict[str | None, Decimal] = {}
        self._sums: TaxSums | None = None
        self._rates: dict[tuple[str, str, bool], Sequence[Rate]] = {}
        self._made: dict[object, object] = {}

    @property
    def zone(self) -> ZoneInfo:
        """The zone of LugarExpedicion; central Mexico for a postal code that does not exist."""
        return self.world.catalogs.zone(self.comprobante.LugarExpedicion) or CENTRAL_MEXICO

    def in_force(self, catalog: str, key: str) -> bool:
        """Whether the key of a catalog is in force on the document's date."""
        return self.catalogs.contains(catalog, key, self.on)

    def row(self, catalog: str, key: str) -> Mapping[str, str] | None:
        """The columns of a key in force on the document's date."""
        place = (catalog, key)
        if place not in self._rows:
            self._rows[place] = self.catalogs.row(catalog, key, self.on)
        return self._rows[place]

    @property
    def decimals(self) -> int | None:
        """How many decimals the currency has, None when Moneda is no currency."""
        if not self._decimals_known:
            self._decimals = self.decimals_of(self.comprobante.Moneda)
            self._decimals_known = True
        return self._decimals

    def decimals_of(self, currency: str) -> int | None:
        """How many decimals a currency has, None when it is none."""
        row = self.row("c_Moneda", currency)
        return int(row["decimales"]) if row is not None else None

    def taxpayer(self, rfc: str) -> RegisteredTaxpayer | None:
        """The registered, not cancelled taxpayer of that RFC, None also without a list (see `Need.TAXPAYERS`)."""
        if rfc not in self._taxpayers:
            listed = self.world.taxpayers
            found = listed.taxpayer(rfc) if listed is not None else None
            self._taxpayers[rfc] = None if found is None or found.cancelled else found
        return self._taxpayers[rfc]

    def rate(self, text: str | None) -> Decimal:
        """A TasaOCuota as a number: 0.16 and 0.160000 are equal; 0 when absent."""
        value = self._numbers.get(text)
        if value is None:
            value = self._numbers[text] = number(text)
        return value

    @property
    def sums(self) -> TaxSums:
        """The taxes of all Conceptos, summed."""
        if self._sums is None:
            self._sums = TaxSums(self.comprobante)
        return self._sums

    def once(self, make: Callable[[Comprobante], T]) -> T:
        """What a book sums up of the document: made when first asked for, then kept for all its rules."""
        if make not in self._made:
            self._made[make] = make(self.comprobante)
        return cast("T", self._made[make])

    def rates(self, tax: str, factor: str, *, ever: bool = False) -> Sequence[Rate]:
        """The rows of c_TasaOCuota for a tax and factor: in force on the document's date, or ever."""
        key = (tax, factor, ever)
        if key not in self._rates:
            rows = self.catalogs.rates(self.standard, None if ever else self.on)
            self._rates[key] = [row for row in rows if (row.tax, row.factor) == (tax, factor)]
        return self._rates[key]
