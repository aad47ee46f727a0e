"""The cursors of the consumers of the event log, and the dead letters that the consumers left."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
from sqlalchemy import Row, select

from timbra.database.tables.stamps import EVENT, EVENT_CONSUMER, OUTBOX
from timbra.events.build import event_consumers
from timbra.events.dispatcher import KIND, Gap
from timbra.events.exclusive import read_one_instant
from timbra.fsck.check import FsckCheck, FsckRun
from timbra.fsck.findings import Cure, FsckFinding, shown
from timbra.fsck.reading import Unreadable, unreadable

PLACE = EVENT_CONSUMER.name
C, E = EVENT_CONSUMER.c, EVENT.c


def check_consumers(run: FsckRun) -> Iterator[FsckFinding]:
    """Compare each cursor with the event log, and the dead letters of consumers with their events."""
    known = {consumer.name for consumer in run.container.get(event_consumers)}
    with run.database.read() as connection:
        read_one_instant(connection)
        newest = connection.execute(select(E.id).order_by(E.id.desc()).limit(1)).scalar() or 0
        for row in run.reader(PLACE).rows(tuple(C), (C.name,), within=connection):
            yield from unreadable(row, PLACE) if isinstance(row, Unreadable) else _cursor(row, newest, known)
        for kind, subject in connection.execute(select(OUTBOX.c.kind, OUTBOX.c.subject).where(_is_event())):
            if not (str(subject).isascii() and str(subject).isdigit() and int(subject) <= newest):
                yield FsckFinding("dead-letter-unknown", OUTBOX.name, f"{kind} {shown(subject)}", "subject")


def _is_event() -> Any:
    return OUTBOX.c.kind.startswith(KIND)


def _cursor(row: Row[Any], newest: int, known: set[str]) -> Iterator[FsckFinding]:
    key = shown(row.name)
    if row.name not in known:
        yield FsckFinding("consumer-unknown", PLACE, key, "name", key, " ".join(sorted(known)))
    if not isinstance(row.position, int) or not 0 <= row.position <= newest:
        # Ahead of the log, the consumer would pass over events that do not exist yet.
        yield FsckFinding("cursor-impossible", PLACE, key, "position", shown(row.position), f"<= {newest}", Cure.DECIDE)
    if not isinstance(row.turn, int) or row.turn < 0:
        yield FsckFinding("value-impossible", PLACE, key, "turn", shown(row.turn))
    try:
        gaps = [Gap(*values) for values in orjson.loads(row.gaps)]
        is_sound = all(0 < gap.first <= gap.last <= row.position for gap in gaps)
    except (orjson.JSONDecodeError, TypeError, ValueError):
        is_sound = False
    if not is_sound:
        yield FsckFinding("value-impossible", PLACE, key, "gaps", shown(row.gaps))


CHECKS = (FsckCheck("consumers of events", check_consumers),)
