"""The contract of `StampStore`, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest import mock
from uuid import uuid4

import pytest
from sqlalchemy import func, select
from sqlalchemy.schema import Table
from tests.support.databases import need_postgresql, postgresql_database
from tests.support.events import list_events
from tests.support.store_records import NOON, MovableClock, claim, record

from timbra.core.clock import FixedClock
from timbra.core.errors import ServiceError
from timbra.database.database import Database, open_database
from timbra.database.tables.stamps import CUSTOM_ID, EVENT, STAMP
from timbra.delivery.deliveries import AuthorityOutbox
from timbra.stamps.port import AlreadyStamped, Claim, CustomIdTaken, StampHeader, StampRecord, Stored
from timbra.stamps.repository import DatabaseStamps

LATER = NOON + timedelta(minutes=3)


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def stamps(database: Database, clock: MovableClock) -> Iterator[DatabaseStamps]:
    opened = DatabaseStamps(database, clock, FixedClock(LATER))
    yield opened
    opened.close()


def count(database: Database, table: Table) -> int:
    with database.read() as connection:
        return connection.execute(select(func.count()).select_from(table)).scalar_one()


def test_claim_stores_a_stamp_that_is_found_by_seal_and_uuid(stamps: DatabaseStamps) -> None:
    claimed = claim("a")
    assert stamps.claim([claimed]) == [Stored(claimed.record)]
    assert stamps.by_seal(claimed.record.seal_hash) == claimed.record
    assert stamps.by_uuid(claimed.record.uuid) == claimed.record
    assert stamps.by_uuid(claimed.record.uuid.upper()) == claimed.record


def test_claim_stores_every_field_in_its_own_column(stamps: DatabaseStamps) -> None:
    names = [field.name for field in fields(StampRecord) if field.type in {"str", "str | None"}]
    texts: dict[str, Any] = {name: f"<{name}>" for name in names}
    wanted = replace(record("a"), **(texts | {"environment": "sandbox"}))
    stamps.claim([Claim(wanted)])
    assert stamps.by_seal(wanted.seal_hash) == wanted


def test_by_seal_and_by_uuid_return_none_for_an_unknown_stamp(stamps: DatabaseStamps) -> None:
    assert stamps.by_seal(bytes(32)) is None
    assert stamps.by_uuid("5b64ada3-aa4c-40b4-a2f5-572ced52be31") is None
    assert stamps.by_uuid("") is None


def test_headers_of_returns_values_of_many_stamps(stamps: DatabaseStamps) -> None:
    claims = [claim(number) for number in range(1_100)]
    stamps.claim(claims)
    folios = [one.record.uuid for one in claims]
    found = {header.uuid: header for header in stamps.headers_of([*folios, str(uuid4())])}
    assert found.keys() == set(folios)
    one = claims[0].record
    assert found[one.uuid] == StampHeader(one.uuid, one.kind, one.issuer_rfc, one.fecha, one.stamped_at)
    assert stamps.headers_of([]) == []


def test_by_uuids_returns_many_stamps(stamps: DatabaseStamps) -> None:
    records = {one.record.uuid: one.record for one in (claim(number) for number in range(70))}
    stamps.claim([Claim(record) for record in records.values()])
    claimed = [*list(records)[:68], list(records)[3], list(records)[68].upper(), "", "no ' folio \u2028", str(uuid4())]
    found = stamps.by_uuids(claimed)
    assert len(found) == 69
    assert {one.uuid: one for one in found if isinstance(one, StampRecord)} == dict(list(records.items())[:69])
    assert stamps.by_uuids([]) == stamps.by_uuids([str(uuid4())]) == []


def test_claim_returns_no_outcomes_for_no_claims(stamps: DatabaseStamps, database: Database) -> None:
    assert stamps.claim([]) == []


def test_claim_stamps_a_seal_once_for_all_accounts(stamps: DatabaseStamps) -> None:
    first, second, foreign = claim("a"), claim("a"), claim("a", account=2)
    stamps.claim([first])
    assert stamps.claim([second, foreign]) == [AlreadyStamped(first.record), AlreadyStamped(first.record)]
    assert stamps.by_uuid(second.record.uuid) is None


def test_claim_stores_the_first_of_equal_seals_in_a_batch(stamps: DatabaseStamps) -> None:
    first, other, second = claim("a"), claim("b"), claim("a")
    assert stamps.claim([first, other, second]) == [
        Stored(first.record),
        Stored(other.record),
        AlreadyStamped(first.record),
    ]


def test_preview_returns_the_outcome_of_a_claim_and_stores_nothing(stamps: DatabaseStamps, database: Database) -> None:
    old = claim("b", "id")
    stamps.claim([old])
    before = [count(database, table) for table in (STAMP, EVENT, CUSTOM_ID)]
    for one in (claim("a"), claim("b"), claim("b", account=2), claim("c", "id"), claim("d", "new")):
        found = stamps.preview(one)
        assert [count(database, table) for table in (STAMP, EVENT, CUSTOM_ID)] == before
        assert isinstance(found, Stored) == (one.record.seal_hash != old.record.seal_hash and one.custom_id != "id")
    for one in (claim("a"), claim("b"), claim("c", "id")):
        assert [stamps.preview(one)] == stamps.claim([one])


def test_claim_decides_a_batch_of_new_and_repeated_seals(stamps: DatabaseStamps, database: Database) -> None:
    old = claim("b", "id")
    stamps.claim([old])
    batch = [claim("a"), claim("b"), claim("c", "id"), claim("d", "new"), claim("e", "new")]
    assert stamps.claim(batch) == [
        Stored(batch[0].record),
        AlreadyStamped(old.record),
        CustomIdTaken(old.record),
        Stored(batch[3].record),
        CustomIdTaken(batch[3].record),
    ]
    assert [count(database, table) for table in (STAMP, EVENT, CUSTOM_ID)] == [3, 3, 2]


def test_claim_stores_a_large_batch(stamps: DatabaseStamps, database: Database) -> None:
    batch = [claim(number, f"id {number}") for number in range(200)]
    assert stamps.claim(batch) == [Stored(one.record) for one in batch]
    assert count(database, STAMP) == count(database, EVENT) == 200


@pytest.mark.parametrize(("repeated", "reads"), [(False, 0), (True, 1)])
def test_claim_reads_stamps_only_after_a_conflict(
    stamps: DatabaseStamps, monkeypatch: pytest.MonkeyPatch, repeated: bool, reads: int
) -> None:
    stored = claim("a", "first")
    stamps.claim([stored])
    load = mock.Mock(wraps=stamps._statements.load_state)
    monkeypatch.setattr(stamps._statements, "load_state", load)
    outcomes = stamps.claim([claim("b", "second"), claim("c", "first") if repeated else claim("c", "third")])
    assert load.call_count == reads
    assert [type(outcome) for outcome in outcomes] == [Stored, CustomIdTaken if repeated else Stored]


@pytest.mark.parametrize(("hours", "outcome"), [(0, CustomIdTaken), (71, CustomIdTaken), (72, Stored), (73, Stored)])
def test_claim_rejects_a_customid_for_72_fiscal_hours(
    stamps: DatabaseStamps, clock: MovableClock, hours: int, outcome: type
) -> None:
    stamps.claim([claim("a", "id", at=clock.now())])
    clock.advance(hours=hours)
    [answer] = stamps.claim([claim("b", "id", at=clock.now())])
    assert type(answer) is outcome


def test_claim_renews_the_72_hours_of_a_customid_that_is_used_again(
    stamps: DatabaseStamps, clock: MovableClock
) -> None:
    stamps.claim([claim("a", "id", at=clock.now())])
    clock.advance(hours=73)
    taking_over = claim("b", "id", at=clock.now())
    stamps.claim([taking_over])
    clock.advance(hours=71)
    assert stamps.claim([claim("c", "id", at=clock.now())]) == [CustomIdTaken(taking_over.record)]


def test_claim_separates_customids_of_accounts(stamps: DatabaseStamps) -> None:
    mine, theirs = claim("a", "id", account=1), claim("b", "id", account=2)
    assert stamps.claim([mine, theirs]) == [Stored(mine.record), Stored(theirs.record)]
    assert stamps.claim([claim("c", "id", account=2)]) == [CustomIdTaken(theirs.record)]


def test_claim_reports_a_repeated_seal_before_a_taken_customid(stamps: DatabaseStamps) -> None:
    first, second = claim("a", "id"), claim("b", "other")
    stamps.claim([first, second])
    assert stamps.claim([claim("a", "id"), claim("b", "id")]) == [
        AlreadyStamped(first.record),
        AlreadyStamped(second.record),
    ]


def test_claim_reports_a_repeated_seal_before_a_customid_of_the_same_batch(stamps: DatabaseStamps) -> None:
    old = claim("old", account=1)
    stamps.claim([old])
    new, repeat = claim("new", "order", account=2), claim("old", "order", account=2)
    assert stamps.claim([new, repeat]) == [Stored(new.record), AlreadyStamped(old.record)]


def test_claim_does_not_reserve_the_customid_of_a_repeat(stamps: DatabaseStamps) -> None:
    stamps.claim([claim("a")])
    stamps.claim([claim("a", "id")])
    other = claim("b", "id")
    assert stamps.claim([other]) == [Stored(other.record)]


def test_claim_writes_nothing_for_a_rejected_claim(stamps: DatabaseStamps, database: Database) -> None:
    stamps.claim([claim("a", "id")])
    rejected = claim("b", "id")
    stamps.claim([rejected, claim("a", "free")])
    assert [count(database, table) for table in (STAMP, EVENT, CUSTOM_ID)] == [1, 1, 1]
    assert stamps.claim([Claim(rejected.record)]) == [Stored(rejected.record)]


@pytest.mark.parametrize("custom_id", ["", "ñ' \",:", "x" * 300, "a\x00b", "\udce9"])
def test_claim_accepts_any_text_as_customid(stamps: DatabaseStamps, custom_id: str) -> None:
    first = claim("a", custom_id)
    assert stamps.claim([first, claim("b", custom_id)]) == [Stored(first.record), CustomIdTaken(first.record)]


def test_claim_returns_the_stored_stamp_when_the_same_claim_is_repeated(stamps: DatabaseStamps) -> None:
    claimed = claim("a", "id")
    stamps.claim([claimed])
    assert stamps.claim([claimed]) == [Stored(claimed.record)]


def test_claim_inserts_the_event_and_the_delivery_of_a_stamp(stamps: DatabaseStamps, database: Database) -> None:
    plain, named = claim("a"), claim("b", "pedido 7", account=5)
    stamps.claim([plain, named])
    events = sorted((event for event in list_events(database)), key=lambda event: event.account_id or 0)
    assert [(event.kind, event.subject, event.request_id, event.body) for event in events] == [
        ("stamped", plain.record.uuid, plain.record.request_id, {}),
        ("stamped", named.record.uuid, named.record.request_id, {"custom_id": "pedido 7"}),
    ]
    assert {(event.at, event.fiscal_at) for event in events} == {(LATER, NOON)}
    due = AuthorityOutbox(database, FixedClock(LATER)).lease(10)
    assert {(delivery.kind, delivery.subject) for delivery in due} == {
        ("stamp", plain.record.uuid),
        ("stamp", named.record.uuid),
    }


def test_claim_rejects_a_stamp_of_another_environment(stamps: DatabaseStamps, database: Database) -> None:
    with pytest.raises(ValueError, match="production"):
        stamps.claim([claim("a"), Claim(replace(record("b"), environment="production"))])
    assert count(database, STAMP) == 0


def test_claim_stores_nothing_when_one_record_is_invalid(stamps: DatabaseStamps, database: Database) -> None:
    with pytest.raises(Exception, match=r"NULL|null|tzinfo|aware"):
        stamps.claim([claim("a"), Claim(replace(record("b"), stamped_at=NOON.replace(tzinfo=None)))])
    assert [count(database, table) for table in (STAMP, EVENT)] == [0, 0]
    [answer] = stamps.claim([claim("a")])
    assert isinstance(answer, Stored)


def test_page_returns_stamps_newest_first_without_gap_or_repeat(stamps: DatabaseStamps) -> None:
    stored = [claim(number, account=1 + number % 2) for number in range(11)]
    for one in stored:
        stamps.claim([one])
    for account, wanted in ((None, stored), (1, stored[::2]), (2, stored[1::2])):
        seen: list[StampRecord] = []
        cursor: str | None = None
        while True:
            page = stamps.page(account, cursor=cursor, limit=2)
            seen.extend(page.records)
            if page.cursor is None:
                break
            assert len(page.records) == 2
            cursor = page.cursor
        assert seen == [one.record for one in reversed(wanted)]


def test_page_continues_at_its_cursor_when_new_stamps_are_stored(stamps: DatabaseStamps) -> None:
    old = [claim(number) for number in range(4)]
    for one in old:
        stamps.claim([one])
    first = stamps.page(1, limit=2)
    stamps.claim([claim("new")])
    second = stamps.page(1, cursor=first.cursor, limit=2)
    assert [*first.records, *second.records] == [one.record for one in reversed(old)]
    assert second.cursor is None


def test_page_is_empty_for_an_account_without_stamps(stamps: DatabaseStamps) -> None:
    assert stamps.page(9).records == []
    assert stamps.page(9).cursor is None


def test_page_limits_its_size(stamps: DatabaseStamps) -> None:
    stamps.claim([claim(number) for number in range(3)])
    assert len(stamps.page(None, limit=0).records) == 1
    with mock.patch("timbra.stamps.repository.MAX_PAGE_SIZE", 2):
        assert len(stamps.page(None, limit=10**9).records) == 2


@pytest.mark.parametrize("cursor", ["", "x", "ñ", "AAAA", "//////////8", "____________________", "0' OR 1=1", "=" * 11])
def test_page_rejects_a_malformed_cursor(stamps: DatabaseStamps, cursor: str) -> None:
    with pytest.raises(ServiceError) as rejection:
        stamps.page(1, cursor=cursor)
    assert rejection.value.code == "TB4005"


@pytest.mark.parametrize("minutes", [-6, 6])
def test_claim_rejects_a_provider_whose_clock_is_not_that_of_the_database(minutes: int) -> None:
    need_postgresql()
    with postgresql_database() as url:
        database = open_database(url, "rehearsal")
        now, claimed = datetime.now(UTC), Claim(replace(record("a"), environment="rehearsal"))
        clock = MovableClock(now + timedelta(minutes=minutes))
        stamps = DatabaseStamps(database, clock, clock)
        with pytest.raises(ServiceError) as rejected:
            stamps.claim([claimed])
        assert (rejected.value.code, rejected.value.retry_after) == ("CO1000", 5)
        assert stamps.by_seal(claimed.record.seal_hash) is None
        assert count(database, EVENT) == 0
        clock.instant = now + timedelta(minutes=minutes // 2)
        assert stamps.claim([claimed]) == [Stored(claimed.record)]
        stamps.close()
        database.close()


def test_claim_ignores_the_clock_of_the_database_in_a_sandbox() -> None:
    need_postgresql()
    with postgresql_database() as url:
        database = open_database(url, "sandbox")
        clock, claimed = MovableClock(NOON), claim("a")
        stamps = DatabaseStamps(database, clock, clock)
        assert stamps.claim([claimed]) == [Stored(claimed.record)]
        stamps.close()
        database.close()
