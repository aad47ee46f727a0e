"""What the service asks of persistence, in a few verbs. Implementations: `store.stamps` (SQLite, PostgreSQL)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class StampRecord:
    """A stamp as it is kept.

    seal_hash: SHA-256 (32 bytes) of the decoded issuer's seal, the only global uniqueness key.
    uuid: the folio, lower case. stamped_at: fiscal instant (UTC) of FechaTimbrado.
    fecha: the document's own local Fecha, as written. total: as written.
    cfdi: the whole stamped XML, UTF-8; compressed by the store, plain here.
    issuer_certificate, provider_certificate: certificate numbers of 20 digits.
    """

    seal_hash: bytes
    uuid: str
    account_id: int
    environment: str
    request_id: str
    stamped_at: datetime
    version: str
    kind: str
    serie: str
    folio: str
    fecha: str
    issuer_rfc: str
    receiver_rfc: str
    total: str
    issuer_certificate: str
    provider_certificate: str
    rule_set: str
    data_version: str
    lists_version: str
    cfdi: bytes


@dataclass(frozen=True, slots=True)
class Claim:
    """A finished stamp that asks to become the stamp of its seal; custom_id guards a commercial operation.

    limited: it takes one from the balance of its account; otherwise no balance is looked at.
    mail_to: distinct addresses that the stamped document is to be mailed to.
    """

    record: StampRecord
    custom_id: str | None = None
    limited: bool = False
    mail_to: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stored:
    """The claim won: it is committed, with its event, its outbox row and its letters."""

    record: StampRecord


@dataclass(frozen=True, slots=True)
class Repeated:
    """The seal was stamped before; `record` is the winner's, from whichever account."""

    record: StampRecord


@dataclass(frozen=True, slots=True)
class CustomIdTaken:
    """The account used this customid for other content less than 72 fiscal hours ago; `record` is that stamp."""

    record: StampRecord


@dataclass(frozen=True, slots=True)
class Exhausted:
    """The balance of the claim's account had nothing left for it."""


Outcome = Stored | Repeated | CustomIdTaken | Exhausted


@dataclass(frozen=True, slots=True)
class StampPage:
    """One page of a listing, newest first; `cursor` asks for the next, None at the end."""

    records: Sequence[StampRecord]
    cursor: str | None


class StampStore(Protocol):
    """Stamps. Every method raises ServiceError("CO1000") with retry_after when the database is out of reach."""

    def claim(self, claims: Sequence[Claim]) -> list[Outcome]:
        """Decide all claims in one durable transaction, in order; an answer may leave only after this returns.

        Within the batch too, the first of two equal seals wins. A refused claim leaves no trace and reserves nothing.
        Exactly the stored ones of limited accounts are taken from their balances, which never go below zero.
        """
        ...

    def by_seal(self, seal_hash: bytes) -> StampRecord | None: ...

    def by_uuid(self, uuid: str) -> StampRecord | None: ...

    def by_uuids(self, uuids: Sequence[str]) -> list[StampRecord]:
        """The stamps of these folios, each once and in no order; a folio without a stamp has none here."""
        ...

    def page(self, account_id: int | None, *, cursor: str | None = None, limit: int = 50) -> StampPage: ...
