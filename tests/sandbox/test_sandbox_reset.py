"""What a reset does with each table."""

from __future__ import annotations

import threading

from sqlalchemy import LargeBinary
from tests.support.events import write_deliveries
from tests.support.store_records import MovableClock, claim

from timbra.database.database import Database
from timbra.database.feature_tables import feature_tables
from timbra.database.tables import METADATA
from timbra.database.tables.accounts import ACCOUNT
from timbra.database.tables.audit import AUDIT_TABLES
from timbra.database.tables.stamps import STAMP
from timbra.events import exclusive
from timbra.sandbox.store.reset import CLEARED, OF_ACCOUNTS, OWN_DATA, RELEASED, unlisted_tables
from timbra.sandbox.store.snapshot import SECRETS
from timbra.sandbox.store.transactions import SandboxStore
from timbra.stamps.repository import DatabaseStamps


def test_every_table_is_cleared_kept_or_partially_kept() -> None:
    assert unlisted_tables() == []


def test_tables_with_an_account_are_cleared_or_belong_to_accounts() -> None:
    with_account = {table for table in METADATA.sorted_tables if "account_id" in table.c}
    assert with_account - CLEARED - set(AUDIT_TABLES) == {*OF_ACCOUNTS, *RELEASED}
    assert all(key.column.table is ACCOUNT for table in OF_ACCOUNTS for key in table.foreign_keys)


def test_the_reset_of_an_account_removes_its_rows_of_every_cleared_table() -> None:
    with_account = {table for table in METADATA.tables.values() if "account_id" in table.c}
    of_features = {found.table for found in feature_tables() if found.part_of is None and found.of_accounts}
    assert with_account & CLEARED == {*OWN_DATA, STAMP, *of_features}


def test_parts_of_feature_tables_belong_to_rows_of_an_account() -> None:
    parts = [found.part_of for found in feature_tables() if found.part_of is not None]
    assert [key.table.name for _, key in parts if "account_id" not in key.table.c] == []


def test_encrypted_columns_are_checked_against_the_master_key() -> None:
    binary = {column for table in METADATA.sorted_tables for column in table.c if isinstance(column.type, LargeBinary)}
    assert {column for column in binary if column.name.startswith("sealed")} == set(SECRETS)


def test_bump_exceeds_the_given_version(database: Database) -> None:
    versions = []
    for above in (0, 7, 3, 20):
        with database.write() as connection:
            versions.append(database.bump(connection, "area", above))
    assert versions == [1, 8, 9, 21]


def test_clear_deletes_stamps_with_their_side_effects(database: Database) -> None:
    stamps = DatabaseStamps(database, MovableClock())
    stamps.claim([claim(1, "custom"), claim(2)])
    write_deliveries(database)
    store = SandboxStore(database)
    with store.exclusive() as transaction:
        deleted = transaction.cleanup.clear()
    assert (deleted["stamp"], deleted["custom_id"], deleted["event"], deleted["outbox"]) == (2, 1, 2, 2)
    assert stamps.page(None).records == []
    stamps.close()


def test_exclusive_transaction_waits_for_a_writer(database: Database) -> None:
    begun, ending, order = threading.Event(), threading.Event(), []

    def write() -> None:
        with database.write() as connection:
            database.bump(connection, "area")
            begun.set()
            ending.wait(10)
            order.append("writer")

    def reset() -> None:
        with SandboxStore(database).exclusive():
            order.append("reset")

    threads = [threading.Thread(target=write), threading.Thread(target=reset)]
    threads[0].start()
    begun.wait(10)
    threads[1].start()
    threads[1].join(3 * exclusive.LOCK_MILLISECONDS / 1000)
    ending.set()
    for thread in threads:
        thread.join()
    assert order == ["writer", "reset"]
