"""The evaluation context: one document with the reference data of one request."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Generic, Literal, TypeVar, cast
from zoneinfo import ZoneInfo

from timbra.cfdi.nodes import Comprobante, FiscalDocument
from timbra.cfdi.nodes.base import number
from timbra.cfdi.nodes.retenciones20 import Retenciones
from timbra.core.bounds import Bound, BoundKind
from timbra.core.clock import CENTRAL_MEXICO
from timbra.rules.engine.instants import local_time
from timbra.rules.engine.lazy import lazy
from timbra.rules.engine.name_similarity import name_hint
from timbra.rules.engine.ports import Catalogs, RatePort, ReferenceData
from timbra.rules.engine.tax_sums import TaxSums
from timbra.rules.engine.versions import Catalogs33

if TYPE_CHECKING:
    from timbra.rules.engine.ports import RegisteredTaxpayer


class Registration:
    """A registered taxpayer. A value that the list does not have equals every value.

    Args:
        row: row of the list.
        disclose: returns a value, or an empty text when findings may not contain it.
    """

    __slots__ = ("_disclose", "_row")

    def __init__(self, row: RegisteredTaxpayer, disclose: Callable[[str], str]) -> None:
        self._row = row
        self._disclose = disclose

    def has_name(self, name: str) -> bool:
        """Whether this is the registered name."""
        return self._row.name in ("", name)

    def has_postal_code(self, code: str) -> bool:
        """Whether this is the registered postal code."""
        return self._row.postal_code in ("", code)

    def is_at(self, code: str) -> bool:
        """Whether the list has exactly this postal code."""
        return self._row.postal_code == code

    def has_regime(self, regime: str) -> bool:
        """Whether this is a registered regime."""
        return not self._row.regimes or regime in self._row.regimes

    @property
    def disclosed_name(self) -> str:
        """The registered name; empty when findings may not contain it or the list does not have it."""
        return self._disclose(self._row.name)

    @property
    def disclosed_postal_code(self) -> str:
        """The registered postal code; empty when findings may not contain it or the list does not have it."""
        return self._disclose(self._row.postal_code)

    @property
    def disclosed_regimes(self) -> str:
        """The registered regimes; empty when findings may not contain them or the list does not have them."""
        return self._disclose(", ".join(sorted(self._row.regimes)))

    def name_hint(self, found: str) -> str | None:
        """Return why a similar name is not the registered one; the hint never repeats the registered name."""
        return name_hint(found, self._row.name)


MAX_DATES, MAX_VALUES, MAX_ROWS = 8, 32_768, 2_000
"""Sizes of the caches: a full one is emptied, and of the dates the first one goes.

A value takes about 100 bytes, a row 500.
"""


class DatedCache:
    """The cache of the catalogs for one version of a document and one date.

    Attributes:
        satisfied: by group of rules: attribute values with which a node satisfies every rule of the group. Change it
            with `add` only.
        rows: by catalog and key: the columns of the key, None when it is not in force. Change it with `add_row` only.
        in_force: by catalog and key: whether the key is in force. Change it with `add_key` only.
    """

    __slots__ = ("_catalogs", "_values", "in_force", "rows", "satisfied")

    def __init__(self, catalogs: Catalogs) -> None:
        self._catalogs = catalogs
        self._values = 0
        self.satisfied: dict[object, set[Hashable]] = {}
        self.rows: dict[tuple[str, str], Mapping[str, str] | None] = {}
        self.in_force: dict[tuple[str, str], bool] = {}

    def add(self, group: object, values: Collection[Hashable]) -> None:
        """Add values to those that satisfy a group of rules."""
        if self._values + len(values) > MAX_VALUES:
            self.satisfied.clear()
            self._values = 0
            if len(values) > MAX_VALUES:
                return
        self.satisfied.setdefault(group, set()).update(values)
        self._values += len(values)

    def add_row(self, catalog: str, key: str, row: Mapping[str, str] | None) -> None:
        if len(self.rows) >= MAX_ROWS:
            self.rows.clear()
        self.rows[catalog, key] = row

    def add_key(self, catalog: str, key: str, *, in_force: bool) -> None:
        if len(self.in_force) >= MAX_ROWS:
            self.in_force.clear()
        self.in_force[catalog, key] = in_force


_caches: dict[tuple[int, str, date], DatedCache] = {}


def dated_cache(catalogs: Catalogs, standard: str, on: date) -> DatedCache:
    """Return the cache of the catalogs for one version of a document and one date."""
    key = (id(catalogs), standard, on)
    found = _caches.get(key)
    if found is None:
        while len(_caches) >= MAX_DATES:
            _caches.pop(next(iter(_caches)), None)
        found = _caches[key] = DatedCache(catalogs)
    return found


T = TypeVar("T")
D = TypeVar("D", bound=FiscalDocument)


class DocumentContext(Generic[D]):
    """What a predicate may read besides its node, for every kind of document; values are computed once.

    Attributes:
        local: time of issue as a naive datetime, None when it is not a valid date and time.
        issued: date of issue; if it is invalid, date of the request at the place of issue.
        on: date of the catalogs: `issued`, or the later `catalogs_since`.
        catalogs: catalogs of the document's version.
        cache: what depends on `catalogs` and `on` only, also from earlier documents.
    """

    def __init__(self, document: D, reference_data: ReferenceData, catalogs: Catalogs, standard: str) -> None:
        """Read the date of the document.

        Args:
            catalogs: catalogs of the document's version.
            standard: name of that version.
        """
        self.document = document
        self.reference_data = reference_data
        self.catalogs = catalogs
        self.local = local_time(document.issued_at)
        self.issued = (self.local or reference_data.now.astimezone(self.zone)).date()
        self.on = max(self.issued, reference_data.catalogs_since)
        self.cache = dated_cache(reference_data.catalogs, standard, self.on)
        # Not the method `disclose`: it refers to this object, and only the garbage collector would free the tree.
        self._disclose = _disclosed if reference_data.discloses_registered_data else _hidden
        self._taxpayers: dict[str, Registration | None] = {}
        self._memo: dict[object, object] = {}

    @property
    def zone(self) -> ZoneInfo:
        """The time zone of the place of issue; central Mexico for an unknown postal code."""
        return self.reference_data.catalogs.zone(self.document.postal_code) or CENTRAL_MEXICO

    def in_force(self, catalog: str, key: str) -> bool:
        """Whether the key of a catalog is in force on the document's date."""
        found = self.cache.in_force.get((catalog, key))
        if found is None:
            found = self.catalogs.contains(catalog, key, self.on)
            self.cache.add_key(catalog, key, in_force=found)
        return found

    def row(self, catalog: str, key: str) -> Mapping[str, str] | None:
        """Return the columns of a key in force on the document's date, None when it is not in force."""
        rows = self.cache.rows
        entry = (catalog, key)
        if entry in rows:
            return rows[entry]
        row = self.catalogs.row(catalog, key, self.on)
        self.cache.add_row(catalog, key, row)
        return row

    def disclose(self, registered: str) -> str:
        """Return a value of the SAT's lists when findings may contain it, else an empty text (decision 0098)."""
        return self._disclose(registered)

    def taxpayer(self, rfc: str) -> Registration | None:
        """Return the registered taxpayer of an RFC; None when it is unknown or cancelled, or without a list."""
        if rfc not in self._taxpayers:
            taxpayers = self.reference_data.taxpayers
            found = taxpayers.taxpayer(rfc) if taxpayers is not None else None
            self._taxpayers[rfc] = None if found is None or found.cancelled else Registration(found, self._disclose)
        return self._taxpayers[rfc]

    def memoize(self, compute: Callable[[D], T]) -> T:
        """Return `compute(document)`, computed once for all rules of the document."""
        if compute not in self._memo:
            self._memo[compute] = compute(self.document)
        return cast("T", self._memo[compute])


