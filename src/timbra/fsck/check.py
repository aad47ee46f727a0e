"""What a check is: a reader of every stamp, or a comparison of other tables and files."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from sqlalchemy import Row, func, select

from timbra.container import Container
from timbra.database.build import opened_database
from timbra.database.database import Database
from timbra.database.engines import without_statement_timeout
from timbra.database.tables import METADATA
from timbra.database.tables.operations import ARCHIVE
from timbra.database.tables.stamps import EVENT, STAMP
from timbra.events.exclusive import read_one_instant
from timbra.fsck.findings import FsckFinding, FsckReport
from timbra.fsck.reading import TableReader

if TYPE_CHECKING:
    from timbra.cfdi.document import Document
    from timbra.settings import Settings


Progress: TypeAlias = Callable[[str, int, int], None]


class ExaminedStamp(NamedTuple):
    """A stored stamp: columns that the document has are those of the document, which stays when a column is damaged.

    Attributes:
        cursor, account_id, request_id: as stored.
        row: The columns as the driver has them.
        cfdi: The document; empty when it cannot be decompressed.
        document: None when it cannot be read, which is a finding; then every column is as stored.
    """

    cursor: int
    account_id: int
    request_id: str
    seal_hash: bytes
    uuid: str
    stamped_at: int
    total: str
    row: Row[Any]
    cfdi: bytes
    document: Document | None


@dataclass(frozen=True, slots=True)
class Bounds:
    """What was stored when the run began: later rows are not compared.

    Attributes:
        cursor: The newest cursor of a stamp.
        event: The newest number of an event.
        pruned: Last day of the newest month of which rows were pruned, `YYYY-MM-DD`; empty without one.
    """

    cursor: int
    event: int
    pruned: str


@dataclass(slots=True)
class FsckRun:
    """One run of the checks over a data folder.

    Attributes:
        progress: Called with a table, the number of rows read, and about how many it has.
        rows: Number of rows that were read, by table.
        totals: Number of rows when the first ones were read, by table.
        doubtful: Cursors and folios of stamps of which nothing is derived, because their account is in doubt.
    """

    container: Container
    progress: Progress = lambda _table, _read, _rows: None
    rows: dict[str, int] = field(default_factory=dict)
    totals: dict[str, int] = field(default_factory=dict)
    doubtful: set[Hashable] = field(default_factory=set)
    bounds: Bounds = Bounds(0, 0, "")

    @property
    def database(self) -> Database:
        """The database."""
        return self.container.get(opened_database)

    def reader(self, table: str) -> TableReader:
        """Return a reader of a table that tells the progress."""
        return TableReader(self.database, partial(self.count, table))

    def count(self, table: str, rows: int) -> None:
        """Add to the number of rows that were read of a table."""
        self.rows[table] = self.rows.get(table, 0) + rows
        total = self.total(table)
        self.progress(table, min(self.rows[table], total), total)

    def total(self, table: str) -> int:
        """Return the number of rows of a table, as it was at the first call."""
        if table not in self.totals:
            query = select(func.count()).select_from(METADATA.tables[table])
            with self.database.read() as connection, without_statement_timeout(connection):
                self.totals[table] = connection.execute(query).scalar_one()
        return self.totals[table]

    def read_bounds(self) -> None:
        """Read what is stored now, at one instant."""
        newest = select(STAMP.c.cursor).order_by(STAMP.c.cursor.desc()).limit(1)
        event = select(EVENT.c.id).order_by(EVENT.c.id.desc()).limit(1)
        pruned = select(ARCHIVE.c.last_day, ARCHIVE.c.exported_at).order_by(ARCHIVE.c.last_day)
        with self.database.read() as connection:
            read_one_instant(connection)
            days = [day for day, exported in connection.execute(pruned) if exported is not None]
            self.bounds = Bounds(
                connection.execute(newest).scalar() or 0,
                connection.execute(event).scalar() or 0,
                days[-1] if days and self.container.settings.retention_months else "",
            )


class StampObserver(Protocol):
    """Sees every stamp of a run once, in the order of the cursors."""

    def see(self, stamp: ExaminedStamp) -> Iterable[FsckFinding]:
        """Look at a stamp."""
        ...

    def finish(self) -> Iterable[FsckFinding]:
        """Compare what was seen, after the last stamp."""
        ...


@dataclass(frozen=True, slots=True)
class FsckCheck:
    """A check of a feature, in `CHECKS` of its modules `checks`.

    Attributes:
        name: In the report.
        run: Compares tables and files; None for a check of the stamps only.
        observers: Makes what sees every stamp; None for a check that needs none.
    """

    name: str
    run: Callable[[FsckRun], Iterable[FsckFinding]] | None = None
    observers: Callable[[FsckRun], Sequence[StampObserver]] | None = None


@dataclass(frozen=True, slots=True)
class FsckSource:
    """What `timbra fsck PATH` checks in place of a data folder, in `SOURCES` of modules of a feature.

    Attributes:
        matches: Whether a path is one of this source.
        check: Checks it; ServiceError when it cannot be opened.
    """

    matches: Callable[[str], bool]
    check: Callable[[str, Settings, Progress], FsckReport]
