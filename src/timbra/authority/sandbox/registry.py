"""The simulated registry: l_RFC and LCO as a provider sees them, from the last published lists.

What is new is listed at once. What changes for a listed taxpayer or certificate waits for the refresh at 00:00 central
Mexico, in fiscal time, or for one on demand. With the fault `list-late` what is new waits too, and a night passes
without lists.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from timbra.authority.sandbox import seeds
from timbra.authority.sandbox.faults import Faults
from timbra.authority.sandbox.listing import Change, Entry, SealRow, TaxpayerRow, checked_rfc, entry_of
from timbra.authority.sandbox.publication import (
    Publication,
    first_publication,
    midnight_before,
    publish_pending,
    read_publication,
    write_first_publication,
    write_publication,
)
from timbra.authority.sandbox.registered_name import registered_name
from timbra.authority.sandbox.rows import (
    Listed,
    insert_certificate,
    insert_seeds,
    insert_taxpayer,
    order_change,
    order_revocation,
    read_entry,
    read_listed,
)
from timbra.authority.sandbox.state import read_value, write_value
from timbra.cfdi.rfc import is_rfc
from timbra.clock import Clock, WallClock
from timbra.errors import ServiceError
from timbra.seals.certificate import Certificate, Kind
from timbra.store.database import Database
from timbra.store.events import Event, append_event
from timbra.store.tables.sandbox import SANDBOX_TAXPAYER

AREA = "sandbox"
MOST_CACHED = 20_000
_SEEDED = "seeds"


class SandboxRegistry:
    """Looks up in memory; reads the database when an RFC is new to it or somebody changed the lists.

    clock: fiscal time. open_to_all: any well-formed RFC counts as registered, with nothing known of it.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        faults: Faults,
        *,
        open_to_all: bool = False,
        wall: Clock | None = None,
    ) -> None:
        self._database = database
        self._clock = clock
        self._faults = faults
        self._open_to_all = open_to_all
        self._wall = wall or WallClock()
        self._seen = -1
        self._known: dict[str, Listed] = {}
        self._publication = first_publication(clock.now())
        self._seed()

    def taxpayer(self, rfc: str) -> TaxpayerRow | None:
        """The published row of l_RFC, None when the RFC is not registered."""
        found = self._listed(rfc).taxpayer
        return TaxpayerRow(rfc, "", "", frozenset()) if found is None and self._anybody(rfc) else found

    def presumed(self, rfc: str) -> TaxpayerRow | None:
        """The taxpayer of a row of the list of article 69-B, None when the RFC is not in it."""
        found = self._listed(rfc).taxpayer
        return found if found is not None and found.situation else None

    def obligations(self, rfc: str) -> int | None:
        """The published ValidezObligaciones (0 to 4), None when the RFC is not registered."""
        found = self._listed(rfc).obligations
        return seeds.OBLIGATIONS if found is None and self._anybody(rfc) else found

    def certificate(self, rfc: str, number: str) -> SealRow | None:
        """The published row of the LCO, None when that RFC has no such CSD there."""
        return self._listed(rfc).seals.get(number)

    @property
    def lists_version(self) -> str:
        """When the lists in force were published: central Mexico, fiscal time."""
        self._keep_up()
        return self._publication.version

    @property
    def published(self) -> datetime:
        """The fiscal instant at which the lists in force were published."""
        self._keep_up()
        return self._publication.published

    def hint(self, rfc: str) -> str:
        """What to do about an RFC that is not registered; empty for one that is, or that cannot be an RFC."""
        if self.taxpayer(rfc) is not None or not is_rfc(rfc):
            return ""
        return (
            f"El RFC {rfc} no está registrado en este ambiente de pruebas. Regístrelo con: "
            f'timbra sandbox taxpayer add {rfc} --name "NOMBRE" --postal-code CP --regime REGIMEN'
        )

    def add(self, rfc: str, given: Change) -> Entry:
        """Registers a taxpayer, with obligations 1 unless told otherwise; postal code and regimes may stay unknown.

        ServiceError("taxpayer-exists"), or "taxpayer-invalid" for a malformed value or no name.
        """
        values = given.columns()
        if "name" not in values:
            raise ServiceError("taxpayer-invalid", "Falta el nombre (--name).")
        with self._database.write() as connection:
            listed = self._lists_are_on_time(connection)
            if not insert_taxpayer(self._database, connection, checked_rfc(rfc), values, listed=listed):
                raise ServiceError("taxpayer-exists", f"El RFC {rfc} ya está registrado; cámbielo con set.")
            self._tell(connection, "taxpayer-added", rfc, values)
        return self.entry(rfc)

    def change(self, rfc: str, given: Change) -> Entry:
        """Orders new values; those of a listed taxpayer wait for the refresh.

        ServiceError("taxpayer-unknown", "taxpayer-invalid").
        """
        values = given.columns()
        with self._database.write() as connection:
            entry = read_entry(connection, rfc)
            if values:
                order_change(connection, entry, values)
                self._tell(connection, "taxpayer-changed", rfc, values)
        return self.entry(rfc)

    def entry(self, rfc: str) -> Entry:
        """A taxpayer with what is pending. ServiceError("taxpayer-unknown")."""
        with self._database.read() as connection:
            return read_entry(connection, rfc)

    def entries(self) -> list[Entry]:
        """All taxpayers, by RFC."""
        with self._database.read() as connection:
            rows = connection.execute(select(SANDBOX_TAXPAYER).order_by(SANDBOX_TAXPAYER.c.rfc)).all()
        return [entry_of(row) for row in rows]

    def register_certificate(self, certificate: Certificate) -> bool:
        """Lists a CSD (active), and its holder if unknown (obligations 1); whether anything was new.

        Nothing happens for other kinds of certificate, or for one that is on record already.
        """
        rfc = certificate.rfc
        if certificate.kind is not Kind.CSD or not is_rfc(rfc) or self.certificate(rfc, certificate.number):
            return False
        name = registered_name(rfc, certificate.name) or rfc
        with self._database.write() as connection:
            listed = self._lists_are_on_time(connection)
            holder = insert_taxpayer(self._database, connection, rfc, {"name": name}, listed=listed)
            seal = insert_certificate(self._database, connection, certificate, listed=listed)
            if holder or seal:
                self._tell(connection, "certificate-registered", certificate.number, {"rfc": rfc})
        return holder or seal

    def revoke(self, number: str) -> None:
        """The next refresh lists the CSD as revoked. ServiceError("certificate-unknown") when the LCO has it not."""
        with self._database.write() as connection:
            if not order_revocation(connection, number):
                raise ServiceError("certificate-unknown", f"La lista no tiene un certificado {number[:40]}.")
            self._tell(connection, "certificate-revoked", number, {})

    def refresh(self) -> int:
        """Publishes now what is pending; how many rows changed."""
        now = self._clock.now()
        with self._database.write() as connection:
            return self._publish(connection, Publication(now, now))

    def refresh_if_due(self) -> bool:
        """Deals with a fiscal midnight that has passed (or a clock moved back); whether lists were published.

        Several workers may ask at once: one does the work.
        """
        self._follow()
        now = self._clock.now()
        return self._publication.due(now) and self._deal_with_night(now)

    def _deal_with_night(self, now: datetime) -> bool:
        with self._database.write() as connection:
            stored = read_publication(connection) or self._publication
            return stored.due(now) and self._pass_midnight(connection, stored, now)

    def _pass_midnight(self, connection: Connection, stored: Publication, now: datetime) -> bool:
        if stored.ahead_of(now):
            self._store(connection, Publication(midnight_before(now), now))
        elif not self._lists_are_on_time(connection):
            self._store(connection, Publication(stored.published, now))
        else:
            self._publish(connection, Publication(midnight_before(now), now))
            return True
        return False

    def _listed(self, rfc: str) -> Listed:
        self._keep_up()
        # A thread that learns of newer lists puts a new dict there: what is read here belongs to this one.
        known = self._known
        found = known.get(rfc)
        if found is None:
            with self._database.read() as connection:
                found = read_listed(connection, rfc, self._publication.published)
            if len(known) >= MOST_CACHED:
                known.clear()
            known[rfc] = found
        return found

    def _keep_up(self) -> None:
        """No more than comparisons while nobody changed the lists and no midnight has passed."""
        self._follow()
        now = self._clock.now()
        if self._publication.due(now):
            self._deal_with_night(now)
            self._follow()

    def _follow(self) -> None:
        """Forgets what was read before somebody changed the lists."""
        revision = self._database.revision(AREA)
        if revision == self._seen:
            return
        with self._database.read() as connection:
            self._publication = read_publication(connection) or self._publication
        self._known = {}
        self._seen = revision

    def _anybody(self, rfc: str) -> bool:
        return self._open_to_all and is_rfc(rfc)

    def _lists_are_on_time(self, connection: Connection) -> bool:
        return self._faults.take("list-late", connection) is None

    def _publish(self, connection: Connection, publication: Publication) -> int:
        changed = publish_pending(connection)
        self._store(connection, publication)
        self._tell(connection, "lists-published", publication.version, {"rows": changed})
        return changed

    def _store(self, connection: Connection, publication: Publication) -> None:
        write_publication(self._database, connection, publication)
        self._database.bump(connection, AREA)

    def _tell(self, connection: Connection, kind: str, subject: str, body: dict[str, Any]) -> None:
        append_event(connection, Event(self._wall.now(), self._clock.now(), None, kind, subject, "", body))
        self._database.bump(connection, AREA)

    def _seed(self) -> None:
        with self._database.read() as connection:
            if read_value(connection, _SEEDED) == seeds.VERSION:
                return
        with self._database.write() as connection:
            insert_seeds(self._database, connection)
            write_first_publication(self._database, connection, self._publication)
            write_value(self._database, connection, _SEEDED, seeds.VERSION)
            self._database.bump(connection, AREA)
