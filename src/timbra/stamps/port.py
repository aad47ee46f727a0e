"""The port of stamps. Its implementation is `repository.DatabaseStamps` (SQLite, PostgreSQL)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from timbra.core.errors import ServiceError

RETENCION = "R"
"""`kind` of a CFDI de retenciones e información de pagos."""
CLOCK_LIMIT = timedelta(minutes=5)
"""How far the clock of a node that stamps may be from that of PostgreSQL, not in a sandbox: the SAT's tolerance."""


@dataclass(frozen=True, slots=True)
class StampRecord:
    """A stored stamp.

    Attributes:
        seal_hash: SHA-256 (32 bytes) of the decoded issuer's seal, the only global uniqueness key.
        uuid: The folio, in lower case.
        stamped_at: Fiscal instant (UTC) of FechaTimbrado.
        version: The version of the document.
        kind: TipoDeComprobante of a CFDI; `RETENCION`.
        fecha: Fecha or FechaExp, local time without a zone, as written.
        total: Total or MontoTotOperacion, as written.
        issuer_certificate: The number of the issuer's CSD, 20 digits.
        provider_certificate: The number of the provider's certificate, 20 digits.
        rule_set: The version of the rules that checked the document.
        data_version: The version of the data snapshot.
        lists_version: The version of the taxpayer lists.
        cfdi: The whole stamped XML in UTF-8, decompressed.
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

    @property
    def is_retencion(self) -> bool:
        """Whether this is the stamp of a CFDI de retenciones e información de pagos."""
        return self.kind == RETENCION


@dataclass(frozen=True, slots=True)
class DamagedStamp:
    """A stored stamp whose document cannot be decompressed, or cannot be read from its archive now.

    Attributes:
        record: Its columns, with an empty document.
        error: "document-damaged"; "archive-storage" with retry_after.
    """

    record: StampRecord
    error: ServiceError


@dataclass(frozen=True, slots=True)
class StampHeader:
    """A few values of a stored stamp, see `StampRecord`, that are read without the document."""

    uuid: str
    kind: str
    issuer_rfc: str
    fecha: str
    stamped_at: datetime


@dataclass(frozen=True, slots=True)
class Claim:
    """A complete stamp to store as the stamp of its seal.

    Attributes:
        custom_id: The idempotency key of a commercial operation; None without one.
        limited: Whether one stamp is subtracted from the balance of the account; otherwise no balance is read.
        mail_to: Distinct addresses to which the stamped document is mailed.
        confirmation: The key of confirmation, issued to the issuer of the document, that the stamp uses up; None
            without one.
    """

    record: StampRecord
    custom_id: str | None = None
    limited: bool = False
    mail_to: tuple[str, ...] = ()
    confirmation: str | None = None


@dataclass(frozen=True, slots=True)
class Stored:
    """The claim is committed, with its event."""

    record: StampRecord


@dataclass(frozen=True, slots=True)
class AlreadyStamped:
    """The seal was stamped before, by any account; `record` is that stamp."""

    record: StampRecord


@dataclass(frozen=True, slots=True)
class CustomIdTaken:
    """The account used this customid for other content less than 72 fiscal hours ago; `record` is that stamp."""

    record: StampRecord


@dataclass(frozen=True, slots=True)
class ConfirmationUsed:
    """Another stamp has used the key of confirmation of the claim, or the key is no longer registered."""

    key: str


@dataclass(frozen=True, slots=True)
class BalanceExhausted:
    """The balance of the claim's account has no stamp left."""


Outcome = Stored | AlreadyStamped | CustomIdTaken | ConfirmationUsed | BalanceExhausted


@dataclass(frozen=True, slots=True)
class StampPage:
    """One page of a list, newest first.

    Attributes:
        stamps: The stamps in their order.
        cursor: The cursor of the next page; None at the end.
    """

    stamps: Sequence[StampRecord | DamagedStamp]
    cursor: str | None

    @property
    def records(self) -> list[StampRecord]:
        """The stamps whose documents can be read."""
        return [one for one in self.stamps if isinstance(one, StampRecord)]

    @property
    def damaged(self) -> list[DamagedStamp]:
        """The other stamps of the page."""
        return [one for one in self.stamps if isinstance(one, DamagedStamp)]


class StampStore(Protocol):
    """The stored stamps. Every method raises ServiceError("CO1000") with retry_after when the database is out of reach.

    A stored document that cannot be decompressed is ServiceError("document-damaged") without retry_after, and a
    `DamagedStamp` among several stamps. One in an archive that cannot be read now is ServiceError("archive-storage")
    with retry_after.
    """

    def claim(self, claims: Sequence[Claim]) -> list[Outcome]:
        """Resolve all claims in one durable transaction, in order; the caller responds only after it returns.

        Within the batch too, the first of two equal seals wins. A rejected claim writes and reserves nothing. The
        number of stored claims of a limited account is subtracted from its balance, which is never negative.

        Returns:
            One outcome per claim.
        """
        ...

    def preview(self, claim: Claim) -> Outcome:
        """Return the outcome that `claim` would have now, and store nothing."""
        ...

    def by_seal(self, seal_hash: bytes) -> StampRecord | None:
        """Return the stamp of a seal, of any account."""
        ...

    def by_uuid(self, uuid: str) -> StampRecord | None:
        """Return the stamp of a folio, in any letter case."""
        ...

    def by_uuids(self, uuids: Sequence[str]) -> list[StampRecord | DamagedStamp]:
        """Return the stamps of these folios, each once and in no order; folios without a stamp are left out."""
        ...

    def page(self, account_id: int | None, *, cursor: str | None = None, limit: int = 50) -> StampPage:
        """Return stamps of an account, or of all for None, newest first."""
        ...
