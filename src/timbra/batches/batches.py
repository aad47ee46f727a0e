"""Batches of an account: receiving, state, cancellation, and their results."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from timbra.batches.archive import BatchArchive, BatchLimits, pieces_of
from timbra.batches.results import ERRORS_FILE, OUTPUT_FILE, REPORT_FILE, addresses, error_report, report
from timbra.batches.store.models import DONE, OUTPUT, QUEUED, Batch
from timbra.batches.store.repository import BatchRepository
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.core.text import storable
from timbra.documents.signed_links import SignedLinks
from timbra.rendering.branding import requested_template
from timbra.stamping.models import StampingOperation

MAX_FILE_NAME = 200
MAX_PAGE = 200
OPERATIONS = tuple(operation.value for operation in StampingOperation)


class BatchService:
    """Receives batches, and tells about them; do not call it on the event loop, except `open_spool`.

    Args:
        repository: the batches.
        limits: limits of one batch.
        max_queued: limit of unfinished batches of an account.
        links: signs the addresses of results.
        folder: for archives while they are received.
        wall: wall time.
    """

    def __init__(
        self,
        repository: BatchRepository,
        limits: BatchLimits,
        max_queued: int,
        links: SignedLinks,
        folder: Path,
        wall: Clock,
    ) -> None:
        self.limits = limits
        self._repository = repository
        self._max_queued = max_queued
        self._links = links
        self._folder = folder
        self._wall = wall

    @contextmanager
    def open_spool(self) -> Iterator[IO[bytes]]:
        """Open a temporary file for an archive; it is deleted at the end of the block."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=self._folder, suffix=".part") as file:
            yield file

    def submit(
        self,
        account_id: int,
        archive: IO[bytes],
        file_name: str,
        operation: str,
        base_url: str,
        *,
        pdf: bool,
        pdf_template: str = "",
    ) -> Batch:
        """Check an archive and queue it; the same archive in an unfinished batch of the account is that batch.

        Args:
            archive: the ZIP.
            file_name: its name, for the account.
            operation: `stamp` or `issue`.
            pdf: whether the result has PDF.
            pdf_template: template of the PDF files; empty for that of the account.

        Raises:
            ServiceError: "TB4030" for an archive that is not accepted; then nothing is stamped. "TB4005" for another
                operation or an unknown template.
        """
        if operation not in OPERATIONS:
            raise ServiceError("TB4005", f"El campo operation debe ser {' o '.join(OPERATIONS)}.")
        template = requested_template(pdf_template) or ""
        opened = BatchArchive(archive, self.limits)
        opened.check()
        digest = sha256()
        for piece in pieces_of(archive):
            digest.update(piece)
        now = self._wall.now()
        batch = Batch(
            id=f"batch_{secrets.token_hex(16)}",
            account_id=account_id,
            state=QUEUED,
            operation=operation,
            file_name=storable(file_name, MAX_FILE_NAME),
            digest=digest.hexdigest(),
            pdf=pdf,
            base_url=base_url,
            files=len(opened.documents),
            stamped=0,
            repeated=0,
            rejected=0,
            failure="",
            created_at=now,
            started_at=None,
            finished_at=None,
            expires_at=None,
            due_at=now,
            attempts=0,
            pdf_template=template,
        )
        return self._repository.add(batch, pieces_of(archive), self._max_queued)

    def list(self, account_id: int, limit: int = 50) -> Sequence[Batch]:
        """Return the newest batches of an account."""
        return self._repository.list_of(account_id, min(max(limit, 1), MAX_PAGE))

    def find(self, account_id: int, batch_id: str) -> Batch:
        """Return a batch; ServiceError "TB4041" for one that the account does not have."""
        return self._repository.find(batch_id, account_id)

    def cancel(self, account_id: int, batch_id: str) -> Batch:
        """Cancel a queued batch.

        Raises:
            ServiceError: "TB4041" for an unknown batch, "TB4031" for one that is not queued any more.
        """
        return self._repository.cancel(batch_id, account_id)

    def addresses(self, batch: Batch) -> dict[str, str]:
        """Return the addresses of the results, see `results.addresses`."""
        return addresses(batch, self._links)

    def open_result(self, batch_id: str, name: str, expires: str, signature: str) -> Iterator[bytes]:
        """Return a result in pieces; the signature of the address authorizes it.

        Raises:
            ServiceError: "TB4041" for an address that is not signed or has expired, and for a result that is gone.
        """
        self._links.check(f"/batches/{batch_id}/{name}", expires, signature)
        batch = self._repository.find(batch_id)
        ended = batch.expires_at is None or batch.expires_at <= self._wall.now()
        if batch.state != DONE or ended or name not in (OUTPUT_FILE, REPORT_FILE, ERRORS_FILE):
            raise ServiceError("TB4041", "El resultado ya no está disponible.")
        if name == OUTPUT_FILE:
            return self._output(batch_id)
        items = self._repository.all_items(batch_id)
        return report(items) if name == REPORT_FILE else error_report(items)

    def expire(self) -> int:
        """Delete the results whose time has ended, and parts of uploads that a killed process left."""
        old = self._wall.now() - timedelta(days=1)
        for part in self._folder.glob("*.part") if self._folder.is_dir() else ():
            if part.stat().st_mtime < old.timestamp():
                part.unlink(missing_ok=True)
        return self._repository.expire()

    def _output(self, batch_id: str) -> Iterator[bytes]:
        number = 0
        while (piece := self._repository.chunk(batch_id, OUTPUT, number)) is not None:
            yield piece
            number += 1
