"""Stored stamps by folio: an account finds its own, and nothing tells it that others exist."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from lxml import etree

from timbra.accounts.caller import Caller
from timbra.cfdi.document import DocumentParser
from timbra.errors import ServiceError
from timbra.store.port import StampRecord

_FOLIO = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class Stamps(Protocol):
    """Where stamps are kept."""

    def by_uuid(self, uuid: str) -> StampRecord | None: ...


class Identifiers(Protocol):
    """Who knows how accounts are called on the wire."""

    def guids(self, numbers: Sequence[int]) -> Mapping[int, str]: ...


class Acuses(Protocol):
    """Who has the authority's acuses."""

    def of_cancellation(self, uuid: str, issuer_rfc: str) -> bytes | None: ...


@dataclass(frozen=True, slots=True)
class StoredInvoice:
    """A stamp with its document. user: identifier of its account on the wire.

    cancellation: the acuse of the request of cancellation that the authority took, None without one.
    """

    record: StampRecord = field(repr=False)
    root: etree._Element
    user: str
    cancellation: bytes | None = field(repr=False)


class Storage:
    """Reads the database: not on the event loop. parser: for threads other than the event loop's."""

    def __init__(self, stamps: Stamps, parser: DocumentParser, users: Identifiers, acuses: Acuses) -> None:
        self._stamps = stamps
        self._parser = parser
        self._users = users
        self._acuses = acuses

    def read(self, caller: Caller, uuid: str) -> StoredInvoice:
        """The caller's own stamp of a folio, opened. ServiceError("storage-unknown") for another account's too."""
        record = self.own(caller, uuid)
        user = self._users.guids([record.account_id]).get(record.account_id, "")
        return StoredInvoice(record, self.opened(record), user, self.cancellation(record))

    def own(self, caller: Caller, uuid: str) -> StampRecord:
        """The stamp of a folio, in any letter case. ServiceError("storage-unknown") for another account's too."""
        record = self.any(uuid)
        if record.account_id != caller.account_id:
            raise ServiceError("storage-unknown")
        return record

    def any(self, uuid: str) -> StampRecord:
        """The stamp of a folio, whoever's: for callers that proved their right otherwise."""
        record = self._stamps.by_uuid(uuid) if _FOLIO.fullmatch(uuid) else None
        if record is None:
            raise ServiceError("storage-unknown")
        return record

    def cancellation(self, record: StampRecord) -> bytes | None:
        """The acuse of its cancellation, None without one."""
        return self._acuses.of_cancellation(record.uuid, record.issuer_rfc)

    def opened(self, record: StampRecord) -> etree._Element:
        """The root of a stored document; ServiceError("301") when it is too large to be opened among others."""
        return self._parser.parse(record.cfdi).root
