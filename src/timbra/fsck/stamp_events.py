"""Stamps and their events: each stamp has one event `stamped` of its account and request, and each such event a stamp.

Both tables are read once and their sums compared. Only buckets that differ are read again, both tables at one instant,
so that stamps of a running server are no differences.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import orjson
from sqlalchemy import Connection, Row

from timbra.core.clock import CENTRAL_MEXICO
from timbra.database.engines import without_statement_timeout
from timbra.database.tables.column_types import from_microseconds
from timbra.database.tables.stamps import EVENT, STAMP
from timbra.events.event_log import FORMAT
from timbra.events.exclusive import read_one_instant
from timbra.fsck.check import ExaminedStamp, FsckCheck, FsckRun
from timbra.fsck.custom_ids import CustomIds
from timbra.fsck.findings import Cure, FsckFinding, shown
from timbra.fsck.reading import Unreadable, unreadable
from timbra.fsck.sums import BucketSums, buckets_for

PLACE = EVENT.name
E, S = EVENT.c, STAMP.c
STAMPED = "stamped"
BUCKETS_AT_ONCE = 64
"""Buckets that are read again together."""
Identity = tuple[object, object, object]
"""Folio, account and request of a stamp."""
_OF_STAMP = (S.cursor, S.uuid, S.account_id, S.request_id, S.stamped_at)
_OF_EVENT = (E.id, E.subject, E.account_id, E.request_id, E.at)


class StampEvents:
    """Sees the stamps, and compares them with the events `stamped`."""

    def __init__(self, run: FsckRun) -> None:
        self._run = run
        buckets = buckets_for(run.total(STAMP.name))
        self._stamps, self._events = BucketSums(buckets), BucketSums(buckets)
        self._custom_ids = CustomIds(run)

    def see(self, stamp: ExaminedStamp) -> Iterable[FsckFinding]:
        """Add a stamp to the sums."""
        self._stamps.add(stamp.uuid, (stamp.uuid, stamp.account_id, stamp.request_id))
        return ()

    def finish(self) -> Iterator[FsckFinding]:
        """Read the events, and compare."""
        for row in self._run.reader(PLACE).rows(tuple(E), (E.id,), E.id <= self._run.bounds.event):
            if isinstance(row, Unreadable):
                yield from unreadable(row, PLACE)
                continue
            body = _body(row)
            yield from _event_findings(row, body)
            if row.kind == STAMPED:
                self._events.add(row.subject, (row.subject, row.account_id, row.request_id))
                yield from self._custom_ids.see(row, body or {})
        yield from self._custom_ids.finish()
        differing = self._stamps.differing(self._events)
        while part := frozenset(islice(differing, BUCKETS_AT_ONCE)):
            yield from self._compare(part)

    def _compare(self, buckets: frozenset[int]) -> Iterator[FsckFinding]:
        with self._run.database.read() as connection, without_statement_timeout(connection):
            read_one_instant(connection)
            stamps = self._in(connection, buckets, is_stamp=True)
            events = self._in(connection, buckets, is_stamp=False)
        for uuid in sorted(stamps.keys() | events.keys(), key=str):
            yield from self._differences(uuid, stamps.get(uuid, []), events.get(uuid, []))

    def _in(self, connection: Connection, buckets: frozenset[int], *, is_stamp: bool) -> dict[object, list[Row[Any]]]:
        reader = self._run.reader(STAMP.name if is_stamp else PLACE)
        rows = (
            reader.rows(_OF_STAMP, (S.cursor,), within=connection)
            if is_stamp
            else reader.rows(_OF_EVENT, (E.id,), E.kind == STAMPED, within=connection)
        )
        found: dict[object, list[Row[Any]]] = defaultdict(list)
        for row in rows:
            if isinstance(row, Unreadable):
                continue
            uuid = row.uuid if is_stamp else row.subject
            if self._stamps.bucket_of(uuid) in buckets:
                found[uuid].append(row)
        return found

    def _differences(self, uuid: object, stamps: list[Row[Any]], events: list[Row[Any]]) -> Iterator[FsckFinding]:
        if len(stamps) > 1:
            yield FsckFinding("folio-twice", STAMP.name, shown(uuid), "uuid", str(len(stamps)))
        if len(events) > 1:
            numbers = " ".join(str(row.id) for row in events)
            yield FsckFinding("event-twice", PLACE, shown(uuid), "subject", numbers)
        if not events and not self._is_pruned(stamps[0].stamped_at):
            yield FsckFinding("event-missing", STAMP.name, shown(uuid), cure=Cure.RESTORE)
        if not stamps and not self._is_pruned(events[0].at):
            yield FsckFinding("stamp-missing", PLACE, shown(events[0].id), "subject", shown(uuid), cure=Cure.RESTORE)
        for stamp, event in zip(stamps[:1], events[:1], strict=False):
            for name in ("account_id", "request_id"):
                stored, other = getattr(stamp, name), getattr(event, name)
                if stored != other:
                    self._run.doubtful |= {stamp.cursor, stamp.uuid}
                    yield FsckFinding("event-differs", STAMP.name, shown(uuid), name, shown(stored), shown(other))

    def _is_pruned(self, at: object) -> bool:
        """Whether a stamp or an event is of a month of which rows were pruned."""
        last = self._run.bounds.pruned
        if not last or not isinstance(at, int):
            return False
        return from_microseconds(at).astimezone(CENTRAL_MEXICO).date().isoformat() <= last


def _event_findings(row: Row[Any], body: Mapping[str, object] | None) -> Iterator[FsckFinding]:
    """Compare an event with what every event is."""
    key = shown(row.id)
    for name in ("at", "fiscal_at"):
        if not isinstance(getattr(row, name), int):
            yield FsckFinding("value-impossible", PLACE, key, name, shown(getattr(row, name)))
    for name in ("kind", "subject", "request_id"):
        if not isinstance(getattr(row, name), str):
            yield FsckFinding("value-impossible", PLACE, key, name, shown(getattr(row, name)))
    if row.format is not None and not (isinstance(row.format, int) and 1 <= row.format <= FORMAT):
        yield FsckFinding("value-impossible", PLACE, key, "format", shown(row.format))
    if body is None:
        yield FsckFinding("value-impossible", PLACE, key, "body", shown(row.body), cure=Cure.RESTORE)


def _body(row: Row[Any]) -> Mapping[str, object] | None:
    try:
        body = orjson.loads(row.body)
    except (TypeError, ValueError):
        return None
    return body if isinstance(body, dict) else None


CHECKS = (FsckCheck("stamp events", observers=lambda run: (StampEvents(run),)),)
