"""What programs of before write for a stamp.

That of commit 5c41acb (migration 0049) writes everything that follows from it. That of commit 09fde9a (migration 0059)
writes its delivery; e-mails and webhooks follow from the event.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, create_engine, text
from tests.support.store_records import NOON

from timbra.database.codec import encode
from timbra.database.database import Database
from timbra.database.engines import make_engine, parse_url
from timbra.database.migrate import MIGRATIONS
from timbra.database.tables.column_types import to_microseconds
from timbra.stamps.port import StampRecord
from timbra.stamps.row_mapping import COLUMNS as COLUMNS_NOW
from timbra.stamps.row_mapping import to_row

FIRST, SECOND = "0049", "0059"
"""Their newest migrations."""
AT = to_microseconds(NOON)
_CURSORS = {"sqlite": "(SELECT coalesce(max(cursor), 0) + 1 FROM stamp)", "postgresql": "nextval('stamp_cursor')"}
COLUMNS = (
    "seal_hash", "uuid", "account_id", "environment", "request_id", "stamped_at", "version", "kind", "serie", "folio",
    "fecha", "issuer_rfc", "receiver_rfc", "total", "issuer_certificate", "provider_certificate", "rule_set",
    "data_version", "lists_version", "cfdi",
)  # fmt: skip
"""Of `stamp`, as those programs know it."""
_STAMP = (
    f"INSERT INTO stamp (cursor, {', '.join(COLUMNS)}) VALUES (CURSOR, {', '.join(f':{name}' for name in COLUMNS)})"
)
_EVENT = (
    "INSERT INTO event (at, fiscal_at, account_id, kind, subject, request_id, body) "
    "VALUES (:at, :at, :account, 'stamped', :uuid, '', '{}')"
)
_EVENT_OF_SECOND = (
    "INSERT INTO event (at, fiscal_at, account_id, kind, subject, request_id, body, format) "
    "VALUES (:at, :at, :account, 'stamped', :uuid, '', :body, 1)"
)
_OUTBOX = "INSERT INTO outbox (kind, subject, created_at, due_at, attempts) VALUES ('stamp', :uuid, :at, :at, 0)"
_EMAIL = (
    "INSERT INTO letter (uuid, recipient, account_id, created_at, due_at, attempts, failure) "
    "VALUES (:uuid, :recipient, :account, :at, :at, 0, '')"
)
_WEBHOOK_EVENT = (
    "INSERT INTO webhook_event (id, account_id, kind, subject, body, created_at) "
    "VALUES (:event, :account, 'cfdi.stamped', :uuid, '{}', :at)"
)
_WEBHOOK_DELIVERY = (
    "INSERT INTO webhook_delivery (event_id, webhook_id, created_at, due_at, attempts, failure) "
    "VALUES (:event, :webhook, :at, :at, 0, '')"
)
_ACCOUNT = (
    'INSERT INTO account (id, "user", name, password, generation, role, active, created_at, changed) '
    "VALUES (1, 'ana@example.com', 'ana@example.com', '-', 1, 'account', true, :at, 1)"
)
_WEBHOOK = (
    "INSERT INTO webhook (id, account_id, url, format, events, description, enabled, disabled_reason, sealed_secret, "
    "created_at, failures) "
    "VALUES (:webhook, 1, 'https://example.com/', 'events', 'cfdi.stamped', '', true, '', :secret, :at, 0)"
)


def build_database(url: str, webhooks: Sequence[str] = (), program: str = FIRST) -> None:
    """Migrate an empty database as a program did, with the account 1 and its endpoints for `cfdi.stamped`."""
    if url.startswith("sqlite"):
        Path(url.removeprefix("sqlite:///")).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url)
    with engine.begin() as connection:
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", str(MIGRATIONS))
        command.upgrade(config, program)
        connection.execute(text("INSERT INTO identity VALUES ('environment', 'sandbox')"))
        connection.execute(text(_ACCOUNT), {"at": AT})
        for webhook in webhooks:
            connection.execute(text(_WEBHOOK), {"webhook": webhook, "secret": b"s", "at": AT})
    engine.dispose()


def running_program(url: str) -> Database:
    """Open the database as a program that runs already: without a look at its version."""
    return Database(make_engine(parse_url(url)))


def write_stamp(
    connection: Connection,
    record: StampRecord,
    webhooks: Sequence[str] = (),
    recipients: Sequence[str] = (),
    program: str = FIRST,
) -> None:
    """Write a stamp with what follows from it."""
    body = json.dumps({"mail_to": recipients})
    values = {"at": AT, "account": record.account_id, "uuid": record.uuid, "event": f"evt_{record.uuid}", "body": body}
    row = dict(zip(COLUMNS_NOW, to_row(record, encode(record.cfdi)), strict=True))
    stamp = {name: row[name] for name in COLUMNS}
    connection.execute(text(_STAMP.replace("CURSOR", _CURSORS[connection.dialect.name])), stamp)
    connection.execute(text(_EVENT if program == FIRST else _EVENT_OF_SECOND), values)
    connection.execute(text(_OUTBOX), values)
    if program == SECOND:
        return
    for recipient in recipients:
        connection.execute(text(_EMAIL), {**values, "recipient": recipient})
    if webhooks:
        connection.execute(text(_WEBHOOK_EVENT), values)
    for webhook in webhooks:
        connection.execute(text(_WEBHOOK_DELIVERY), {**values, "webhook": webhook})
