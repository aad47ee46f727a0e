"""What this server knows of CFDI that others relate to."""

from __future__ import annotations

from typing import Protocol

from timbra.store.port import StampStore


class FiledDocuments(Protocol):
    """An authority that tells what it has on file."""

    def type_of(self, folio: str) -> str | None: ...


class KnownDocuments:
    """Those that were stamped here, and those that the authority knows; asked only when a document relates to one."""

    def __init__(self, stamps: StampStore, filed: FiledDocuments | None) -> None:
        self._stamps = stamps
        self._filed = filed

    def type_of(self, folio: str) -> str | None:
        """TipoDeComprobante of a CFDI by its UUID, None when nobody here knows it."""
        record = self._stamps.by_uuid(folio)
        if record is not None:
            return record.kind
        return self._filed.type_of(folio) if self._filed is not None else None
