"""Processes batches: each document by the same path as a single stamp, with outcomes that survive a killed process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO
from zipfile import ZipInfo

import structlog

from timbra.batches.archive import BatchArchive, BatchLimits, pieces_of
from timbra.batches.results import addresses, write_output
from timbra.batches.store.models import (
    DONE,
    FAILED,
    INPUT,
    OUTPUT,
    REJECTED,
    REPEATED,
    STAMPED,
    Batch,
    BatchItem,
)
from timbra.batches.store.repository import BatchRepository, LeaseLostError
from timbra.cfdi.header_reader import has_root_of_retenciones
from timbra.core.bounds import Bound, BoundKind
from timbra.core.caller import Caller
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.core.metrics import MetricsRegistry
from timbra.database.batches import is_transient
from timbra.documents.signed_links import SignedLinks
from timbra.events.event_log import Event
from timbra.messages.codes import public_code
from timbra.pools import RunInThread
from timbra.rejections.log import RejectedRequest, RejectionLog
from timbra.stamping.models import (
    CustomIdConflict,
    DocumentKind,
    StampingOperation,
    StampRequest,
    StampResult,
    content_custom_id,
)
from timbra.stamping.stamping import StampingService
from timbra.stamps.port import DamagedStamp, StampRecord
from timbra.web.public_errors import document_error, texts_of, to_coded_error, to_public_error

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.batches")

GROUP = 16
"""Documents whose outcomes are stored together; a killed process repeats at most these."""
MAX_ATTEMPTS = 10
"""Leases that ended without a result, before the batch fails: its documents may be what ends the process."""
RETRY = timedelta(minutes=1)
ENDED = "batch.done"
"""In the event log, for a batch that failed too."""
ALREADY_STAMPED = frozenset({"307", "T307"})


class BatchRunner:
    """Processes the batches that are due, one at a time; runs on the event loop of a worker.

    Args:
        repository: the batches.
        stamping: stamps single documents.
        limits: limits of one batch.
        concurrency: documents at a time.
        caller: returns an account as a caller; raises AU2002 for a closed one.
        records: returns the stamps of folios.
        pdf: prints a stamp with a template, empty for that of the account; None when it cannot be printed.
        links: signs the addresses of results.
        rejections: the rejection log of the accounts.
        run_in_thread: runs look-ups of stamping.
        folder: for archives while they are processed.
        result_term: life of the results.
        wall: wall time.
        fiscal: fiscal time.
        metrics: counts the documents at which the program failed.
    """

    def __init__(
        self,
        repository: BatchRepository,
        stamping: StampingService,
        limits: BatchLimits,
        concurrency: int,
        caller: Callable[[int], Caller],
        records: Callable[[Sequence[str]], Sequence[StampRecord | DamagedStamp]],
        pdf: Callable[[StampRecord, str], bytes | None],
        links: SignedLinks,
        rejections: RejectionLog,
        run_in_thread: Callable[[int], RunInThread],
        folder: Path,
        result_term: timedelta,
        wall: Clock,
        fiscal: Clock,
        metrics: MetricsRegistry,
    ) -> None:
        self._repository = repository
        self._stamping = stamping
        self._limits = limits
        self._concurrency = concurrency
        self._caller = caller
        self._records = records
        self._pdf = pdf
        self._links = links
        self._rejections = rejections
        self._run_in_thread = run_in_thread
        self._folder = folder
        self._result_term = result_term
        self._wall = wall
        self._fiscal = fiscal
        self._metrics = metrics

    async def run_due(self) -> None:
        """Process batches until none is due."""
        while (batch := await asyncio.to_thread(self._repository.lease)) is not None:
            await self._run(batch)

    async def _run(self, batch: Batch) -> None:
        bound = log.bind(batch=batch.id, attempt=batch.attempts)
        try:
            if batch.attempts > MAX_ATTEMPTS:
                await self._finish(batch, "El servidor se detuvo varias veces mientras procesaba el lote.")
                return
            with self._spool() as archive:
                await self._process(batch, archive)
        except LeaseLostError:
            bound.warning("batch lost to another worker")
        except asyncio.CancelledError:
            # The worker stops: another one goes on at once.
            await asyncio.to_thread(self._repository.give_back, batch, self._wall.now())
            raise
        except ServiceError as error:
            if is_transient(error):
                bound.warning("batch interrupted", code=error.code, detail=error.detail)
                await asyncio.to_thread(self._repository.give_back, batch, self._wall.now() + RETRY)
                return
            bound.error("batch failed", code=error.code, detail=error.detail)
            await self._fail(batch, error)
        except (OSError, MemoryError):
            # Not given back: the lease ends by itself, and the attempt counts.
            bound.exception("batch interrupted")
        except Exception as error:
            await self._fail(batch, error)

    async def _fail(self, batch: Batch, error: Exception) -> None:
        message, detail = texts_of(to_coded_error(document_error(error, f"batch {batch.id}", self._metrics)))
        await self._finish(batch, " ".join(filter(None, (message, detail))))

    async def _process(self, batch: Batch, file: IO[bytes]) -> None:
        caller = await asyncio.to_thread(self._caller, batch.account_id)
        archive = await asyncio.to_thread(self._open, batch, file)
        known = await asyncio.to_thread(self._repository.numbers, batch.id)
        waiting = [(number, member) for number, member in enumerate(archive.documents) if number not in known]
        slots, reading = asyncio.Semaphore(self._concurrency), asyncio.Lock()

        async def read(member: ZipInfo) -> bytes:
            async with reading:
                return await asyncio.to_thread(archive.read, member)

        async def stamp(number: int, member: ZipInfo) -> BatchItem:
            async with slots:
                return await self._stamp(batch, caller, number, member.filename, lambda: read(member))

        for start in range(0, len(waiting), GROUP):
            tasks = [asyncio.create_task(stamp(*each)) for each in waiting[start : start + GROUP]]
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
            items = [outcome for outcome in outcomes if isinstance(outcome, BatchItem)]
            await asyncio.to_thread(self._repository.save_items, batch, items)
            for outcome in outcomes:
                if isinstance(outcome, BaseException):
                    raise outcome
        for item, error in await asyncio.to_thread(self._write_output, batch):
            document_error(error, f"{batch.id}-{item.number}", self._metrics)
        await self._finish(batch, "")

    def _open(self, batch: Batch, file: IO[bytes]) -> BatchArchive:
        number = 0
        while (piece := self._repository.chunk(batch.id, INPUT, number)) is not None:
            file.write(piece)
            number += 1
        file.flush()
        return BatchArchive(file, self._limits)

    async def _stamp(
        self, batch: Batch, caller: Caller, number: int, name: str, read: Callable[[], Awaitable[bytes]]
    ) -> BatchItem:
        """Stamp one document; only a failure that concerns all documents is raised, so that the batch is retried."""
        request_id, content = f"{batch.id}-{number}", b""
        try:
            content = await read()
            return await self._outcome(batch, caller, number, name, content)
        except Exception as error:
            if isinstance(error, ServiceError) and is_transient(error):
                raise
            coded = to_coded_error(document_error(error, request_id, self._metrics))
        rejection = RejectedRequest(caller.account_id, request_id, f"/batches/{batch.id}", coded, content)
        await self._rejections.record(rejection)
        message, detail = texts_of(coded)
        return BatchItem(number, name, REJECTED, code=public_code(coded.code), message=message, detail=detail or "")

    async def _outcome(self, batch: Batch, caller: Caller, number: int, name: str, content: bytes) -> BatchItem:
        if not content.strip():
            raise ServiceError("xml-missing")
        kind = DocumentKind.RETENCIONES if has_root_of_retenciones(content) else DocumentKind.CFDI
        custom_id = content_custom_id(content)
        request_id = f"{batch.id}-{number}"
        request = StampRequest(caller, content, request_id, custom_id, kind=kind)
        operate = self._stamping.issue if batch.operation == StampingOperation.ISSUE else self._stamping.stamp
        try:
            stamped = await operate(request, self._run_in_thread(caller.account_id))
        except ServiceError as error:
            earlier = error.data
            same_content = error.code in ALREADY_STAMPED or error.code == "CFDI3307"
            if not same_content or not isinstance(earlier, StampResult | CustomIdConflict):
                raise
            # A killed process may have stamped the document without storing its outcome.
            own = await asyncio.to_thread(self._repository.request_id_of, earlier.uuid)
            item = BatchItem(number, name, STAMPED, earlier.uuid.lower(), earlier.fecha_timbrado)
            if own == request_id:
                return item
            message, detail = texts_of(to_public_error(error))
            return replace(item, result=REPEATED, code=error.code, message=message, detail=detail or "")
        return BatchItem(number, name, STAMPED, stamped.uuid.lower(), stamped.fecha_timbrado)

    def _write_output(self, batch: Batch) -> list[tuple[BatchItem, Exception]]:
        """Store the ZIP of the stamps; return the documents that are not in it, each with its error."""
        items = self._repository.all_items(batch.id)
        with self._spool() as target:
            failed = write_output(
                target,
                items,
                self._records,
                (lambda record: self._pdf(record, batch.pdf_template)) if batch.pdf else None,
                lambda: self._repository.save_items(batch, []),
            )
            self._repository.replace_chunks(batch, OUTPUT, pieces_of(target))
        return failed

    async def _finish(self, batch: Batch, failure: str) -> None:
        await asyncio.to_thread(self._end, batch, failure)
        log.info("batch ended", batch=batch.id, failure=failure)

    def _end(self, batch: Batch, failure: str) -> None:
        now = self._wall.now()
        expires_at = now + self._result_term
        ended = replace(
            self._repository.find(batch.id), state=FAILED if failure else DONE, expires_at=expires_at, finished_at=now
        )
        content = {
            **addresses(ended, self._links),
            "batchId": batch.id,
            "originalFileName": batch.file_name,
            "status": ended.state,
            "files": ended.files,
            "stamped": ended.stamped,
            "repeated": ended.repeated,
            "rejected": ended.rejected,
            "failure": failure,
        }
        event = Event(now, self._fiscal.now(), batch.account_id, ENDED, batch.id, "", content)
        self._repository.finish(batch, expires_at, failure, event)

    def _spool(self) -> IO[bytes]:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return NamedTemporaryFile(dir=self._folder, suffix=".part")


BOUNDS = (
    Bound(
        "BatchRunner",
        BoundKind.POOL,
        "TIMBRA_BATCH_CONCURRENCY documents of a batch",
        "Further documents of the batch wait.",
    ),
)
