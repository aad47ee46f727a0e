"""The audit log begins with the audit entries of the event log."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, text
from tests.accounts.support import ENVELOPE
from tests.support.events import list_audit_events, list_events
from tests.support.store_records import MovableClock

from timbra.audit.audit_log import AuditLog
from timbra.database.database import open_database
from timbra.database.migrate import MIGRATIONS
from timbra.events.audit.counts import UseCounter
from timbra.transparency.keys import AuditKeys


def test_migrate_copies_audit_entries_and_chains_them(empty_address: str, tmp_path: Path) -> None:
    url = empty_address.removeprefix("sqlite:///")
    if url != empty_address:
        Path(url).parent.mkdir(exist_ok=True)
    engine = create_engine(empty_address)
    insert = text(
        "INSERT INTO event (at, fiscal_at, account_id, kind, subject, request_id, body) "
        "VALUES (1, 2, 3, :kind, :subject, 'r', :body)"
    )
    with engine.begin() as connection:
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", str(MIGRATIONS))
        command.upgrade(config, "0016")
        for kind, subject in (("account.created", "ana"), ("stamped", "folio"), ("login.limited", "ana")):
            connection.execute(insert, {"kind": kind, "subject": subject, "body": '{"a": "ñ"}'})
    engine.dispose()
    database, wall = open_database(empty_address), MovableClock()
    events = list_audit_events(database)
    assert [(event.kind, event.actor_kind, event.account_id, event.request_id) for event in events] == [
        ("account.created", "server", 3, "r"),
        ("login.limited", "server", 3, "r"),
    ]
    assert events[0].body == '{"a": "ñ"}'
    assert len(list_events(database)) == 3
    log = AuditLog(database, AuditKeys(ENVELOPE, wall), UseCounter(database, wall, wall), tmp_path, wall)
    log.chain.run()
    assert (log.verify().links, log.verify().findings) == (2, [])
    database.close()
