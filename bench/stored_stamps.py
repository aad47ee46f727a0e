"""Many stored stamps with their rows of lists, words, sums and cancellations, written without requests.

Each is a copy of one stamp: `DAYS` days, 300 receivers, seven kinds, one of a hundred cancelled. PostgreSQL makes them
itself, a million in a minute; on SQLite this process inserts the stamps, and the index of documents writes the rest.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, fields, replace
from datetime import datetime, timedelta
from itertools import islice
from uuid import UUID

from sqlalchemy import Connection, Engine, Table, create_engine, text

from timbra.app.composition import Container
from timbra.cfdi.document import DocumentParser
from timbra.database.build import opened_database
from timbra.database.codec import encode
from timbra.database.database import Database
from timbra.database.tables.column_types import to_microseconds
from timbra.database.tables.rejections import USAGE_PROGRESS
from timbra.database.tables.search import LISTED_DOCUMENT
from timbra.database.tables.stamps import STAMP
from timbra.documents.build import document_index, state_consumer
from timbra.documents.words import document_words
from timbra.events.dispatcher import EventDispatcher
from timbra.stamps.build import stamp_months
from timbra.stamps.document_index import NAME
from timbra.stamps.listed_states import STATES
from timbra.stamps.port import StampRecord

DAYS, RECEIVERS, CANCELLED = 90, 300, 100
KINDS = "IIIIIEP"
AT_ONCE = 10_000


def fill(container: Container, pattern: StampRecord, number: int) -> None:
    """Store copies of a stamp in an empty database."""
    database, now = container.get(opened_database), container.wall.now()
    months = {(now - timedelta(days=day)).date().replace(day=1) for day in range(DAYS + 2)}
    container.get(stamp_months).create(months)
    if database.dialect == "postgresql":
        words = [word for word in document_words(DocumentParser(), pattern.cfdi) if word != pattern.folio]
        _fill_postgresql(database, pattern, words, number)
    else:
        _fill_sqlite(database, pattern, number)
        container.get(document_index).index(number)
    with _engine(database).begin() as connection:
        for kind in ("requested", "cancelled"):
            connection.execute(text(_EVENTS), {"kind": f"cancellation.{kind}", "share": CANCELLED})
        if database.dialect == "postgresql":
            connection.execute(text(_STATES), {"share": CANCELLED})
            connection.execute(text(_SUMS_BY_STATE))
        moved = "UPDATE event_consumer SET position = (SELECT max(id) FROM event) WHERE name <> :name"
        connection.execute(text(moved), {"name": "" if database.dialect == "postgresql" else STATES.name})
        connection.execute(text(_USAGE))
        connection.execute(text("DELETE FROM usage_progress"))
        connection.execute(USAGE_PROGRESS.insert().values(name="stamps", counted=number, seen=number, seen_at=now))
    dispatcher = EventDispatcher(database, [state_consumer(container)], container.wall)
    while dispatcher.run():
        pass
    _analyze(database)


_USAGE = "INSERT INTO usage_day SELECT account_id, day, sum(documents), 0 FROM document_sum GROUP BY account_id, day"
_EVENTS = (
    "INSERT INTO event (at, fiscal_at, account_id, kind, subject, request_id, body) "
    "SELECT stamped_at, stamped_at, account_id, :kind, uuid, '', '{}' FROM stamp WHERE cursor % :share = 0"
)


def _engine(database: Database) -> Engine:
    """Return an engine without the timeouts of a server."""
    return create_engine(database.engine.url)


def _analyze(database: Database) -> None:
    with _engine(database).connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM ANALYZE" if database.dialect == "postgresql" else "PRAGMA optimize"))


def _fill_sqlite(database: Database, pattern: StampRecord, number: int) -> None:
    drawn, cfdi = random.Random(1), encode(pattern.cfdi)
    names = [each.name for each in fields(StampRecord)]
    columns = ", ".join(("cursor", *names))
    marks = ", ".join("?" * (len(names) + 1))
    rows = ((place, *_values(_copy(pattern, place, drawn), cfdi)) for place in range(1, number + 1))
    while batch := list(islice(rows, AT_ONCE)):
        with database.write() as connection:
            connection.exec_driver_sql(f"INSERT INTO stamp ({columns}) VALUES ({marks})", batch)


def _copy(pattern: StampRecord, place: int, drawn: random.Random) -> StampRecord:
    return replace(
        pattern,
        seal_hash=drawn.randbytes(32),
        uuid=str(UUID(bytes=drawn.randbytes(16))),
        stamped_at=pattern.stamped_at - timedelta(days=DAYS * drawn.random()),
        kind=drawn.choice(KINDS),
        folio=f"{place:010d}",
        total=f"{drawn.random() * 1e5:.2f}",
        receiver_rfc=f"AAA0101{drawn.randrange(RECEIVERS):03d}A1",
    )


def _values(record: StampRecord, cfdi: bytes) -> Iterator[object]:
    for each in astuple(replace(record, cfdi=cfdi)):
        yield to_microseconds(each) if isinstance(each, datetime) else each


def _fill_postgresql(database: Database, pattern: StampRecord, words: Sequence[str], number: int) -> None:
    made = {
        "seal_hash": "decode(md5(n::text) || md5((-n)::text), 'hex')",
        "cursor": "n",
        "uuid": "md5(n::text)::uuid::text",
        "stamped_at": f"CAST(:stamped_at AS bigint) - {_BEFORE}",
        "fecha": f"to_char(to_timestamp((CAST(:stamped_at AS bigint) - {_BEFORE}) / 1000000), {_FORM})",
        "kind": f"substr('{KINDS}', 1 + floor(random() * {len(KINDS)})::int, 1)",
        "folio": "lpad(n::text, 10, '0')",
        "total": "round((random() * 100000)::numeric, 2)::text",
        "receiver_rfc": f"'AAA0101' || lpad(floor(random() * {RECEIVERS})::text, 3, '0') || 'A1'",
        "cfdi": ":cfdi",
    }
    values = {name: _stored(getattr(pattern, name)) for name in ("stamped_at",)} | {"cfdi": encode(pattern.cfdi)}
    for each in fields(StampRecord):
        if each.name not in made:
            made[each.name] = f":{each.name}"
            values[each.name] = _stored(getattr(pattern, each.name))
    columns, expressions = ", ".join(made), ", ".join(f"{made[name]}" for name in made)
    with _engine(database).begin() as connection:
        connection.execute(text("SET LOCAL maintenance_work_mem = '1GB'"))
        connection.execute(text("SELECT setseed(0.5)"))
        with _without_indexes(connection, STAMP):
            statement = f"INSERT INTO stamp ({columns}) SELECT {expressions} FROM generate_series(1, :number) n"
            connection.execute(text(statement), {**values, "number": number})
        connection.execute(text("SELECT setval('stamp_cursor', :number)"), {"number": number})
        with _without_indexes(connection, LISTED_DOCUMENT):
            connection.execute(text(_LISTED), {"words": "".join(f" {word}" for word in words)})
        connection.execute(text(_SUMS))
        connection.execute(text("ALTER TABLE stamp_word DROP CONSTRAINT pk_stamp_word"))
        for word in words:
            connection.execute(
                text("INSERT INTO stamp_word SELECT account_id, :word, cursor FROM listed_document"), {"word": word}
            )
        connection.execute(text("INSERT INTO stamp_word SELECT account_id, folio, cursor FROM listed_document"))
        connection.execute(
            text("ALTER TABLE stamp_word ADD CONSTRAINT pk_stamp_word PRIMARY KEY (account_id, word, cursor)")
        )
        progress = text("INSERT INTO stamp_word_progress (name, indexed) VALUES (:name, :number)")
        connection.execute(progress, {"name": NAME, "number": number})


# Of the stamp n: half an hour to `DAYS` days before the pattern, by a multiplicative hash of n.
_BEFORE = f"(n::bigint * 2654435761 % {DAYS * 86_400}) * 1000000"
_FORM = "'YYYY-MM-DD\"T\"HH24\\:MI\\:SS'"
_LISTED = """
    INSERT INTO listed_document
    SELECT cursor, account_id, uuid, stamped_at, kind, serie, folio, fecha, issuer_rfc, receiver_rfc, total, 'MXN',
        floor(total::numeric)::bigint, (total::numeric % 1 * 1000000)::int, :words || ' ' || folio
    FROM stamp ORDER BY cursor
"""
_DAY = "to_char(to_timestamp(stamped_at / 1000000) AT TIME ZONE 'America/Mexico_City', 'YYYY-MM-DD')"
_SUM = "count(*), 0, sum(units / 1000000000), sum(units % 1000000000), sum(millionths)"
_SUMS = f"""
    INSERT INTO document_sum SELECT account_id, {_DAY}, kind, currency, {_SUM} FROM listed_document GROUP BY 1, 2, 3, 4
"""
_STATES = "UPDATE listed_document SET state = 'cancelado' WHERE cursor % :share = 0"
_SUMS_BY_STATE = f"""
    INSERT INTO cancellation_sum SELECT account_id, state, {_DAY}, kind, currency, {_SUM}
    FROM listed_document WHERE state IS NOT NULL GROUP BY 1, 2, 3, 4, 5
"""


def _stored(value: object) -> object:
    return to_microseconds(value) if isinstance(value, datetime) else value


@contextmanager
def _without_indexes(connection: Connection, table: Table) -> Iterator[None]:
    """Make the indexes of a table after its rows: they are sorted once."""
    for index in table.indexes:
        index.drop(connection)
    yield
    for index in table.indexes:
        index.create(connection)
