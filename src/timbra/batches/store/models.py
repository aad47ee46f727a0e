"""Batches and the outcomes of their documents, as the database stores them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

QUEUED: Final = "queued"
RUNNING: Final = "running"
DONE: Final = "done"
FAILED: Final = "failed"
EXPIRED: Final = "expired"
CANCELLED: Final = "cancelled"
STATES: Final = (QUEUED, RUNNING, DONE, FAILED, EXPIRED, CANCELLED)

STAMPED: Final = "stamped"
REPEATED: Final = "repeated"
REJECTED: Final = "rejected"

INPUT: Final = "input"
OUTPUT: Final = "output"


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch.

    Attributes:
        operation: `stamp` for sealed documents, `issue` for documents that the server seals.
        digest: SHA-256 of the archive in hexadecimal.
        pdf: Whether the result has a PDF of each stamp.
        base_url: Of the request, for the addresses of the results.
        files: Documents of the archive.
        stamped, repeated, rejected: Documents with this outcome until now.
        failure: Why the batch failed; empty otherwise.
        expires_at: End of the results; None before the batch ended.
        due_at: End of the lease of the worker that processes it; None when nothing is left to do.
        attempts: Number of leases: the fencing token of the current one.
        pdf_template: Of the PDF files; empty for that of the account.
    """

    id: str
    account_id: int
    state: str
    operation: str
    file_name: str
    digest: str
    pdf: bool
    base_url: str
    files: int
    stamped: int
    repeated: int
    rejected: int
    failure: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    expires_at: datetime | None
    due_at: datetime | None
    attempts: int
    pdf_template: str = ""

    @property
    def processed(self) -> int:
        """Documents with an outcome."""
        return self.stamped + self.repeated + self.rejected


@dataclass(frozen=True, slots=True)
class BatchItem:
    """The outcome of one document.

    Attributes:
        number: Its position in the archive, from 0.
        result: `STAMPED`; `REPEATED` for a document that was stamped before, whose stamp is part of the result;
            `REJECTED`.
        stamped_at: FechaTimbrado; empty for a rejected document.
        code, message, detail: Of a rejected or repeated document, as the answer of a single stamp.
    """

    number: int
    name: str
    result: str
    uuid: str = ""
    stamped_at: str = ""
    code: str = ""
    message: str = ""
    detail: str = ""
