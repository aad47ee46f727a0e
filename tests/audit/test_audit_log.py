"""The audit log: append-only tables, the signed chain, what a verification finds, and counts of uses."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError
from tests.accounts.support import ENVELOPE
from tests.support.databases import administer, need_postgresql, server
from tests.support.store_records import NOON, MovableClock

from timbra.accounts.store.account_repository import AccountRepository
from timbra.accounts.store.models import NewAccount
from timbra.audit.audit_log import AuditLog
from timbra.audit.export import export_lines, read_export
from timbra.audit.signed_chain import BATCH
from timbra.audit.verification import AuditVerification, verify
from timbra.core.errors import ServiceError
from timbra.core.origin import Origin, set_origin
from timbra.database.database import Database, open_database
from timbra.database.tables.audit import APPEND_ONLY
from timbra.events.audit.audit import Audit
from timbra.events.audit.chain import append_links
from timbra.events.audit.counts import UseCounter
from timbra.events.audit.events import AuditFilter
from timbra.seals.encryption.envelope import EnvelopeEncryption
from timbra.seals.encryption.master_key import LocalMasterKey
from timbra.transparency.keys import AuditKeys, rotate_audit_keys

HEAD_FILE = "audit-head.json"
GRACE = timedelta(seconds=15)
KEY_USED = "key.used"
LOGIN_FAILED = "login.failed"
TOKEN_USED = "token.used"

EVENTS = 6
on_sqlite = pytest.mark.parametrize("address", ["sqlite"], indirect=True)
"""For what does not depend on the database."""


@pytest.fixture
def wall() -> MovableClock:
    return MovableClock()


@pytest.fixture
def audit_log(database: Database, tmp_path: Path, wall: MovableClock) -> AuditLog:
    counter = UseCounter(database, wall, wall)
    return AuditLog(database, AuditKeys(ENVELOPE, wall), counter, tmp_path, wall)


@pytest.fixture
def chained(audit_log: AuditLog, database: Database, wall: MovableClock) -> AuditLog:
    """Six events in three batches of two."""
    for number in range(EVENTS):
        record(database, wall, f"token-{number}")
        if number % 2:
            audit_log.chain.run()
    return audit_log


def record(database: Database, wall: MovableClock, subject: str) -> None:
    with database.write() as connection:
        Audit(wall, wall).record(connection, "token.created", 1, subject, after={"label": "ERP"})


@contextmanager
def unprotected(database: Database) -> Iterator[Connection]:
    """A transaction of a thief of the database, who removes the triggers."""
    with database.write() as connection:
        if database.dialect == "postgresql":
            for table in APPEND_ONLY:
                connection.execute(text(f"ALTER TABLE {table.name} DISABLE TRIGGER USER"))
        else:
            names = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'audit_%'"
            for name in list(connection.execute(text(names)).scalars()):
                connection.execute(text(f"DROP TRIGGER {name}"))
        yield connection


def tamper(database: Database, *statements: str) -> None:
    with unprotected(database) as connection:
        for statement in statements:
            assert connection.execute(text(statement)).rowcount > 0


def findings(verification: AuditVerification) -> list[tuple[str, int]]:
    return [(finding.kind, finding.sequence) for finding in verification.findings]


def test_verify_accepts_an_untouched_log(chained: AuditLog) -> None:
    result = chained.verify()
    assert (result.links, result.heads, result.sequence, result.unchained) == (EVENTS, 3, EVENTS, 0)
    assert result.findings == []
    assert len(result.keys) == 1


@on_sqlite
def test_verify_accepts_an_empty_log(audit_log: AuditLog) -> None:
    assert audit_log.verify().findings == []


@on_sqlite
@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("UPDATE audit_event SET subject = 'other' WHERE subject = 'token-2'", [("link-changed", 3)]),
        ("UPDATE audit_event SET actor = 'other' WHERE subject = 'token-2'", [("link-changed", 3)]),
        ("UPDATE audit_event SET at = at + 1 WHERE subject = 'token-2'", [("link-changed", 3)]),
        ("UPDATE audit_event SET body = '{}' WHERE subject = 'token-2'", [("link-changed", 3)]),
        ("DELETE FROM audit_event WHERE subject = 'token-2'", [("event-missing", 3)]),
        ("DELETE FROM audit_link WHERE sequence = 3", [("link-missing", 3)]),
        ("DELETE FROM audit_link WHERE sequence > 4", [("tail-missing", 5)]),
        ("DELETE FROM audit_head WHERE sequence = 6", [("head-missing", 6), ("tail-unsigned", 6)]),
        ("UPDATE audit_head SET at = at + 1 WHERE sequence = 4", [("head-signature", 4)]),
        ("UPDATE audit_head SET key_id = 'other' WHERE sequence = 4", [("head-signature", 4)]),
    ],
)
def test_verify_names_what_was_changed(
    chained: AuditLog, database: Database, statement: str, expected: list[tuple[str, int]]
) -> None:
    tamper(database, statement)
    assert findings(chained.verify()) == expected


@on_sqlite
def test_verify_finds_a_changed_hash_of_a_head(chained: AuditLog, database: Database) -> None:
    tamper(database, "UPDATE audit_head SET hash = (SELECT hash FROM audit_link WHERE sequence = 3) WHERE sequence = 4")
    assert findings(chained.verify()) == [("head-signature", 4)]


def test_verify_finds_a_chain_that_was_computed_again(chained: AuditLog, database: Database) -> None:
    """A thief without the master key can compute hashes but cannot sign a head of them."""
    with unprotected(database) as connection:
        connection.execute(text("UPDATE audit_event SET subject = 'other' WHERE subject = 'token-2'"))
        connection.execute(text("INSERT INTO audit_pending SELECT event_id FROM audit_link WHERE sequence > 2"))
        connection.execute(text("DELETE FROM audit_link WHERE sequence > 2"))
        append_links(connection, BATCH)
    assert findings(chained.verify()) == [("head-changed", 4), ("head-changed", 6)]


def test_verify_finds_an_end_that_was_removed_with_its_heads(chained: AuditLog, database: Database) -> None:
    """The file of the data folder, or a head that was kept elsewhere, shows it; the database does not."""
    before = chained.verify()
    tamper(
        database,
        "DELETE FROM audit_event WHERE subject IN ('token-4', 'token-5')",
        "DELETE FROM audit_link WHERE sequence > 4",
        "DELETE FROM audit_head WHERE sequence > 4",
    )
    expected = [("head-missing", EVENTS), ("tail-missing", 5)]
    assert findings(chained.verify()) == expected
    (chained._folder / HEAD_FILE).unlink()
    absent = ("head-file-missing", 4)
    assert findings(chained.verify()) == [absent]
    assert findings(chained.verify([(before.sequence, before.hash.hex())])) == [*expected, absent]


def test_verify_finds_a_log_that_was_emptied_with_its_keys(chained: AuditLog, database: Database) -> None:
    """A server that has accounts has events: a log without any is not that of a new server."""
    before = chained.verify()
    with database.write() as connection:
        AccountRepository().insert(connection, 0, NewAccount("ana", "Ana", "", "account", False, NOON))
    assert chained.verify().findings == []
    tamper(database, *(f"DELETE FROM {table}" for table in ("audit_event", "audit_link", "audit_head", "audit_key")))
    gone = [("head-missing", EVENTS), ("tail-missing", 1)]
    assert findings(chained.verify()) == [*gone, ("log-empty", 0)]
    (chained._folder / HEAD_FILE).unlink()
    assert findings(chained.verify()) == [("log-empty", 0)]
    assert findings(chained.verify([(before.sequence, before.hash.hex())])) == [*gone, ("log-empty", 0)]


@on_sqlite
def test_verify_finds_an_event_that_was_never_chained(
    chained: AuditLog, database: Database, wall: MovableClock
) -> None:
    record(database, wall, "token-6")
    tamper(database, "DELETE FROM audit_pending")
    chained.chain.run()
    assert (chained.verify().unchained, findings(chained.verify())) == (1, [])
    wall.advance(minutes=11)
    assert findings(chained.verify()) == [("event-unchained", 0)]


def test_append_only_tables_reject_changes(chained: AuditLog, database: Database) -> None:
    # Row triggers of SQLite need rows; `audit_node` has none here.
    for table in (table.name for table in APPEND_ONLY if table.name != "audit_node"):
        key = {"audit_event": "id", "audit_leaf": "position"}.get(table, "sequence")
        replace = f"TRUNCATE {table}"
        if database.dialect == "sqlite":
            replace = f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}"
        for statement in (f"UPDATE {table} SET {key} = {key}", f"DELETE FROM {table}", replace):
            with pytest.raises(DBAPIError, match="append-only"), database.write() as connection:
                connection.execute(text(statement))
    assert chained.verify().findings == []


def test_owner_of_the_postgresql_tables_has_no_grant_to_change_them(wall: MovableClock, tmp_path: Path) -> None:
    """An owner who is not a superuser chains and verifies, and cannot change events even without the triggers."""
    need_postgresql()
    name = f"timbra_owner_{uuid4().hex}"
    administer(f"CREATE ROLE {name} LOGIN")
    administer(f"CREATE DATABASE {name} OWNER {name}")
    address = server().partition("://")
    try:
        database = open_database(f"{address[0]}://{name}@{address[2].rpartition('@')[2]}/{name}", "sandbox")
        log = AuditLog(database, AuditKeys(ENVELOPE, wall), UseCounter(database, wall, wall), tmp_path, wall)
        record(database, wall, "one")
        log.chain.run()
        with pytest.raises(DBAPIError, match="permission denied"):
            tamper(database, "UPDATE audit_event SET subject = 'two'")
        assert (log.verify().links, log.verify().findings) == (1, [])
        database.close()
    finally:
        administer(f"DROP DATABASE {name} WITH (FORCE)")
        administer(f"DROP ROLE {name}")


@on_sqlite
def test_chain_signs_one_head_for_a_batch(audit_log: AuditLog, database: Database, wall: MovableClock) -> None:
    with database.write() as connection:
        for number in range(BATCH + 1):
            Audit(wall, wall).record(connection, "token.created", 1, str(number))
    assert audit_log.chain.is_due()
    audit_log.chain.run()
    assert not audit_log.chain.is_due()
    result = audit_log.verify()
    assert (result.links, result.heads, result.findings) == (BATCH + 1, 2, [])


@on_sqlite
def test_two_chains_continue_each_other(
    chained: AuditLog, database: Database, tmp_path: Path, wall: MovableClock
) -> None:
    other = AuditLog(database, AuditKeys(ENVELOPE, wall), UseCounter(database, wall, wall), tmp_path, wall)
    record(database, wall, "next")
    other.chain.run()
    result = chained.verify()
    assert (result.links, len(result.keys), result.findings) == (EVENTS + 1, 1, [])


@on_sqlite
def test_keys_are_readable_after_a_rotation_of_the_master_key(
    chained: AuditLog, database: Database, tmp_path: Path, wall: MovableClock
) -> None:
    old, new = LocalMasterKey(bytes([1] * 32)), LocalMasterKey(bytes([2] * 32))
    counter = UseCounter(database, wall, wall)
    tamper(database, "DELETE FROM audit_key", "DELETE FROM audit_head")
    (tmp_path / HEAD_FILE).unlink()
    first = AuditLog(database, AuditKeys(EnvelopeEncryption(old, []), wall), counter, tmp_path, wall)
    record(database, wall, "next")
    first.chain.run()
    with database.write() as connection:
        assert rotate_audit_keys(database, connection, EnvelopeEncryption(new, [old])) == 1
    rotated = AuditLog(database, AuditKeys(EnvelopeEncryption(new, []), wall), counter, tmp_path, wall)
    assert rotated.verify().findings == []


def exported(log: AuditLog, first: int = 1, last: int | None = None) -> bytes:
    with log.content(first, last) as content:
        return b"".join(export_lines(content))


@on_sqlite
def test_export_is_verified_without_the_database(chained: AuditLog, wall: MovableClock) -> None:
    content, keys = read_export(io.BytesIO(exported(chained)), [])
    result = verify(content, wall.now())
    assert (result.links, result.heads, result.findings, len(keys)) == (EVENTS, 3, [], 1)
    content, _ = read_export(io.BytesIO(exported(chained, 3, 4)), keys)
    assert (verify(content, wall.now()).links, verify(content, wall.now()).findings) == (2, [])


@on_sqlite
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda lines: [line.replace(b"token-2", b"token-x") for line in lines], ("link-changed", 3)),
        (lambda lines: [line for line in lines if b"token-2" not in line], ("link-missing", 3)),
        (lambda lines: [line for line in lines if b"token-5" not in line], ("tail-missing", 6)),
        (lambda lines: lines[:-1], ("tail-unsigned", 6)),
    ],
)
def test_verify_finds_what_was_changed_in_an_export(
    chained: AuditLog, wall: MovableClock, change: Callable[[list[bytes]], list[bytes]], expected: tuple[str, int]
) -> None:
    lines = change(exported(chained).splitlines(keepends=True))
    content, _ = read_export(io.BytesIO(b"".join(lines)), [])
    assert findings(verify(content, wall.now())) == [expected]


@on_sqlite
def test_export_signed_with_another_key_is_not_trusted(chained: AuditLog, wall: MovableClock) -> None:
    content, _ = read_export(io.BytesIO(exported(chained)), ["0" * 16])
    assert {kind for kind, _ in findings(verify(content, wall.now()))} == {"head-signature"}


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b'{"format":"timbra-audit-1"}', b"\xff"])
def test_read_export_rejects_another_file(content: bytes) -> None:
    with pytest.raises(ServiceError, match="audit-unreadable"):
        read_export(io.BytesIO(content), [])


def test_page_filters_events(audit_log: AuditLog, database: Database, wall: MovableClock) -> None:
    set_origin(lambda: Origin("user", "ana", 7, "203.0.113.7", "r1"))
    record(database, wall, "a")
    set_origin(lambda: Origin("operator", "root"))
    wall.advance(minutes=1)
    with database.write() as connection:
        Audit(wall, wall).record(connection, "account.closed", 2, "b", before={"x": 1}, after={"x": 1})

    def subjects(**conditions: object) -> list[str]:
        return [entry.event.subject for entry in audit_log.page(AuditFilter(**conditions))]  # type: ignore[arg-type]

    assert subjects() == ["b", "a"]
    assert subjects(account_id=1) == ["a"]
    assert subjects(kind="token") == subjects(kind="token.created") == subjects(actor="ana") == ["a"]
    assert subjects(kind="toke") == []
    assert subjects(since=wall.now()) == subjects(subject="b") == ["b"]
    assert subjects(until=wall.now()) == ["a"]
    first, second = audit_log.page(AuditFilter())
    assert (second.event.actor_account_id, second.event.address, second.event.request_id) == (7, "203.0.113.7", "r1")
    assert second.event.body == '{"after":{"label":"ERP"},"before":{"label":null}}'
    assert [entry.number for entry in audit_log.page(AuditFilter(), before=first.number)] == [second.number]


def test_uses_of_an_interval_become_one_event(audit_log: AuditLog, database: Database, wall: MovableClock) -> None:
    begun = wall.now().replace(minute=10)
    wall.instant = begun
    counters = [audit_log.counter, UseCounter(database, wall, wall)]
    for counter in counters:
        set_origin(lambda: Origin("anonymous", address="203.0.113.7", request_id="r9"))
        for _ in range(3):
            counter.count(KEY_USED, 1, "", "00001")
            counter.count(TOKEN_USED, 1, "ana", "t")
            wall.advance(minutes=1)
        counter.flush()
    counters[0].count(LOGIN_FAILED, None, "", "", "AU2000")
    counters[0].flush()
    counters[0].roll_up()
    assert audit_log.page(AuditFilter()) == []
    wall.instant = begun.replace(minute=0) + timedelta(hours=1) + GRACE
    counters[0].roll_up()
    events = {entry.event.kind: entry.event for entry in audit_log.page(AuditFilter())}
    assert set(events) == {KEY_USED, LOGIN_FAILED, TOKEN_USED}
    first, last = begun.isoformat(), (begun + timedelta(minutes=5)).isoformat()
    assert events[KEY_USED].body == f'{{"count":6,"first":"{first}","last":"{last}"}}'
    assert (events[KEY_USED].actor_kind, events[KEY_USED].address, events[KEY_USED].subject) == ("server", "", "00001")
    assert (events[TOKEN_USED].actor, events[TOKEN_USED].address) == ("ana", "203.0.113.7")
    assert (events[LOGIN_FAILED].actor_kind, '"code":"AU2000"' in events[LOGIN_FAILED].body) == ("anonymous", True)
    counters[0].roll_up()
    assert len(audit_log.page(AuditFilter())) == 3


@on_sqlite
def test_counts_survive_a_database_that_is_out_of_reach(
    audit_log: AuditLog, database: Database, wall: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter = audit_log.counter
    counter.count(KEY_USED, 1, "", "00001")
    with monkeypatch.context() as context:
        context.setattr(database, "write", unreachable)
        with pytest.raises(ServiceError):
            counter.flush()
    counter.count(KEY_USED, 1, "", "00001")
    counter.flush()
    with database.read() as connection:
        assert connection.execute(text("SELECT count FROM audit_count")).scalar_one() == 2


def unreachable() -> None:
    raise ServiceError("CO1000")


@on_sqlite
def test_counts_have_a_limit_of_memory(audit_log: AuditLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("timbra.events.audit.counts.MAX_KEYS", 10)
    for number in range(50):
        audit_log.counter.count(LOGIN_FAILED, None, "", str(number), "AU2000")
    assert len(audit_log.counter._uses) == 11
    audit_log.counter.flush()
