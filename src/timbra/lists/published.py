"""The published lists for the rules: look-ups in the packed files in force."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path

from timbra.cfdi.rfc import is_rfc
from timbra.core.bounds import Bound, BoundKind
from timbra.core.clock import CENTRAL_MEXICO
from timbra.core.errors import ServiceError
from timbra.lists.list_store import Editions, ListEdition, ListStore
from timbra.lists.packed.certificate_rows import PublishedCertificate, obligations_in, seal_in
from timbra.lists.packed.name_set import NameSet
from timbra.lists.packed.table_reader import PackedList
from timbra.lists.sources.exchange_rates import rate_key
from timbra.lists.sources.lcne import SEPARATOR
from timbra.lists.sources.part_names import SIGNED_LISTS, ListKind

ATTEMPTS = 5
LONGEST_GAP_DAYS = 7
"""Days without a published rate for which the last published one applies, such as those of Easter."""


@dataclass(frozen=True, slots=True)
class PublishedTaxpayer:
    """A row of l_RFC. A column that the list does not have is empty, None or False.

    Attributes:
        regimes: Keys of c_RegimenFiscal.
        cancelled: Whether the list marks the taxpayer as cancelled.
        withholding: The mark Retención, "1" or "2".
        sncf: Whether the taxpayer is a member of the Sistema Nacional de Coordinación Fiscal.
    """

    rfc: str
    name: str
    postal_code: str
    regimes: frozenset[str]
    cancelled: bool = False
    withholding: str | None = None
    sncf: bool = False
    subcontracting: bool = False


class ListedTaxpayers:
    """One edition of l_RFC."""

    def __init__(self, edition: ListEdition, rows: PackedList) -> None:
        self.edition = edition
        self._rows = rows
        self._fields = edition.fields

    def taxpayer(self, rfc: str) -> PublishedTaxpayer | None:
        """Return the row of the RFC; None when it is not registered.

        Raises:
            ServiceError: "list-damaged" when the stored row is invalid.
        """
        found = self._rows.get(rfc.encode()) if is_rfc(rfc) else None
        if found is None:
            return None
        values = self._values(found)
        return PublishedTaxpayer(
            rfc=rfc,
            name=values.get("name", "").strip(),
            postal_code=values.get("postal_code", ""),
            regimes=frozenset(values.get("regimes", "").replace(",", " ").replace(";", " ").split()),
            cancelled=values.get("cancelled") == "1",
            withholding=values.get("withholding", "").strip("0") or None,
            sncf=values.get("sncf") == "1",
            subcontracting=values.get("subcontracting") == "1",
        )

    def _values(self, columns: bytes) -> dict[str, str]:
        try:
            return dict(zip(self._fields, columns.decode().split("|") if self._fields else (), strict=True))
        except ValueError as cause:
            raise ServiceError("list-damaged", "Un renglón de la l_RFC guardada no tiene sus columnas.") from cause


class ListedNames:
    """The names in l_RFC."""

    def __init__(self, names: NameSet) -> None:
        self._names = names

    def is_registered(self, name: str) -> bool:
        """Whether a taxpayer that is not cancelled has exactly this name."""
        return name in self._names


class ListedMarks:
    """The marks of l_RFC."""

    def __init__(self, taxpayers: ListedTaxpayers) -> None:
        self._taxpayers = taxpayers

    def withholding(self, rfc: str) -> str | None:
        """Return the mark Retención, "1" or "2"; None without one."""
        found = self._taxpayers.taxpayer(rfc)
        return None if found is None else found.withholding


class ListedEntities:
    """The members of the Sistema Nacional de Coordinación Fiscal (SNCF), as l_RFC marks them."""

    def __init__(self, taxpayers: ListedTaxpayers) -> None:
        self._taxpayers = taxpayers

    def is_coordinated(self, rfc: str) -> bool:
        """Whether l_RFC lists and marks the RFC."""
        found = self._taxpayers.taxpayer(rfc)
        return found is not None and found.sncf


class ListedObligations:
    """One edition of the LCO."""

    def __init__(self, edition: ListEdition, rows: PackedList) -> None:
        self.edition = edition
        self._rows = rows

    def obligations(self, rfc: str) -> int | None:
        """Return the taxpayer's ValidezObligaciones (0 to 4); None when the RFC is not listed."""
        found = self._row(rfc)
        return None if found is None else obligations_in(found)

    def certificate(self, rfc: str, number: str) -> PublishedCertificate | None:
        """Return the row of a certificate by its 20 digits; None when the list has no such certificate of the RFC."""
        found = self._row(rfc)
        return None if found is None else seal_in(rfc, number, found)

    def _row(self, rfc: str) -> bytes | None:
        return self._rows.get(rfc.encode()) if is_rfc(rfc) else None


