"""Editions of the SAT's catalogs that an operator puts in force while the server runs.

An edition is in the database, so that all nodes take the same one: a write increments the cache version of its area,
and each process reads the edition before its next request. A request ends with the catalogs that it began with.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path

import structlog

from timbra.catalogs.current import CatalogsInForce
from timbra.catalogs.overlay import CatalogOverlay
from timbra.catalogs.renewal import REJECTED, EditionDays, Renewal, renew
from timbra.catalogs.workbook import PublishedTable, Sheet, read_sheets, read_tables
from timbra.core.clock import CENTRAL_MEXICO, Clock
from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.database.transaction import Transaction
from timbra.events.audit.audit import Audit
from timbra.lists.catalog_store import NEVER, RELEASED, CatalogEditionRepository, CatalogUse, StoredEdition
from timbra.pools.event_loop import is_on_event_loop
from timbra.snapshot import Snapshot, read_editions

AREA = "catalogs"
LOG = structlog.get_logger("timbra.catalogs")
_DAY_IN_NAME = re.compile(r"(20[0-9]{2})([01][0-9])([0-3][0-9])")


@dataclass(frozen=True, slots=True)
class PreparedEdition:
    """An edition before it is stored.

    Attributes:
        renewal: what the files change in the catalogs in force.
        overlay: all catalogs of the edition.
        base: the edition in force.
        warnings: the reasons, in Spanish, for which only `force` accepts it.
    """

    name: str
    days: EditionDays
    file_name: str
    digest: str
    renewal: Renewal
    overlay: CatalogOverlay
    base: CatalogUse
    warnings: Sequence[str]


class CatalogEditions:
    """The editions of one database; implements `timbra.catalogs.current.CatalogSource`."""

    def __init__(self, database: Database, snapshot: Snapshot, wall: Clock, fiscal: Clock, audit: Audit) -> None:
        """Read the edition in force at once.

        Args:
            snapshot: the data of the release.

        Raises:
            ServiceError: "snapshot-damaged" when the stored edition cannot be read.
        """
        self._database, self._snapshot = database, snapshot
        self._wall, self._fiscal, self._audit = wall, fiscal, audit
        self._rows = CatalogEditionRepository()
        self._lock = threading.Lock()
        self._version = database.cache_version(AREA)
        self._use, self._in_force = self._read(NEVER, CatalogsInForce(snapshot))
        self.problem = ""

    def current(self) -> CatalogsInForce:
        """Return the catalogs in force; on an event loop those that were read last."""
        if not is_on_event_loop() and self._database.cache_version(AREA) != self._version:
            with self._lock:
                self._refresh()
        return self._in_force

    def known(self) -> CatalogsInForce | None:
        """Return the same without I/O; None after a change that was not read yet."""
        return self._in_force if self._database.is_current(AREA, self._version) else None

    def latest(self) -> CatalogsInForce:
        """Return the catalogs that were read last, without I/O."""
        return self._in_force

    def refresh(self) -> None:
        """Read the edition in force if it changed, for a periodic job."""
        self.current()

    def _refresh(self) -> None:
        version = self._database.cache_version(AREA)
        if version == self._version:
            return
        try:
            self._use, self._in_force = self._read(self._use, self._in_force)
            self.problem = ""
            LOG.info("catalogs in force", edition=self._use.name, data_version=self._in_force.snapshot.version)
        except ServiceError as error:
            if error.code != "snapshot-damaged":
                raise
            # The catalogs of before are right for most documents; a worker without catalogs serves none.
            self.problem = error.detail or error.code
            LOG.exception("edition of catalogs not usable", edition=self._use.name)
        self._version = version

    def _read(self, use: CatalogUse, in_force: CatalogsInForce) -> tuple[CatalogUse, CatalogsInForce]:
        """Return the edition in force now, and its catalogs; those given when it is the same one."""
        with self._database.read() as transaction:
            found = self._rows.in_force(transaction)
            if found == use:
                return use, in_force
            overlay = self._overlay(transaction, found.name)
        snapshot = overlay.apply(self._snapshot)
        return found, CatalogsInForce(snapshot, found.name, found.since)

    def _overlay(self, transaction: Transaction, name: str) -> CatalogOverlay:
        if name == RELEASED:
            return CatalogOverlay()
        content = self._rows.content(transaction, name)
        if content is None:
            raise ServiceError("catalog-unknown", name)
        try:
            return CatalogOverlay.from_bytes(content)
        except ValueError as error:
            raise ServiceError("snapshot-damaged", f"La edición {name} de los catálogos no es legible.") from error

    def prepare(
        self,
        files: Sequence[Path],
        *,
        standard: str = "cfdi40",
        catalog: str = "",
        published: date | None = None,
        ended: date | None = None,
    ) -> PreparedEdition:
        """Make an edition of files that the SAT published, and of the edition in force; nothing is stored.

        Args:
            files: workbooks or CSV files.
            standard: standard of the catalogs.
            catalog: name of the catalog of a CSV file; empty when its name has it.
            published: day of the publication; None for that in the name of a file, or today.
            ended: last day of the keys that the files do not have; None for yesterday.

        Raises:
            ServiceError: "snapshot-source" for a file that cannot be read, "catalog-refused" for a key, a date or a
                time zone of another form, and for files without a known catalog.
        """
        today = self._fiscal.now().astimezone(CENTRAL_MEXICO).date()
        days = EditionDays(
            today, published or _day_of(files) or today, ended or max(today, published or today) - timedelta(days=1)
        )
        tables: list[PublishedTable] = []
        digest = hashlib.sha256()
        for file in files:
            tables += read_tables([_named(sheet, catalog) for sheet in read_sheets(file)])
            with file.open("rb") as content:
                digest.update(hashlib.file_digest(content, "sha256").digest())
        names = ", ".join(file.name for file in files)
        with self._database.read() as transaction:
            base = self._rows.in_force(transaction)
            before = self._overlay(transaction, base.name)
        snapshot = before.apply(self._snapshot)
        renewal = renew(tables, snapshot, days, names, standard)
        overlay = before.merged(renewal.overlay)
        warnings = [*renewal.warnings, *_untimely(days, snapshot, renewal)]
        name = f"{days.published}-{overlay.digest}"
        return PreparedEdition(name, days, names, digest.hexdigest(), renewal, overlay, base, warnings)

    def install(self, prepared: PreparedEdition, *, force: bool = False, use: bool = True) -> str:
        """Store an edition, and put it in force.

        Args:
            force: accept one that is older than that in force, of a later day, or has much fewer keys.
            use: whether it is put in force.

        Returns:
            Its name.

        Raises:
            ServiceError: "catalog-refused" for one that must be forced, and when another one was put in force since it
                was prepared.
        """
        if prepared.warnings and not force:
            raise ServiceError(REJECTED, f"{' '.join(prepared.warnings)} Con --force se acepta.")
        prepared.overlay.apply(self._snapshot)
        summary = summary_of(prepared.renewal)
        edition = StoredEdition(
            prepared.name, prepared.days.published, self._wall.now(), prepared.file_name, prepared.digest, summary
        )
        with self._database.write() as transaction:
            self._database.bump(transaction, AREA)
            if self._rows.in_force(transaction).number != prepared.base.number:
                raise ServiceError(REJECTED, "Mientras tanto se puso en uso otra edición; repita el comando.")
            self._rows.put(self._database, transaction, edition, prepared.overlay.to_bytes())
            facts = {"files": edition.file_name, "sha256": edition.digest, "tables": summary, "forced": force}
            self._audit.record(transaction, "catalogs.installed", None, edition.name, facts)
            if use:
                self._put_in_force(transaction, edition.name)
        return edition.name

    def use(self, name: str) -> None:
        """Put a stored edition in force, or the catalogs of the release for an empty name.

        Raises:
            ServiceError: "catalog-unknown", or "snapshot-damaged" when it cannot be read; nothing is changed.
        """
        with self._database.write() as transaction:
            self._database.bump(transaction, AREA)
            self._overlay(transaction, name)
            self._put_in_force(transaction, name)

    def _put_in_force(self, transaction: Transaction, name: str) -> None:
        before = self._rows.in_force(transaction)
        if before.name != name:
            self._rows.use(transaction, name, self._wall.now())
            self._audit.record(
                transaction, "catalogs.used", None, name, before=_named_use(before.name), after=_named_use(name)
            )

    def all(self) -> tuple[Sequence[StoredEdition], CatalogUse]:
        """Return the stored editions, the oldest first, and which is in force."""
        with self._database.read() as transaction:
            return self._rows.all(transaction), self._rows.in_force(transaction)


def summary_of(renewal: Renewal) -> Mapping[str, Mapping[str, int]]:
    """Return the number of differences by catalog and kind; catalogs without one have none."""
    return {table.name: dict(Counter(str(each.change) for each in table.differences)) for table in renewal.tables}


def _named_use(name: str) -> dict[str, str]:
    return {"edition": name or "release"}


def _named(sheet: Sheet, catalog: str) -> Sheet:
    return replace(sheet, name=catalog) if catalog else sheet


def _day_of(files: Sequence[Path]) -> date | None:
    """Return the newest day that a file name has, `catCFDI_V_4_20260821.xls`."""
    days = []
    for file in files:
        for found in _DAY_IN_NAME.finditer(file.stem):
            try:
                days.append(date(*map(int, found.groups())))
            except ValueError:
                continue
    return max(days, default=None)


def _untimely(days: EditionDays, snapshot: Snapshot, renewal: Renewal) -> list[str]:
    editions = read_editions(snapshot)
    found = []
    for table in renewal.tables:
        before = editions.get(table.name)
        if before is not None and before.published > days.published:
            found.append(f"{table.name} es del {days.published}, anterior a la vigente, del {before.published}.")
    if days.published > days.on:
        found.append(f"La edición es del {days.published}, que no ha llegado.")
    return found
