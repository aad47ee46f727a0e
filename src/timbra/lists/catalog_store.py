"""Rows of the editions of catalogs, and of when each was put in force."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import select

from timbra.database.database import Database
from timbra.database.tables.operations import CATALOG_EDITION, CATALOG_USE
from timbra.database.transaction import Transaction

RELEASED = ""
"""The name of the catalogs of the release."""
COLUMNS = CATALOG_EDITION.c


@dataclass(frozen=True, slots=True)
class StoredEdition:
    """An edition without its content.

    Attributes:
        name: such as `2026-12-01-0123456789ab`.
        file_name: the names of the files that it was made of.
        digest: their SHA-256, in hexadecimal.
        summary: see `timbra.lists.catalog_editions.summary_of`.
    """

    name: str
    published: date
    installed_at: datetime
    file_name: str
    digest: str
    summary: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class CatalogUse:
    """An edition that was put in force: number of the row, 0 before the first one, and since when."""

    number: int
    name: str
    since: datetime | None


NEVER = CatalogUse(0, RELEASED, None)


class CatalogEditionRepository:
    """Rows of `catalog_edition` and `catalog_use`."""

    def in_force(self, transaction: Transaction) -> CatalogUse:
        """Return the edition in force; `NEVER` when none was ever put in force."""
        query = select(CATALOG_USE).order_by(CATALOG_USE.c.id.desc()).limit(1)
        row = transaction.execute(query).first()
        return NEVER if row is None else CatalogUse(row.id, row.name, row.since)

    def content(self, transaction: Transaction, name: str) -> bytes | None:
        """Return the content of an edition; None for an unknown one."""
        return transaction.execute(select(COLUMNS.content).where(COLUMNS.name == name)).scalar_one_or_none()

    def all(self, transaction: Transaction) -> Sequence[StoredEdition]:
        """Return the editions, the oldest first."""
        query = select(*(column for column in COLUMNS if column is not COLUMNS.content)).order_by(COLUMNS.installed_at)
        return [
            StoredEdition(
                row.name, date.fromisoformat(row.published), row.installed_at, row.file_name, row.digest, row.summary
            )
            for row in transaction.execute(query)
        ]

    def put(self, database: Database, transaction: Transaction, edition: StoredEdition, content: bytes) -> None:
        """Store an edition, unless it is stored already."""
        statement = database.insert(CATALOG_EDITION).values(
            name=edition.name,
            published=edition.published.isoformat(),
            installed_at=edition.installed_at,
            file_name=edition.file_name,
            digest=edition.digest,
            summary=edition.summary,
            content=content,
        )
        transaction.execute(statement.on_conflict_do_nothing())

    def use(self, transaction: Transaction, name: str, at: datetime) -> None:
        """Put an edition in force."""
        transaction.execute(CATALOG_USE.insert().values(name=name, since=at))
