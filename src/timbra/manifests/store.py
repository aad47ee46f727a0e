"""The manifests by which issuers authorise the delivery of their CFDI to the SAT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, select

from timbra.database.database import Database
from timbra.database.tables.operations import MANIFEST


@dataclass(frozen=True, slots=True)
class Manifest:
    """A signed manifest.

    Attributes:
        signed_at: When the issuer signed it.
        registered_at: Wall instant of the registration.
        digest: SHA-256 of the document in hexadecimal.
    """

    issuer_rfc: str
    signed_at: datetime
    registered_at: datetime
    file_name: str
    digest: str


class ManifestRepository:
    """Rows of `manifest`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, manifest: Manifest, document: bytes) -> None:
        """Store the manifest of an issuer; it replaces an earlier one."""
        values = {
            "signed_at": manifest.signed_at,
            "registered_at": manifest.registered_at,
            "file_name": manifest.file_name,
            "digest": manifest.digest,
            "document": document,
        }
        statement = self._database.insert(MANIFEST).values(issuer_rfc=manifest.issuer_rfc, **values)
        statement = statement.on_conflict_do_update(index_elements=[MANIFEST.c.issuer_rfc], set_=values)
        with self._database.write() as connection:
            connection.execute(statement)

    def remove(self, issuer_rfc: str) -> bool:
        """Delete the manifest of an issuer; return whether there was one."""
        with self._database.write() as connection:
            found = connection.execute(delete(MANIFEST).where(MANIFEST.c.issuer_rfc == issuer_rfc))
            return bool(found.rowcount)

    def has(self, issuer_rfc: str) -> bool:
        query = select(MANIFEST.c.issuer_rfc).where(MANIFEST.c.issuer_rfc == issuer_rfc)
        with self._database.read() as connection:
            return connection.execute(query).first() is not None

    def all(self) -> Sequence[Manifest]:
        """Return all manifests, by RFC, without their documents."""
        column = MANIFEST.c
        query = select(
            column.issuer_rfc, column.signed_at, column.registered_at, column.file_name, column.digest
        ).order_by(column.issuer_rfc)
        with self._database.read() as connection:
            return [Manifest(*row) for row in connection.execute(query)]

    def document(self, issuer_rfc: str) -> bytes | None:
        """Return the signed document; None without one."""
        query = select(MANIFEST.c.document).where(MANIFEST.c.issuer_rfc == issuer_rfc)
        with self._database.read() as connection:
            return connection.execute(query).scalar_one_or_none()
