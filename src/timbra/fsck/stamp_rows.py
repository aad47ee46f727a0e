"""The rows of `stamp`: each column that the document has is derived from the stored document and compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select, type_coerce, update
from sqlalchemy.types import NULLTYPE

from timbra.cfdi.build import thread_parser
from timbra.cfdi.document import Document, DocumentParser
from timbra.cfdi.tfd import TimbreFiscalDigital, read_stamps
from timbra.core.clock import CENTRAL_MEXICO, to_central_mexico
from timbra.core.errors import ServiceError
from timbra.database.batches import parts_of
from timbra.database.database import Database
from timbra.database.tables.column_types import from_microseconds, to_microseconds
from timbra.database.tables.core import IDENTITY
from timbra.database.tables.stamps import STAMP
from timbra.documents.header_columns import header_columns
from timbra.fsck.check import ExaminedStamp, FsckRun, StampObserver
from timbra.fsck.findings import Cure, FsckFinding, Repair, shown
from timbra.fsck.reading import SLICE, Unreadable, unreadable
from timbra.stamping.stages import seal_hash
from timbra.stamping.stored_document import STAMP_ROOM

PLACE = STAMP.name
S = STAMP.c
SECOND = 1_000_000
COLUMNS = tuple(STAMP.c)
_OF_DOCUMENT = ("seal_hash", "uuid", "stamped_at", "total")


def check_stamps(run: FsckRun, observers: Iterable[StampObserver]) -> Iterator[FsckFinding]:
    """Read every stamp once, compare it with its document, and let the observers see it."""
    parser, before, seen = thread_parser(run.container), None, tuple(observers)
    environment = _environment(run)
    for row in run.reader(PLACE).rows(COLUMNS, (S.cursor,), S.cursor <= run.bounds.cursor):
        if isinstance(row, Unreadable):
            yield from unreadable(row, PLACE)
            continue
        if row.cursor == before:
            yield FsckFinding("cursor-twice", PLACE, shown(row.uuid), "cursor", shown(row.cursor))
        before = row.cursor
        if row.environment != environment:
            yield _column_finding(row, "environment", environment)
        stamp, findings = _examine(row, run.database, parser)
        yield from findings
        for observer in seen:
            yield from observer.see(stamp)
    for observer in seen:
        yield from observer.finish()


def examined_stamps(run: FsckRun, connection: Connection, cursors: Sequence[int]) -> Iterator[ExaminedStamp]:
    """Read some stamps again, inside a transaction."""
    parser = thread_parser(run.container)
    for part in parts_of(cursors, SLICE):
        for row in run.reader(PLACE).rows(COLUMNS, (S.cursor,), S.cursor.in_(part), within=connection):
            if not isinstance(row, Unreadable):
                yield _examine(row, run.database, parser)[0]


def _environment(run: FsckRun) -> str:
    with run.database.read() as connection:
        return connection.execute(select(IDENTITY.c.value).where(IDENTITY.c.name == "environment")).scalar() or ""


def _examine(row: Row[Any], database: Database, parser: DocumentParser) -> tuple[ExaminedStamp, list[FsckFinding]]:
    """Compare a row with its document."""
    cfdi, document, problem = _document(row, database, parser)
    own = {name: getattr(row, name) for name in _OF_DOCUMENT}
    stamps = [] if document is None else read_stamps(document.root)
    if document is None:
        found = [FsckFinding("document-damaged", PLACE, shown(row.uuid), "cfdi", shown(problem), cure=Cure.RESTORE)]
    elif len(stamps) != 1:
        number = str(len(stamps))
        found = [FsckFinding("stamps-in-document", PLACE, shown(row.uuid), "cfdi", number, cure=Cure.RESTORE)]
    else:
        derived = derived_columns(document, stamps[0])
        found = [*_compared(row, derived, stamps[0].fecha_timbrado)]
        own |= {name: derived[name] for name in own.keys() & derived.keys()}
        own["stamped_at"] = own["stamped_at"] if not found else _instant(stamps[0].fecha_timbrado) or row.stamped_at
    return ExaminedStamp(
        row.cursor, row.account_id, row.request_id, **own, row=row, cfdi=cfdi, document=document
    ), found


def _document(row: Row[Any], database: Database, parser: DocumentParser) -> tuple[bytes, Document | None, str]:
    try:
        cfdi = database.document(row.cfdi)
    except (ValueError, TypeError) as error:
        return b"", None, str(error)
    try:
        return cfdi, parser.parse(cfdi, room=STAMP_ROOM), ""
    except ServiceError as error:
        return cfdi, None, str(error)


def _compared(row: Row[Any], derived: Mapping[str, str | bytes], local: str) -> Iterator[FsckFinding]:
    for name, value in derived.items():
        stored = getattr(row, name)
        if stored != value or type(stored) is not type(value):
            yield _column_finding(row, name, value)
    if not _is_time(row.stamped_at, local):
        yield _column_finding(row, "stamped_at", _instant(local), local)


def derived_columns(document: Document, stamp: TimbreFiscalDigital) -> Mapping[str, str | bytes]:
    """Return the columns of `stamp` that its document has, `stamped_at` excepted, see `StampRecord`."""
    root = document.root
    return {
        "seal_hash": seal_hash(document),
        "uuid": stamp.uuid.lower(),
        "version": root.get("Version") or "",
        **header_columns(document),
        "issuer_certificate": root.get("NoCertificado") or "",
        "provider_certificate": stamp.no_certificado_sat,
    }


def _is_time(stored: object, local: str) -> bool:
    """Whether an instant, in microseconds, is a local time of central Mexico."""
    if not isinstance(stored, int) or stored % SECOND:
        return False
    try:
        return to_central_mexico(from_microseconds(stored)) == local
    except (OverflowError, ValueError):
        return False


def _instant(local: str) -> int | None:
    """Return the instant of a local time in microseconds; None when it is no time."""
    try:
        return to_microseconds(datetime.fromisoformat(local).replace(tzinfo=CENTRAL_MEXICO))
    except ValueError:
        return None


def _column_finding(row: Row[Any], name: str, derived: Any, told: str = "") -> FsckFinding:
    stored = getattr(row, name)
    repair = None if derived is None else _writes(row.cursor, name, stored, derived)
    cure = Cure.DECIDE if repair is None else Cure.REPAIR
    return FsckFinding(
        "column-differs", PLACE, shown(row.uuid), name, shown(stored), told or shown(derived), cure, repair
    )


def _writes(cursor: int, name: str, stored: object, derived: object) -> Repair:
    column = S[name]

    def repair(connection: Connection) -> bool:
        same = type_coerce(column, NULLTYPE) == stored
        change = update(STAMP).where(S.cursor == cursor, same).values({name: type_coerce(derived, NULLTYPE)})
        return bool(connection.execute(change).rowcount)

    return repair
