"""The published lists as rules ask them: look-ups in the packed files in force."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path

from timbra.authority.lists.list_store import Editions, ListEdition, ListStore
from timbra.authority.lists.packed.certificate_rows import PublishedCertificate, obligations_in, seal_in
from timbra.authority.lists.packed.name_set import NameSet
from timbra.authority.lists.packed.table_reader import PackedList
from timbra.authority.lists.sources.part_names import ListKind
from timbra.cfdi.rfc import is_rfc
from timbra.clock import CENTRAL_MEXICO
from timbra.errors import ServiceError

ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class PublishedTaxpayer:
    """A row of l_RFC. Empty name, postal_code or regimes: the list does not carry them. cancelled: as the list tells;
    it is meant to name only taxpayers that are not."""

    rfc: str
    name: str
    postal_code: str
    regimes: frozenset[str]
    cancelled: bool = False
    withholding: str | None = None
    sncf: bool = False
    subcontracting: bool = False


class ListedTaxpayers:
    """l_RFC, one edition of it."""

    def __init__(self, edition: ListEdition, rows: PackedList) -> None:
        self.edition = edition
        self._rows = rows
        self._fields = edition.fields

    def taxpayer(self, rfc: str) -> PublishedTaxpayer | None:
        """The row of the RFC, None when it is not registered. ServiceError("list-damaged") when its row is broken."""
        found = self._rows.get(rfc.encode()) if is_rfc(rfc) else None
        if found is None:
            return None
        told = self._told(found)
        return PublishedTaxpayer(
            rfc=rfc,
            name=told.get("name", "").strip(),
            postal_code=told.get("postal_code", ""),
            regimes=frozenset(told.get("regimes", "").replace(",", " ").replace(";", " ").split()),
            cancelled=told.get("cancelled") == "1",
            withholding=told.get("withholding", "").strip("0") or None,
            sncf=told.get("sncf") == "1",
            subcontracting=told.get("subcontracting") == "1",
        )

    def _told(self, columns: bytes) -> dict[str, str]:
        try:
            return dict(zip(self._fields, columns.decode().split("|") if self._fields else (), strict=True))
        except ValueError as cause:
            raise ServiceError("list-damaged", "Un renglón de la l_RFC guardada no tiene sus columnas.") from cause


class ListedNames:
    """The names in l_RFC."""

    def __init__(self, names: NameSet) -> None:
        self._names = names

    def is_registered(self, name: str) -> bool:
        """Whether a taxpayer, not cancelled, has exactly this name."""
        return name in self._names


class ListedMarks:
    """What l_RFC marks."""

    def __init__(self, taxpayers: ListedTaxpayers) -> None:
        self._taxpayers = taxpayers

    def withholding(self, rfc: str) -> str | None:
        """The mark Retención, "1" or "2"; None without one."""
        found = self._taxpayers.taxpayer(rfc)
        return None if found is None else found.withholding


class ListedEntities:
    """Who l_RFC marks as SNCF."""

    def __init__(self, taxpayers: ListedTaxpayers) -> None:
        self._taxpayers = taxpayers

    def is_coordinated(self, rfc: str) -> bool:
        """Whether the RFC is marked; an RFC that is not listed is not."""
        found = self._taxpayers.taxpayer(rfc)
        return found is not None and found.sncf


class ListedObligations:
    """The LCO, one edition of it."""

    def __init__(self, edition: ListEdition, rows: PackedList) -> None:
        self.edition = edition
        self._rows = rows

    def obligations(self, rfc: str) -> int | None:
        """The taxpayer's ValidezObligaciones (0 to 4), None when the RFC is not listed."""
        found = self._row(rfc)
        return None if found is None else obligations_in(found)

    def certificate(self, rfc: str, number: str) -> PublishedCertificate | None:
        """The row of the certificate of 20 digits, None when that RFC has no such certificate in the list."""
        found = self._row(rfc)
        return None if found is None else seal_in(rfc, number, found)

    def _row(self, rfc: str) -> bytes | None:
        return self._rows.get(rfc.encode()) if is_rfc(rfc) else None


@dataclass(frozen=True, slots=True)
class ListSnapshot:
    """The lists in force, frozen: what was opened stays readable after a swap.

    None: there is no such list, or it does not carry the requested column; then no rule uses it.
    """

    editions: Editions
    taxpayers: ListedTaxpayers | None = None
    obligations: ListedObligations | None = None
    names: ListedNames | None = None
    marks: ListedMarks | None = None
    coordinated: ListedEntities | None = None

    @property
    def version(self) -> str:
        """The day of each list, such as "LCO 2026-11-20, l_RFC 2026-11-18"; empty without lists."""
        return ", ".join(f"{kind} {self.editions[kind].dated}" for kind in ListKind if kind in self.editions)

    def begun(self, kind: ListKind) -> datetime | None:
        """When the day of the list began in central Mexico, None where there is no such list."""
        return midnight(self.editions[kind].dated) if kind in self.editions else None

    def age(self, now: datetime) -> timedelta | None:
        """How long ago the day of the oldest list began in central Mexico, None without lists. now: aware."""
        return max((now - midnight(edition.dated) for edition in self.editions.values()), default=None)


class PublishedLists:
    """The lists of a folder. Knows of a swap at the next call, whichever process made it: one `stat`, microseconds.

    `current` gives the lists frozen, for the length of one request; the look-ups here are those of the lists that are
    in force at that instant, and answer None where there is no list at all: ask `current` to tell the difference.
    """

    def __init__(self, folder: Path) -> None:
        self._shelf = ListStore(folder)
        self._seen = (0, 0, 0)
        self._lists = ListSnapshot({})

    @property
    def current(self) -> ListSnapshot:
        """ServiceError("list-damaged") when the files in force cannot be read."""
        stamp = self._shelf.stamp()
        if stamp != self._seen:
            self._lists = self._opened()
            self._seen = stamp
        return self._lists

    @property
    def lists_version(self) -> str:
        """The day of each list; empty without lists."""
        return self.current.version

    def age(self, now: datetime) -> timedelta | None:
        """How long ago the day of the oldest list began, None without lists."""
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

    def _opened(self) -> ListSnapshot:
        """A file that is gone means that the lists were swapped twice meanwhile: read again which are in force."""
        for _ in range(ATTEMPTS):
            try:
                return _open_lists(self._shelf.folder, self._shelf.editions())
            except FileNotFoundError:
                continue
        raise ServiceError("list-damaged", "Falta un archivo de las listas vigentes.")


def midnight(day: date) -> datetime:
    """When a day begins in central Mexico."""
    return datetime.combine(day, time(), CENTRAL_MEXICO)


def _open_lists(folder: Path, editions: Editions) -> ListSnapshot:
    lrfc, lco = editions.get(ListKind.LRFC), editions.get(ListKind.LCO)
    taxpayers = None if lrfc is None else ListedTaxpayers(lrfc, PackedList(folder / lrfc.file))
    fields = frozenset() if lrfc is None else frozenset(lrfc.fields)
    return ListSnapshot(
        editions=editions,
        taxpayers=taxpayers,
        obligations=None if lco is None else ListedObligations(lco, PackedList(folder / lco.file)),
        names=ListedNames(NameSet(folder / lrfc.names)) if lrfc is not None and lrfc.names else None,
        marks=ListedMarks(taxpayers) if taxpayers is not None and "withholding" in fields else None,
        coordinated=ListedEntities(taxpayers) if taxpayers is not None and "sncf" in fields else None,
    )
