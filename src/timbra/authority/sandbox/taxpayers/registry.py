"""The simulated registry: l_RFC and LCO as a provider reads them, from the last published lists.

New rows are listed at once. A change of a listed taxpayer or certificate waits for the refresh at 00:00 central Mexico,
in fiscal time, or for a refresh on demand. While the fault `list-late` is active, new rows wait too, and no lists are
published at midnight.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from timbra.authority.sandbox.controls.faults import Faults
from timbra.authority.sandbox.taxpayers import seeds
from timbra.authority.sandbox.taxpayers.models import (
    DEFINITIVE,
    SandboxCertificate,
    SandboxTaxpayer,
    TaxpayerChange,
    TaxpayerEntry,
    checked_rfc,
    entry_from_row,
)
from timbra.authority.sandbox.taxpayers.publication import (
    Publication,
    first_publication,
    midnight_before,
    publish_pending,
    read_publication,
    write_first_publication,
    write_publication,
)
from timbra.authority.sandbox.taxpayers.published_lists import (
    UNLISTED,
    ListedTaxpayerState,
    apply_change,
    insert_certificate,
    insert_seeds,
    insert_taxpayer,
    read_all_listed,
    read_entry,
)
from timbra.authority.sandbox.taxpayers.registered_name import registered_name
from timbra.cfdi.rfc import is_rfc
from timbra.clock import Clock, WallClock
from timbra.errors import ServiceError
from timbra.seals.certificates.certificate import Certificate, CertificateKind
from timbra.store.events.event_log import Event
from timbra.store.sandbox.transactions import SandboxStore, SandboxTransaction

AREA = "sandbox"
MAX_CACHED = 20_000
_SEEDED = "seeds"


class SandboxRegistry:
    """Looks taxpayers up in a cache in memory; reads the database for an RFC that is not cached or after a change.

    `gather` reads the RFCs of a whole document in one query before they are looked up one by one.
    """

    def __init__(
        self,
        store: SandboxStore,
        clock: Clock,
        faults: Faults,
        *,
        open_to_all: bool = False,
        wall: Clock | None = None,
    ) -> None:
        """Open the registry of a store, and insert the seeds at first use.

        Args:
            store: The tables of the simulated authority.
            clock: Fiscal time.
            faults: The active faults.
            open_to_all: Whether any well-formed RFC counts as registered, without name, postal code and regimes.
            wall: The clock that dates events.
        """
        self._store = store
        self._clock = clock
        self._faults = faults
        self._open_to_all = open_to_all
        self._wall = wall or WallClock()
        self._cache_version = -1
        self._cache: dict[str, ListedTaxpayerState] = {}
        self._rfcs_by_name: dict[str, tuple[str, ...]] = {}
        self._publication = first_publication(clock.now())
        self._seed()

    def taxpayer(self, rfc: str) -> SandboxTaxpayer | None:
        """Return the published row of l_RFC; None when the RFC is not registered."""
        found = self._listed(rfc).taxpayer
        return SandboxTaxpayer(rfc, "", "", frozenset()) if found is None and self._accepts_any(rfc) else found

    def is_registered(self, name: str) -> bool:
        """Whether the published l_RFC has exactly this name, of a taxpayer that is not cancelled."""
        return bool(self.rfcs_named(name))

    def rfcs_named(self, name: str) -> tuple[str, ...]:
        """Return the RFCs of the published l_RFC with exactly this name that are not cancelled."""
        self._synchronize()
        cache = self._rfcs_by_name
        found = cache.get(name)
        if found is None:
            with self._store.read() as transaction:
                found = tuple(transaction.taxpayers.named(name))
            if len(cache) >= MAX_CACHED:
                cache.clear()
            cache[name] = found
        return found

    def gather(self, rfcs: Iterable[str]) -> None:
        """Read the published rows of these RFCs in one query into the cache."""
        self._synchronize()
        cache, published = self._cache, self._publication.published
        missing = {rfc for rfc in rfcs if is_rfc(rfc)}.difference(cache)
        if missing:
            with self._store.read() as transaction:
                found = read_all_listed(transaction, missing, published)
            self._cache_rows(cache, found)

    def presumed(self, rfc: str) -> SandboxTaxpayer | None:
        """Return the taxpayer of a row of the list of article 69-B; None when the RFC is not in it."""
        found = self._listed(rfc).taxpayer
        return found if found is not None and found.situation else None

    def is_definitive(self, rfc: str) -> bool:
        """Whether the RFC is in the definitive list of article 69-B."""
        found = self.presumed(rfc)
        return found is not None and found.situation == DEFINITIVE

    def obligations(self, rfc: str) -> int | None:
        """Return the published ValidezObligaciones (0 to 4); None when the RFC is not registered."""
        found = self._listed(rfc).obligations
        return seeds.OBLIGATIONS if found is None and self._accepts_any(rfc) else found

    def certificate(self, rfc: str, number: str) -> SandboxCertificate | None:
        """Return the published row of the LCO; None when it has no such CSD of the RFC."""
        return self._listed(rfc).seals.get(number)

    @property
    def lists_version(self) -> str:
        """The fiscal instant at which the lists in force were published, as local time of central Mexico."""
        self._synchronize()
        return self._publication.version

    @property
    def published(self) -> datetime:
        """The fiscal instant at which the lists in force were published."""
        self._synchronize()
        return self._publication.published

    def hint(self, rfc: str) -> str:
        """Return how to register an RFC, in Spanish; empty for a registered or malformed RFC."""
        if self.taxpayer(rfc) is not None or not is_rfc(rfc):
            return ""
        return (
            f"El RFC {rfc} no está registrado en este ambiente de pruebas. Regístrelo con: "
            f'timbra sandbox taxpayer add {rfc} --name "NOMBRE" --postal-code CP --regime REGIMEN'
        )

    def add(self, rfc: str, change: TaxpayerChange) -> TaxpayerEntry:
        """Register a taxpayer.

        Args:
            rfc: The taxpayer.
            change: Its values; a name is required, obligations are 1 by default.

        Raises:
            ServiceError: "taxpayer-exists"; "taxpayer-invalid" for a malformed value or no name.
        """
        values = change.columns()
        if "name" not in values:
            raise ServiceError("taxpayer-invalid", "Falta el nombre (--name).")
        with self._store.write() as transaction:
            listed = self._is_published_on_time(transaction)
            if not insert_taxpayer(transaction, checked_rfc(rfc), values, listed=listed):
                raise ServiceError("taxpayer-exists", f"El RFC {rfc} ya está registrado; cámbielo con set.")
            self._record(transaction, "taxpayer-added", rfc, values)
        return self.entry(rfc)

    def change(self, rfc: str, change: TaxpayerChange) -> TaxpayerEntry:
        """Change a taxpayer; the new values of a listed taxpayer are pending until the refresh.

        Raises:
            ServiceError: "taxpayer-unknown", "taxpayer-invalid".
        """
        values = change.columns()
        with self._store.write() as transaction:
            entry = read_entry(transaction, rfc)
            if values:
                apply_change(transaction, entry, values)
                self._record(transaction, "taxpayer-changed", rfc, values)
        return self.entry(rfc)

    def entry(self, rfc: str) -> TaxpayerEntry:
        """Return a taxpayer with its pending changes.

        Raises:
            ServiceError: "taxpayer-unknown".
        """
        with self._store.read() as transaction:
            return read_entry(transaction, rfc)

    def entries(self) -> list[TaxpayerEntry]:
        """Return all taxpayers, ordered by RFC."""
        with self._store.read() as transaction:
            return [entry_from_row(row) for row in transaction.taxpayers.list_all()]

    def register_certificate(self, certificate: Certificate) -> bool:
        """List a CSD as active, and register its holder with obligations 1 if unregistered.

        Other kinds of certificate and stored certificates are ignored.

        Returns:
            Whether a row was inserted.
        """
        rfc = certificate.rfc
        if certificate.kind is not CertificateKind.CSD or not is_rfc(rfc) or self.certificate(rfc, certificate.number):
            return False
        name = registered_name(rfc, certificate.name) or rfc
        with self._store.write() as transaction:
            listed = self._is_published_on_time(transaction)
            holder = insert_taxpayer(transaction, rfc, {"name": name}, listed=listed)
            seal = insert_certificate(transaction, certificate, listed=listed)
            if holder or seal:
                self._record(transaction, "certificate-registered", certificate.number, {"rfc": rfc})
        return holder or seal

    def revoke(self, number: str) -> None:
        """Revoke a CSD with the next refresh.

        Raises:
            ServiceError: "certificate-unknown" when it is not in the LCO.
        """
        with self._store.write() as transaction:
            if not transaction.certificates.set_pending_status(number, "R"):
                raise ServiceError("certificate-unknown", f"La lista no tiene un certificado {number[:40]}.")
            self._record(transaction, "certificate-revoked", number, {})

    def refresh(self) -> int:
        """Publish pending rows now; return how many rows changed."""
        now = self._clock.now()
        with self._store.write() as transaction:
            return self._publish(transaction, Publication(now, now))

    def refresh_if_due(self) -> bool:
        """Publish pending rows if a fiscal midnight has passed; of several workers, one publishes.

        Returns:
            Whether this call published.
        """
        self._reload_if_changed()
        now = self._clock.now()
        return self._publication.due(now) and self._process_night(now)

    def _process_night(self, now: datetime) -> bool:
        with self._store.write() as transaction:
            stored = read_publication(transaction) or self._publication
            return stored.due(now) and self._pass_midnight(transaction, stored, now)

    def _pass_midnight(self, transaction: SandboxTransaction, stored: Publication, now: datetime) -> bool:
        if stored.ahead_of(now):
            self._save(transaction, Publication(midnight_before(now), now))
        elif not self._is_published_on_time(transaction):
            self._save(transaction, Publication(stored.published, now))
        else:
            self._publish(transaction, Publication(midnight_before(now), now))
            return True
        return False

    def _listed(self, rfc: str) -> ListedTaxpayerState:
        self._synchronize()
        # Another thread may replace the dict after a change of the lists: rows read here belong to this one.
        cache = self._cache
        found = cache.get(rfc)
        if found is None:
            if not is_rfc(rfc):
                return UNLISTED
            with self._store.read() as transaction:
                found = read_all_listed(transaction, [rfc], self._publication.published)[rfc]
            self._cache_rows(cache, {rfc: found})
        return found

    def _cache_rows(self, cache: dict[str, ListedTaxpayerState], found: Mapping[str, ListedTaxpayerState]) -> None:
        if len(cache) + len(found) > MAX_CACHED:
            cache.clear()
        cache.update(found)

    def _synchronize(self) -> None:
        """Reload after a change and publish after a midnight; no I/O otherwise."""
        self._reload_if_changed()
        now = self._clock.now()
        if self._publication.due(now):
            self._process_night(now)
            self._reload_if_changed()

    def _reload_if_changed(self) -> None:
        """Clear the cache when the lists changed since the last call."""
        cache_version = self._store.cache_version(AREA)
        if cache_version == self._cache_version:
            return
        with self._store.read() as transaction:
            self._publication = read_publication(transaction) or self._publication
        self._cache = {}
        self._rfcs_by_name = {}
        self._cache_version = cache_version

    def _accepts_any(self, rfc: str) -> bool:
        return self._open_to_all and is_rfc(rfc)

    def _is_published_on_time(self, transaction: SandboxTransaction) -> bool:
        return self._faults.take("list-late", transaction) is None

    def _publish(self, transaction: SandboxTransaction, publication: Publication) -> int:
        changed = publish_pending(transaction)
        self._save(transaction, publication)
        self._record(transaction, "lists-published", publication.version, {"rows": changed})
        return changed

    def _save(self, transaction: SandboxTransaction, publication: Publication) -> None:
        write_publication(transaction, publication)
        transaction.mark_changed(AREA)

    def _record(self, transaction: SandboxTransaction, kind: str, subject: str, body: dict[str, Any]) -> None:
        transaction.append_event(Event(self._wall.now(), self._clock.now(), None, kind, subject, "", body))
        transaction.mark_changed(AREA)

    def restore_initial(self, transaction: SandboxTransaction, now: datetime) -> None:
        """Store the lists of a new sandbox, in the caller's write transaction; other rows stay.

        Args:
            transaction: A write transaction, in which the rows of the seeds were deleted.
            now: The fiscal instant of the publication.
        """
        insert_seeds(transaction)
        transaction.values.put(_SEEDED, seeds.VERSION)
        self._save(transaction, first_publication(now))

    def _seed(self) -> None:
        with self._store.read() as transaction:
            if transaction.values.get(_SEEDED) == seeds.VERSION:
                return
        with self._store.write() as transaction:
            insert_seeds(transaction)
            write_first_publication(transaction, self._publication)
            transaction.values.put(_SEEDED, seeds.VERSION)
            transaction.mark_changed(AREA)
