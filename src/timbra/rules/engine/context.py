"""The evaluation context: one document with the reference data of one request."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Literal, TypeVar, cast
from zoneinfo import ZoneInfo

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.base import number
from timbra.clock import CENTRAL_MEXICO
from timbra.rules.engine.instants import local_time
from timbra.rules.engine.ports import Catalogs, RatePort, ReferenceData
from timbra.rules.engine.registration import Registration
from timbra.rules.engine.tax_sums import TaxSums
from timbra.rules.engine.versions import Catalogs33

T = TypeVar("T")


class EvaluationContext:
    """What a predicate may read besides its node. Values that several rules need are computed once.

    Attributes:
        local: Fecha as a naive datetime, None when it is not a valid date and time.
        on: date of Fecha; if it is invalid, date of the request at the place of issue.
        catalogs: catalogs of the document's version.
        standard: name of that version.
    """

    def __init__(self, comprobante: Comprobante, reference_data: ReferenceData) -> None:
        self.comprobante = comprobante
        self.reference_data = reference_data
        self.catalogs: Catalogs = reference_data.catalogs
        self.standard: Literal["cfdi40", "cfdi33"] = "cfdi40"
        if comprobante.Version == "3.3":
            self.catalogs, self.standard = Catalogs33(reference_data.catalogs), "cfdi33"
        self.local = local_time(comprobante.Fecha)
        self.on = (self.local or reference_data.now.astimezone(self.zone)).date()
        self._rows: dict[tuple[str, str], Mapping[str, str] | None] = {}
        self._decimals: int | None = None
        self._has_decimals = False
        self._taxpayers: dict[str, Registration | None] = {}
        self._numbers: dict[str | None, Decimal] = {}
        self._sums: TaxSums | None = None
        self._rates: dict[tuple[str, str, bool], Sequence[RatePort]] = {}
        self._memo: dict[object, object] = {}

    @property
    def zone(self) -> ZoneInfo:
        """The time zone of LugarExpedicion; central Mexico for an unknown postal code."""
        return self.reference_data.catalogs.zone(self.comprobante.LugarExpedicion) or CENTRAL_MEXICO

    def in_force(self, catalog: str, key: str) -> bool:
        """Whether the key of a catalog is in force on the document's date."""
        return self.catalogs.contains(catalog, key, self.on)

    def row(self, catalog: str, key: str) -> Mapping[str, str] | None:
        """Return the columns of a key in force on the document's date, None when it is not in force."""
        entry = (catalog, key)
        if entry not in self._rows:
            self._rows[entry] = self.catalogs.row(catalog, key, self.on)
        return self._rows[entry]

    @property
    def decimals(self) -> int | None:
        """Number of decimals of Moneda, None when c_Moneda does not have it."""
        if not self._has_decimals:
            self._decimals = self.decimals_of(self.comprobante.Moneda)
            self._has_decimals = True
        return self._decimals

    def decimals_of(self, currency: str) -> int | None:
        """Return the number of decimals of a currency, None when c_Moneda does not have it."""
        row = self.row("c_Moneda", currency)
        return int(row["decimales"]) if row is not None else None

    def disclose(self, registered: str) -> str:
        """Return a value of the SAT's lists when findings may contain it, else an empty text (decision 0098)."""
        return registered if self.reference_data.discloses_registered_data else ""

    def taxpayer(self, rfc: str) -> Registration | None:
        """Return the registered taxpayer of an RFC; None when it is unknown or cancelled, or without a list."""
        if rfc not in self._taxpayers:
            taxpayers = self.reference_data.taxpayers
            found = taxpayers.taxpayer(rfc) if taxpayers is not None else None
            self._taxpayers[rfc] = None if found is None or found.cancelled else Registration(found, self.disclose)
        return self._taxpayers[rfc]

    def rate(self, text: str | None) -> Decimal:
        """Return a TasaOCuota as a number: 0.16 and 0.160000 are equal; 0 when absent."""
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

    def memoize(self, compute: Callable[[Comprobante], T]) -> T:
        """Return `compute(comprobante)`, computed once for all rules of the document."""
        if compute not in self._memo:
            self._memo[compute] = compute(self.comprobante)
        return cast("T", self._memo[compute])

    def rates(self, tax: str, factor: str, *, ever: bool = False) -> Sequence[RatePort]:
        """Return the rows of c_TasaOCuota for a tax and factor.

        Args:
            tax: key of c_Impuesto.
            factor: key of c_TipoFactor.
            ever: whether to return the rows of any date, instead of those in force on the document's date.
        """
        key = (tax, factor, ever)
        if key not in self._rates:
            rows = self.catalogs.rates(self.standard, None if ever else self.on)
            self._rates[key] = [row for row in rows if (row.tax, row.factor) == (tax, factor)]
        return self._rates[key]
