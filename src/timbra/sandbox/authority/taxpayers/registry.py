"""The simulated registry: l_RFC and LCO as a provider reads them, from the last published lists.

New rows are listed at once. A change of a listed taxpayer or certificate waits for the refresh at 00:00 central Mexico,
in fiscal time, or for a refresh on demand. While the fault `list-late` is active, new rows wait too, and no lists are
published at midnight.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from timbra.cfdi.rfc import is_rfc
from timbra.core.clock import Clock, WallClock
from timbra.core.errors import ServiceError
from timbra.events.audit.audit import Audit
from timbra.events.event_log import Event
from timbra.sandbox.authority.taxpayers import seeds
from timbra.sandbox.authority.taxpayers.lists_in_force import ListsInForce
from timbra.sandbox.authority.taxpayers.models import (
    DEFINITIVE,
    SandboxCertificate,
    SandboxTaxpayer,
    TaxpayerChange,
    TaxpayerEntry,
    checked_rfc,
    entry_from_row,
)
from timbra.sandbox.authority.taxpayers.publication import (
    Publication,
    first_publication,
    midnight_before,
    publish_pending,
    read_publication,
    write_first_publication,
    write_publication,
)
from timbra.sandbox.authority.taxpayers.published_lists import (
    apply_change,
    insert_certificate,
    insert_seeds,
    insert_taxpayer,
    read_entry,
)
from timbra.sandbox.faults import Faults
from timbra.sandbox.store.transactions import SandboxStore, SandboxTransaction
from timbra.seals.certificates.certificate import Certificate, CertificateKind

AREA = "sandbox"
_SEEDED = "seeds"
COMPANY_LENGTH = 12
_FORMS = (
    *("SAPI DE CV", "SAPI", "SAB DE CV", "SAB", "SAS DE CV", "SAS", "SA DE CV", "SA"),
    *("S DE RL DE CV", "S DE RL MI", "S DE RL", "S DE CV", "S EN NC", "S EN C POR A", "S EN C", "SNC"),
    *("SPR DE RL DE CV", "SPR DE RL", "SPR DE RI", "SC DE RL DE CV", "SC DE RL", "SC DE RS", "SC DE P", "SCL"),
    *("SCL DE CV", "SC", "AC", "A EN P", "IAP", "IBP", "ABP", "AA"),
)
_WORDS = frozenset({"DE", "EN", "POR"})


def _pattern(form: str) -> str:
    """Return the pattern of a company form, which also matches `S.A. DE C.V.` and `S A DE C V` for `SA DE CV`."""
    return " ".join(word if word in _WORDS else r"\.? ?".join(word) + r"\.?" for word in form.split())


_COMPANY = re.compile(rf"(.+?),? (?:{'|'.join(map(_pattern, _FORMS))})")


def registered_name(rfc: str, name: str) -> str:
    """Return the name of a company without the company form at its end.

    The name of a person, and a name that consists of a company form alone, is returned without change.

    Args:
        rfc: The taxpayer; an RFC of 12 characters is a company's.
        name: The name in the certificate.
    """
    written = " ".join(name.split())
    company = _COMPANY.fullmatch(written) if len(rfc) == COMPANY_LENGTH else None
    return company[1] if company else written


class SandboxRegistry:
    """Looks taxpayers up in a cache in memory; reads the database for an RFC that is not cached or after a change."""

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
            open_to_all: Whether any well-formed RFC counts as registered, without name, postal code and regimes.
            wall: The clock that dates events.
        """
        self._store = store
        self._clock = clock
        self._faults = faults
        self._open_to_all = open_to_all
        self._wall = wall or WallClock()
        self._cache_version = -1
        self._in_force = self._lists(first_publication(clock.now()))
        self._seed()

    @property
    def in_force(self) -> ListsInForce:
        """The lists in force now, for the duration of one request; the same object until the lists change."""
        self._reload_if_changed()
        now = self._clock.now()
        if self._in_force.publication.due(now):
            self._process_night(now)
            self._reload_if_changed()
        return self._in_force

    def known(self, now: datetime) -> ListsInForce | None:
        """Return the lists in force at a fiscal instant without I/O; None when `in_force` has to read them."""
        is_current = self._store.is_current(AREA, self._cache_version)
        return self._in_force if is_current and not self._in_force.publication.due(now) else None

    def taxpayer(self, rfc: str) -> SandboxTaxpayer | None:
        return self.in_force.taxpayer(rfc)

    def is_registered(self, name: str) -> bool:
        return self.in_force.is_registered(name)

    def rfcs_named(self, name: str) -> tuple[str, ...]:
        return self.in_force.rfcs_named(name)

    def presumed(self, rfc: str) -> SandboxTaxpayer | None:
        return self.in_force.presumed(rfc)

    def is_definitive(self, rfc: str) -> bool:
        """Whether the RFC is in the definitive list of article 69-B."""
        found = self.presumed(rfc)
        return found is not None and found.situation == DEFINITIVE

    def obligations(self, rfc: str) -> int | None:
        return self.in_force.obligations(rfc)

    def certificate(self, rfc: str, number: str) -> SandboxCertificate | None:
        return self.in_force.certificate(rfc, number)

    @property
    def lists_version(self) -> str:
        return self.in_force.lists_version

    @property
    def published(self) -> datetime:
        return self.in_force.published

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
        """Return a taxpayer with its pending changes. Raises ServiceError: "taxpayer-unknown"."""
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
        """Revoke a CSD with the next refresh. Raises ServiceError: "certificate-unknown" when it is not in the LCO."""
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
        return self._in_force.publication.due(now) and self._process_night(now)

    def _process_night(self, now: datetime) -> bool:
        with self._store.write() as transaction:
            stored = read_publication(transaction) or self._in_force.publication
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

    def _reload_if_changed(self) -> None:
        """Replace the lists in force when they changed since the last call; no I/O otherwise."""
        cache_version = self._store.cache_version(AREA)
        if cache_version == self._cache_version:
            return
        with self._store.read() as transaction:
            publication = read_publication(transaction) or self._in_force.publication
        self._in_force = self._lists(publication)
        self._cache_version = cache_version

    def _lists(self, publication: Publication) -> ListsInForce:
        return ListsInForce(self._store, publication, open_to_all=self._open_to_all)

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
        transaction.record(Audit(self._wall, self._clock), kind.replace("-", ".", 1), subject, after=body)
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
            write_first_publication(transaction, self._in_force.publication)
            transaction.values.put(_SEEDED, seeds.VERSION)
            transaction.mark_changed(AREA)