@dataclass(frozen=True, slots=True)
class PublishedPermit:
    """A permit of L_CNE: its holder, and the keys of c_ClaveHYP of its fuels."""

    rfc: str
    fuels: frozenset[str]


class ListedPermits:
    """One edition of L_CNE."""

    def __init__(self, edition: ListEdition, rows: PackedList) -> None:
        self.edition = edition
        self._rows = rows

    def permit(self, number: str) -> PublishedPermit | None:
        """Return the row of a permit; None when the list does not have it."""
        found = None if "|" in number or "\n" in number else self._rows.get(number.encode())
        if not found:
            return None
        pairs = [part.decode().split("|") for part in found.split(SEPARATOR) if part]
        return PublishedPermit(pairs[-1][0], frozenset(fuel for _, fuel in pairs))


@dataclass(frozen=True, slots=True)
class PublishedPresumption:
    """A row of the list of article 69-B: `situation` as the SAT writes it, such as `Definitivo`."""

    rfc: str
    name: str
    situation: str


class ListedPresumptions:
    """One edition of the list of article 69-B of the CFF."""

    def __init__(self, edition: ListEdition, rows: PackedList) -> None:
        self.edition = edition
        self.dated = edition.dated
        self._rows = rows

    def presumed(self, rfc: str) -> PublishedPresumption | None:
        """Return the row of an RFC; None when the list does not have it."""
        found = self._rows.get(rfc.encode()) if is_rfc(rfc) else None
        if found is None:
            return None
        situation, _, name = found.decode().partition("|")
        return PublishedPresumption(rfc, name, situation)


class ListedRates:
    """The exchange rates that were published."""

    def __init__(self, edition: ListEdition, rows: PackedList) -> None:
        self.edition = edition
        self._rows = rows

    def published(self, currency: str, on: date) -> Decimal | None:
        """Return the pesos for one unit: the rate of the day, or the last one of the seven days before it.

        Source: article 20 of the CFF, third paragraph.
        """
        if not currency.isalpha():
            return None
        for days in range(LONGEST_GAP_DAYS + 1):
            found = self._rows.get(rate_key(currency, on - timedelta(days=days)))
            if found is not None:
                return Decimal(found.decode())
        return None


@dataclass(frozen=True, slots=True)
class ListSnapshot:
    """The lists in force at one instant; the opened files stay readable after a swap.

    An attribute is None when there is no such list, or the list does not have the column; then no rule uses it.
    """

    editions: Editions
    taxpayers: ListedTaxpayers | None = None
    obligations: ListedObligations | None = None
    names: ListedNames | None = None
    marks: ListedMarks | None = None
    coordinated: ListedEntities | None = None
    permits: ListedPermits | None = None
    presumptions: ListedPresumptions | None = None
    rates: ListedRates | None = None

    @property
    def version(self) -> str:
        """The day of each list, such as "LCO 2026-11-20, l_RFC 2026-11-18"; empty without lists."""
        return ", ".join(f"{kind} {self.editions[kind].dated}" for kind in ListKind if kind in self.editions)

    def begun(self, kind: ListKind) -> datetime | None:
        """Return the start of the list's day in central Mexico; None without such a list."""
        return midnight(self.editions[kind].dated) if kind in self.editions else None

    def age(self, now: datetime) -> timedelta | None:
        """Return the time since the start of the oldest signed list's day in central Mexico; None without one."""
        signed = [self.editions[kind] for kind in SIGNED_LISTS if kind in self.editions]
        return max((now - midnight(edition.dated) for edition in signed), default=None)


