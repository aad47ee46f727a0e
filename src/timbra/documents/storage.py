"""Stored stamps by folio fiscal. A stamp of another account raises the same error as an unknown folio."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from lxml import etree

from timbra.cfdi.document import DocumentParser
from timbra.core.caller import Caller
from timbra.core.errors import ServiceError
from timbra.documents.ports import CancellationAcuses
from timbra.stamping.stored_document import read_stored
from timbra.stamps.port import StampRecord

_FOLIO = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class StampReader(Protocol):
    """Reads stored stamps."""

    def by_uuid(self, uuid: str) -> StampRecord | None:
        """Return the stamp of a folio, None when it is unknown."""


class AccountIdentifiers(Protocol):
    """Maps account ids to the GUIDs of the wire."""

    def guids(self, numbers: Sequence[int]) -> Mapping[int, str]:
        """Return the GUID of each account id."""


@dataclass(frozen=True, slots=True)
class StoredInvoice:
    """A stamp with its document.

    Attributes:
        root: root of the parsed document.
        user: GUID of its account.
        cancellation: acuse of the cancellation that the authority accepted, None without one.
    """

    record: StampRecord = field(repr=False)
    root: etree._Element
    user: str
    cancellation: bytes | None = field(repr=False)


class StoredCfdiService:
    """Reads stored stamps from the database; do not call it on the event loop.

    Args:
        stamps: the stamps.
        parser: not shared with the event loop.
        users: GUIDs of accounts.
        acuses: acuses of cancellations.
    """

    def __init__(
        self, stamps: StampReader, parser: DocumentParser, users: AccountIdentifiers, acuses: CancellationAcuses
    ) -> None:
        self._stamps = stamps
        self._parser = parser
        self._users = users
        self._acuses = acuses

    def read(self, caller: Caller, uuid: str) -> StoredInvoice:
        """Return the caller's stamp with its document. Raises ServiceError: as `own` and `parse`."""
        record = self.own(caller, uuid)
        user = self._users.guids([record.account_id]).get(record.account_id, "")
        return StoredInvoice(record, self.parse(record), user, self.cancellation(record))

    def own(self, caller: Caller, uuid: str) -> StampRecord:
        """Return the caller's stamp.

        Args:
            uuid: folio in any letter case.

        Raises:
            ServiceError: "storage-unknown" for an unknown folio or a stamp of another account.
        """
        record = self.of_any_account(uuid)
        if record.account_id != caller.account_id:
            raise ServiceError("storage-unknown")
        return record

    def of_any_account(self, uuid: str) -> StampRecord:
        """Return the stamp of any account, without authorization: the caller of this method must have checked it.

        Raises:
            ServiceError: "storage-unknown" for an unknown folio.
        """
        record = self._stamps.by_uuid(uuid) if _FOLIO.fullmatch(uuid) else None
        if record is None:
            raise ServiceError("storage-unknown")
        return record

    def cancellation(self, record: StampRecord) -> bytes | None:
        """Return the acuse of the cancellation, None without one."""
        return self._acuses.of_cancellation(record.uuid, record.issuer_rfc)

    def parse(self, record: StampRecord) -> etree._Element:
        """Return the root of a stored document. ServiceError as `read_stored`."""
        return read_stored(record, self._parser).root
