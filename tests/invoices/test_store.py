"""Drafts and remembered entries in the database."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.support.store_records import NOON

from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.invoices.store import EntryKind, InvoiceEntry, InvoiceRepository

ANA, BEA = 1, 2


@pytest.fixture
def repository(database: Database) -> InvoiceRepository:
    return InvoiceRepository(database)


def test_draft_is_of_its_account_and_replaced_by_its_number(repository: InvoiceRepository) -> None:
    number = repository.save_draft(ANA, None, "X", "", {"a": "ñ"}, NOON)

    assert repository.save_draft(ANA, number, "Y", "1.00 MXN", {"a": "2"}, NOON) == number
    assert repository.save_draft(BEA, number, "Z", "", {}, NOON) != number

    [draft] = repository.drafts(ANA)
    assert (draft.number, draft.label, draft.total, draft.changed_at) == (number, "Y", "1.00 MXN", NOON)
    assert repository.draft(ANA, number) == {"a": "2"}
    assert repository.draft(BEA, number) is None
    repository.delete_draft(BEA, number)
    assert repository.draft(ANA, number) is not None
    repository.delete_draft(ANA, number)
    assert repository.drafts(ANA) == []


def test_drafts_are_bounded(repository: InvoiceRepository) -> None:
    for _ in range(100):
        repository.save_draft(ANA, None, "", "", {}, NOON)

    with pytest.raises(ServiceError, match="a lo más 100 borradores"):
        repository.save_draft(ANA, None, "", "", {}, NOON)

    repository.save_draft(BEA, None, "", "", {}, NOON)
    with pytest.raises(ServiceError, match="a lo más 256 KiB"):
        repository.save_draft(BEA, None, "", "", {"a": "x" * 262_144}, NOON)


def test_entries_are_replaced_by_key_and_bounded_by_their_last_use(repository: InvoiceRepository) -> None:
    entries = [InvoiceEntry(EntryKind.CUSTOMER, f"{number:03}", {"n": str(number)}) for number in range(501)]
    repository.remember(ANA, [*entries[:1], InvoiceEntry(EntryKind.PRODUCT, "000", {})], NOON - timedelta(days=1))

    repository.remember(ANA, entries[1:], NOON)
    repository.remember(ANA, [InvoiceEntry(EntryKind.CUSTOMER, "500", {"n": "new"})], NOON + timedelta(days=1))

    kept = {(entry.kind, entry.key): entry.fields for entry in repository.entries(ANA)}
    assert len(kept) == 501
    assert (EntryKind.CUSTOMER, "000") not in kept
    assert (EntryKind.PRODUCT, "000") in kept
    assert kept[EntryKind.CUSTOMER, "500"] == {"n": "new"}
    assert repository.entries(BEA) == []
    repository.forget(ANA, EntryKind.PRODUCT, "000")
    assert (EntryKind.PRODUCT, "000") not in {(entry.kind, entry.key) for entry in repository.entries(ANA)}
