"""Random sequences of claims have the outcomes of a simple model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select, text
from tests.support.store_records import NOON, MovableClock, claim

from timbra.database.database import Database
from timbra.database.tables.stamps import CONFIRMATION, EVENT, STAMP
from timbra.stamps.port import (
    AlreadyStamped,
    Claim,
    ConfirmationUsed,
    CustomIdTaken,
    Outcome,
    StampRecord,
    Stored,
)
from timbra.stamps.repository import DatabaseStamps

ClaimArguments = tuple[str, str | None, int, str | None]
ISSUED = {"KEY11": "EKU9003173C9", "KEY22": "EKU9003173C9", "KEY33": "URE180429TM6"}
KEYS = [None, None, *ISSUED, "NEVER"]
CLAIMS = st.tuples(
    st.sampled_from("abcd"), st.sampled_from([None, None, "x", "y"]), st.sampled_from([1, 2]), st.sampled_from(KEYS)
)
BATCHES = st.lists(
    st.tuples(st.sampled_from([0, 1, 35, 71, 72, 73]), st.lists(CLAIMS, min_size=1, max_size=4)), max_size=6
)


@dataclass
class Model:
    """The rules of the port on three dictionaries, one claim at a time."""

    seals: dict[bytes, StampRecord] = field(default_factory=dict)
    custom_ids: dict[tuple[int, str], StampRecord] = field(default_factory=dict)
    used: dict[str, str] = field(default_factory=dict)

    def claim(self, one: Claim, now: datetime) -> Outcome:
        record = one.record
        if record.seal_hash in self.seals:
            return AlreadyStamped(self.seals[record.seal_hash])
        key = (record.account_id, one.custom_id or "")
        holder = self.custom_ids.get(key) if one.custom_id else None
        if holder and now - holder.stamped_at < timedelta(hours=72):
            return CustomIdTaken(holder)
        if one.confirmation is not None:
            if one.confirmation in self.used or ISSUED.get(one.confirmation) != record.issuer_rfc:
                return ConfirmationUsed(one.confirmation)
            self.used[one.confirmation] = record.uuid
        self.seals[record.seal_hash] = record
        if one.custom_id:
            self.custom_ids[key] = record
        return Stored(record)


@pytest.fixture
def stamps(database: Database) -> Iterator[tuple[DatabaseStamps, MovableClock]]:
    clock = MovableClock()
    opened = DatabaseStamps(database, clock)
    yield opened, clock
    opened.close()


def empty(database: Database) -> None:
    with database.write() as connection:
        for table in ("stamp", "custom_id", "outbox", "event", "confirmation"):
            connection.execute(text(f"DELETE FROM {table}"))
        rows = [{"key": key, "rfc": rfc, "issued_at": NOON} for key, rfc in ISSUED.items()]
        connection.execute(CONFIRMATION.insert(), rows)


def used_keys(database: Database) -> dict[str, str]:
    query = select(CONFIRMATION.c.key, CONFIRMATION.c.uuid).where(CONFIRMATION.c.uuid.is_not(None))
    with database.read() as connection:
        return {row.key: row.uuid for row in connection.execute(query)}


def stored_counts(database: Database) -> list[int]:
    with database.read() as connection:
        return [connection.execute(select(func.count()).select_from(table)).scalar_one() for table in (STAMP, EVENT)]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches=BATCHES)
def test_claim_agrees_with_the_model_for_any_sequence_of_batches(
    database: Database,
    stamps: tuple[DatabaseStamps, MovableClock],
    batches: list[tuple[int, list[ClaimArguments]]],
) -> None:
    store, clock = stamps
    empty(database)
    clock.instant = NOON
    model = Model()
    for hours, arguments in batches:
        clock.advance(hours=hours)
        claims = [
            replace(claim(seal, custom_id, account=account, at=clock.now()), confirmation=key)
            for seal, custom_id, account, key in arguments
        ]
        assert store.claim(claims) == [model.claim(one, clock.now()) for one in claims]
    assert stored_counts(database) == [len(model.seals)] * 2
    assert used_keys(database) == model.used
    newest_first = list(store.page(None, limit=500).records)
    assert {record.uuid for record in newest_first} == {record.uuid for record in model.seals.values()}
