"""Drafts of invoices, and the customers, products and issuers that stamped invoices had."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import orjson
from sqlalchemy import and_, delete, func, select, update

from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.invoices.tables import INVOICE_DRAFT, INVOICE_ENTRY

MAX_DRAFTS = 100
MAX_DRAFT_BYTES = 256 * 1024
MAX_ENTRIES = 500
"""Entries of each kind that an account has; the ones used longest ago are deleted."""
MAX_NUMBER = 2**62
DRAFT, ENTRY = INVOICE_DRAFT.c, INVOICE_ENTRY.c
Content = dict[str, object]


class EntryKind(StrEnum):
    """What is remembered."""

    CUSTOMER = "customer"
    PRODUCT = "product"
    ISSUER = "issuer"


@dataclass(frozen=True, slots=True)
class StoredDraft:
    """A draft.

    Attributes:
        changed_at: wall instant.
        label: the receiver.
        total: Total with its currency; empty without one.
    """

    number: int
    changed_at: datetime
    label: str
    total: str


@dataclass(frozen=True, slots=True)
class InvoiceEntry:
    """A customer, product or issuer. `fields`: texts by the names of the form's fields."""

    kind: EntryKind
    key: str
    fields: Mapping[str, str]


class InvoiceRepository:
    """Rows of `invoice_draft` and `invoice_entry`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save_draft(
        self, account_id: int, number: int | None, label: str, total: str, content: Content, at: datetime
    ) -> int:
        """Store a draft; return its number.

        Args:
            number: the draft that it replaces; None, or a deleted one, for a new one.
            label, total: as in `StoredDraft`.
            at: wall instant.

        Raises:
            ServiceError: "TB4005" when the account has no place for another draft, or the draft is too large.
        """
        if len(orjson.dumps(content)) > MAX_DRAFT_BYTES:
            detail = f"Un borrador ocupa a lo más {MAX_DRAFT_BYTES // 1024} KiB; guarde el documento como XML."
            raise ServiceError("TB4005", detail)
        values = {"label": label, "total": total, "content": content, "changed_at": at}
        with self._database.write() as connection:
            if number is not None:
                own = and_(DRAFT.account_id == account_id, DRAFT.id == number)
                if connection.execute(update(INVOICE_DRAFT).where(own).values(values)).rowcount:
                    return number
            kept = select(func.count()).select_from(INVOICE_DRAFT).where(DRAFT.account_id == account_id)
            if connection.execute(kept).scalar_one() >= MAX_DRAFTS:
                raise ServiceError("TB4005", f"La cuenta guarda a lo más {MAX_DRAFTS} borradores; elimine alguno.")
            insert = INVOICE_DRAFT.insert().values(**values, account_id=account_id).returning(DRAFT.id)
            made: int = connection.execute(insert).scalar_one()
        return made

    def drafts(self, account_id: int) -> list[StoredDraft]:
        """Return the drafts of an account, the last changed first."""
        query = select(DRAFT.id, DRAFT.changed_at, DRAFT.label, DRAFT.total).where(DRAFT.account_id == account_id)
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(DRAFT.changed_at.desc(), DRAFT.id.desc()))
            return [StoredDraft(*row) for row in rows]

    def draft(self, account_id: int, number: int) -> Content | None:
        """Return the content of a draft; None when the account has no such draft."""
        query = select(DRAFT.content).where(DRAFT.account_id == account_id, DRAFT.id == number)
        with self._database.read() as connection:
            found: Content | None = connection.execute(query).scalar_one_or_none()
        return found

    def delete_draft(self, account_id: int, number: int) -> None:
        """Delete a draft, if the account has it."""
        with self._database.write() as connection:
            connection.execute(delete(INVOICE_DRAFT).where(DRAFT.account_id == account_id, DRAFT.id == number))

    def remember(self, account_id: int, entries: list[InvoiceEntry], at: datetime) -> None:
        """Store entries; each replaces an earlier one of its key. `at`: wall instant."""
        with self._database.write() as connection:
            for entry in entries:
                values = {"used_at": at, "content": dict(entry.fields)}
                statement = self._database.insert(INVOICE_ENTRY).values(
                    account_id=account_id, kind=entry.kind.value, key=entry.key, **values
                )
                keys = [ENTRY.account_id, ENTRY.kind, ENTRY.key]
                connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=values))
            for kind in {entry.kind for entry in entries}:
                own = and_(ENTRY.account_id == account_id, ENTRY.kind == kind.value)
                newest = select(ENTRY.key).where(own).order_by(ENTRY.used_at.desc(), ENTRY.key).limit(MAX_ENTRIES)
                connection.execute(delete(INVOICE_ENTRY).where(own, ENTRY.key.not_in(newest)))

    def entries(self, account_id: int) -> list[InvoiceEntry]:
        """Return what an account has used, the last used first."""
        query = select(ENTRY.kind, ENTRY.key, ENTRY.content).where(ENTRY.account_id == account_id)
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(ENTRY.used_at.desc(), ENTRY.key))
            return [InvoiceEntry(EntryKind(kind), key, content) for kind, key, content in rows]

    def forget(self, account_id: int, kind: EntryKind, key: str) -> None:
        """Delete an entry, if the account has it."""
        own = and_(ENTRY.account_id == account_id, ENTRY.kind == kind.value, ENTRY.key == key)
        with self._database.write() as connection:
            connection.execute(delete(INVOICE_ENTRY).where(own))