class EvaluationContext(DocumentContext[Comprobante]):
    """The context of a CFDI.

    Attributes:
        comprobante: the document.
        standard: name of its version.
    """

    def __init__(self, comprobante: Comprobante, reference_data: ReferenceData) -> None:
        self.comprobante = comprobante
        catalogs = reference_data.catalogs
        self.standard: Literal["cfdi40", "cfdi33"] = "cfdi40"
        if comprobante.Version == "3.3":
            catalogs, self.standard = Catalogs33(catalogs), "cfdi33"
        super().__init__(comprobante, reference_data, catalogs, self.standard)
        self._numbers: dict[str | None, Decimal] = {}
        self._rates: dict[tuple[str, str, bool], Sequence[RatePort]] = {}

    @lazy
    def decimals(self) -> int | None:
        """Number of decimals of Moneda, None when c_Moneda does not have it."""
        return self.decimals_of(self.comprobante.Moneda)

    def decimals_of(self, currency: str) -> int | None:
        """Return the number of decimals of a currency, None when c_Moneda does not have it."""
        row = self.row("c_Moneda", currency)
        return int(row["decimales"]) if row is not None else None

    def rate(self, text: str | None) -> Decimal:
        """Return a TasaOCuota as a number: 0.16 and 0.160000 are equal; 0 when absent."""
        value = self._numbers.get(text)
        if value is None:
            value = self._numbers[text] = number(text)
        return value

    @lazy
    def sums(self) -> TaxSums:
        """The taxes of all Conceptos, summed."""
        return TaxSums(self.comprobante)

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


class RetencionesContext(DocumentContext[Retenciones]):
    """The context of a CFDI de retenciones e información de pagos."""

    def __init__(self, retenciones: Retenciones, reference_data: ReferenceData) -> None:
        super().__init__(retenciones, reference_data, reference_data.catalogs, "retenciones20")


AnyContext = EvaluationContext | RetencionesContext


def context_of(document: FiscalDocument, reference_data: ReferenceData) -> AnyContext:
    """Return the context of a document. Raises TypeError: the document is of no kind that has rules."""
    if isinstance(document, Comprobante):
        return EvaluationContext(document, reference_data)
    if isinstance(document, Retenciones):
        return RetencionesContext(document, reference_data)
    raise TypeError(f"no rules for {type(document).__name__}")


def _disclosed(registered: str) -> str:
    return registered


def _hidden(_registered: str) -> str:
    return ""


BOUNDS = (
    Bound(
        "DatedCache",
        BoundKind.CACHE,
        f"{MAX_VALUES:,} values, {MAX_ROWS:,} rows and keys, for {MAX_DATES} dates",
        "The values, rows or keys are forgotten.",
    ),
)