class PublishedLists:
    """The lists of a folder. Each call checks with one `stat` whether another process has swapped them.

    `current` returns a snapshot for the duration of one request. The look-ups of this class use the lists in force, and
    return None also when there is no list; `current` distinguishes the two cases.
    """

    def __init__(self, folder: Path) -> None:
        self._store = ListStore(folder)
        self._seen = (0, 0, 0)
        self._lists = ListSnapshot({})

    def identifier(self) -> str:
        return self._store.identifier()

    @property
    def current(self) -> ListSnapshot:
        """The lists in force. Raises ServiceError: "list-damaged" when their files cannot be read."""
        stamp = self._store.stamp()
        if stamp != self._seen:
            self._lists = self._open()
            self._seen = stamp
        return self._lists

    @property
    def lists_version(self) -> str:
        """The day of each list; empty without lists."""
        return self.current.version

    def age(self, now: datetime) -> timedelta | None:
        return self.current.age(now)

    def taxpayer(self, rfc: str) -> PublishedTaxpayer | None:
        """See `ListedTaxpayers`."""
        taxpayers = self.current.taxpayers
        return None if taxpayers is None else taxpayers.taxpayer(rfc)

    def obligations(self, rfc: str) -> int | None:
        """See `ListedObligations`."""
        obligations = self.current.obligations
        return None if obligations is None else obligations.obligations(rfc)

    def certificate(self, rfc: str, number: str) -> PublishedCertificate | None:
        """See `ListedObligations`."""
        obligations = self.current.obligations
        return None if obligations is None else obligations.certificate(rfc, number)

    def _open(self) -> ListSnapshot:
        """Open the files in force; retry when a file is missing because the lists were swapped twice meanwhile."""
        for _ in range(ATTEMPTS):
            try:
                return _open_lists(self._store.folder, self._store.editions())
            except FileNotFoundError:
                continue
        raise ServiceError("list-damaged", "Falta un archivo de las listas vigentes.")


def midnight(day: date) -> datetime:
    """Return the start of a day in central Mexico."""
    return datetime.combine(day, time(), CENTRAL_MEXICO)


def _open_lists(folder: Path, editions: Editions) -> ListSnapshot:
    lrfc, lco = editions.get(ListKind.LRFC), editions.get(ListKind.LCO)
    taxpayers = None if lrfc is None else ListedTaxpayers(lrfc, PackedList(folder / lrfc.file))
    fields = frozenset() if lrfc is None else frozenset(lrfc.fields)
    lcne, listed_69b = editions.get(ListKind.LCNE), editions.get(ListKind.ARTICLE_69B)
    rates = editions.get(ListKind.EXCHANGE_RATES)
    return ListSnapshot(
        editions=editions,
        taxpayers=taxpayers,
        obligations=None if lco is None else ListedObligations(lco, PackedList(folder / lco.file)),
        names=ListedNames(NameSet(folder / lrfc.names)) if lrfc is not None and lrfc.names else None,
        marks=ListedMarks(taxpayers) if taxpayers is not None and "withholding" in fields else None,
        coordinated=ListedEntities(taxpayers) if taxpayers is not None and "sncf" in fields else None,
        permits=None if lcne is None else ListedPermits(lcne, PackedList(folder / lcne.file)),
        presumptions=None
        if listed_69b is None
        else ListedPresumptions(listed_69b, PackedList(folder / listed_69b.file)),
        rates=None if rates is None else ListedRates(rates, PackedList(folder / rates.file)),
    )


BOUNDS = (Bound("PublishedLists", BoundKind.RETRY, f"{ATTEMPTS} attempts", "The look-up fails with `list-damaged`."),)
