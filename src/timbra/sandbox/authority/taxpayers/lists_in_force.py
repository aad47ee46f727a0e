"""The published rows of the simulated lists between two changes."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, datetime

from timbra.cfdi.rfc import is_rfc
from timbra.core.bounded_dict import BoundedDict
from timbra.core.bounds import Bound, BoundKind
from timbra.core.clock import CENTRAL_MEXICO
from timbra.sandbox.authority.taxpayers import seeds
from timbra.sandbox.authority.taxpayers.models import SandboxCertificate, SandboxTaxpayer
from timbra.sandbox.authority.taxpayers.publication import Publication
from timbra.sandbox.authority.taxpayers.published_lists import UNLISTED, ListedTaxpayerState, read_all_listed
from timbra.sandbox.store.transactions import SandboxStore

MAX_CACHED = 20_000


class ListsInForce:
    """The lists of one publication without the changes after it, read from the database at their first use.

    A request looks everything up in one of these objects, so that it compares no version for each look-up. After a
    change the registry returns another object with an empty cache; rows that a request reads later belong to its own.

    Args:
        store: The tables of the simulated authority.
        publication: The publication of the lists.
        open_to_all: Whether any well-formed RFC counts as registered, without name, postal code and regimes.

    Attributes:
        published: The fiscal instant at which the lists were published.
    """

    def __init__(self, store: SandboxStore, publication: Publication, *, open_to_all: bool) -> None:
        self._store = store
        self.publication = publication
        self.published: datetime = publication.published
        self._open_to_all = open_to_all
        self._rows = BoundedDict[str, ListedTaxpayerState](MAX_CACHED)
        self._rfcs_by_name = BoundedDict[str, tuple[str, ...]](MAX_CACHED)

    @property
    def lists_version(self) -> str:
        """The fiscal instant at which the lists were published, as local time of central Mexico."""
        return self.publication.version

    @property
    def dated(self) -> date:
        """The day in central Mexico on which the lists were published."""
        return self.publication.published.astimezone(CENTRAL_MEXICO).date()

    def taxpayer(self, rfc: str) -> SandboxTaxpayer | None:
        """Return the published row of l_RFC; None when the RFC is not registered."""
        found = self._listed(rfc).taxpayer
        return SandboxTaxpayer(rfc, "", "", frozenset()) if found is None and self._accepts_any(rfc) else found

    def is_registered(self, name: str) -> bool:
        """Whether the published l_RFC has exactly this name, of a taxpayer that is not cancelled."""
        return bool(self.rfcs_named(name))

    def rfcs_named(self, name: str) -> tuple[str, ...]:
        """Return the RFCs of the published l_RFC with exactly this name that are not cancelled."""
        found = self._rfcs_by_name.get(name)
        if found is None:
            with self._store.read() as transaction:
                found = tuple(transaction.taxpayers.named(name))
            self._rfcs_by_name[name] = found
        return found

    def presumed(self, rfc: str) -> SandboxTaxpayer | None:
        """Return the taxpayer of a row of the list of article 69-B; None when the RFC is not in it."""
        found = self._listed(rfc).taxpayer
        return found if found is not None and found.situation else None

    def obligations(self, rfc: str) -> int | None:
        """Return the published ValidezObligaciones (0 to 4); None when the RFC is not registered."""
        found = self._listed(rfc).obligations
        return seeds.OBLIGATIONS if found is None and self._accepts_any(rfc) else found

    def certificate(self, rfc: str, number: str) -> SandboxCertificate | None:
        """Return the published row of the LCO; None when it has no such CSD of the RFC."""
        return self._listed(rfc).seals.get(number)

    def needs_reading(self, rfcs: Collection[str], parties: Collection[tuple[str, str]]) -> bool:
        """See `StoredLists.needs_reading`."""
        if not all(rfc in self._rows for rfc in rfcs):
            return True
        return not all(self._has_name(*party) for party in parties)

    def gather(self, rfcs: Collection[str], parties: Collection[tuple[str, str]]) -> None:
        """See `StoredLists.gather`; the rows are read in one query."""
        self._read_rows(rfcs)
        for rfc, name in parties:
            if not self._has_name(rfc, name):
                self._read_rows(self.rfcs_named(name))

    def _has_name(self, rfc: str, name: str) -> bool:
        """Whether memory tells who has the name: the taxpayer itself, or others whose rows are in memory."""
        row = self._rows.get(rfc, UNLISTED).taxpayer
        if row is not None and row.name == name:
            return True
        named = self._rfcs_by_name.get(name)
        return named is not None and all(each in self._rows for each in named)

    def _read_rows(self, rfcs: Collection[str]) -> None:
        missing = {rfc for rfc in rfcs if is_rfc(rfc)}.difference(self._rows)
        if missing:
            with self._store.read() as transaction:
                found = read_all_listed(transaction, missing, self.published)
            self._rows.update(found)

    def _listed(self, rfc: str) -> ListedTaxpayerState:
        found = self._rows.get(rfc)
        if found is None:
            if not is_rfc(rfc):
                return UNLISTED
            with self._store.read() as transaction:
                found = self._rows[rfc] = read_all_listed(transaction, [rfc], self.published)[rfc]
        return found

    def _accepts_any(self, rfc: str) -> bool:
        return self._open_to_all and is_rfc(rfc)


BOUNDS = (
    Bound(
        "ListsInForce",
        BoundKind.CACHE,
        f"{MAX_CACHED:,} taxpayers, as many names",
        "The entry that was written longest ago is dropped.",
    ),
)
