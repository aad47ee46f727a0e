"""What this server knows of CFDI that others relate to: those that it stamped itself."""

from __future__ import annotations

from timbra.store.port import StampStore


class StampedDocuments:
    """Related documents as rules ask for them; looked up only when a document relates to another."""

    def __init__(self, stamps: StampStore) -> None:
        self._stamps = stamps

    def type_of(self, folio: str) -> str | None:
        """TipoDeComprobante of a stamped CFDI by its UUID, None when it was not stamped here."""
        record = self._stamps.by_uuid(folio)
        return None if record is None else record.kind
