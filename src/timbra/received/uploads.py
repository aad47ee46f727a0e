"""Examination of uploaded documents in child processes, and validations whose results are stored."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.core.metrics import MetricsRegistry
from timbra.core.text import storable
from timbra.pools import WorkerDiedError
from timbra.received.documents.intake import DocumentIntake, IntakeTerms
from timbra.received.documents.models import PORTAL
from timbra.received.examination import (
    LINES,
    MAX_MEMBERS,
    ExaminedEntry,
    Examiner,
    examine_entries,
    read_metadata_lines,
    rejected_entry,
)
from timbra.received.files import MAX_NAME_LENGTH, Entry, Listing, UploadedFile, list_entries
from timbra.received.results import result_of
from timbra.received.store import WRONG, NewResult, ReceivedRepository
from timbra.validation.tables import Row
from timbra.web.public_errors import document_error

if TYPE_CHECKING:
    from timbra.evaluation.processes import DocumentProcesses
    from timbra.pools import RunInThread

MAX_DOCUMENTS = MAX_MEMBERS
"""Documents of a run."""
MAX_ACCOUNT_DOCUMENTS = 100_000
"""Documents of all runs of an account."""
MAX_RUNS = 100
CHUNK_DOCUMENTS = 50
CHUNK_BYTES = 2 * 1024 * 1024
"""Documents that a child gets at once: it is free for others after them."""
STATUS_QUERIES = 4
"""Queries of the status at a time."""
ATTEMPTS, PAUSE_SECONDS = 4, 1.0
MAX_LABEL = 120
IDENTITY = ("sha256", "bytes", "uuid")
"""Columns by which a document is known, which its row has without a report too."""
T = TypeVar("T")
ExaminedResult = tuple[ExaminedEntry, NewResult]
"""A document with its result."""


@dataclass(frozen=True, slots=True)
class ReceivedOptions:
    """Options of a validation.

    Attributes:
        with_status: Whether the authority is queried for the status of each document.
        require_stamp: Whether a document without a stamp has an error instead of a warning.
        leniency: The choice of the account, see `timbra.accounts.vendor_leniency`; None for that of the server.
        with_xml: Whether the examined entries have the documents, which are stored then.
    """

    with_status: bool
    require_stamp: bool
    leniency: str | None = None
    with_xml: bool = False


@dataclass(frozen=True, slots=True)
class ReceivedProgress:
    """ReceivedProgress of the validation of uploaded files.

    Attributes:
        done: Documents that are stored.
        total: Documents that are known; it grows while metadata files are read.
        wrong: Documents with errors or not readable.
        ignored: Members of archives that are no documents.
        stored: Documents of this part of a run that are stored, now or before.
    """

    done: int
    total: int
    wrong: int
    ignored: int
    stored: int = 0


@dataclass(frozen=True, slots=True)
class ChildWork:
    """Module-level functions that a child process runs with the groups of services of its container.

    Attributes:
        listing: Lists the documents of files.
        examine: Examines documents.
        metadata: Reads lines of a metadata file.
    """

    listing: Callable[..., Listing]
    examine: Callable[..., list[ExaminedEntry]]
    metadata: Callable[..., list[ExaminedEntry] | None]


class UploadExaminer:
    """Reads and examines the documents of uploaded files.

    Args:
        examiner: Examines documents in this process, and queries their status.
        processes: Child processes; None in a process that serves no other requests meanwhile.
        work: What the child processes run.
        wall: Wall time.
        metrics: Counts the documents at which the program failed.
    """

    def __init__(
        self,
        examiner: Examiner,
        processes: DocumentProcesses | None,
        work: ChildWork,
        wall: Clock,
        metrics: MetricsRegistry,
    ) -> None:
        self._examiner = examiner
        self._processes = processes
        self._work = work
        self._wall = wall
        self._metrics = metrics

    async def listing(self, files: Sequence[UploadedFile], account: str, most: int = MAX_DOCUMENTS) -> Listing:
        """List the documents of files.

        Raises:
            ServiceError: "TB4005" for more than `most`; "CO1000" when no child process becomes free.
        """
        found = await self._listing(tuple(files), account)
        if len(found.entries) > most:
            raise ServiceError("TB4005", f"Un envío admite a lo más {most:,} documentos; use varios envíos.")
        return found

    async def results(
        self, listing: Listing, account: str, options: ReceivedOptions
    ) -> AsyncGenerator[list[ExaminedResult], None]:
        """Examine documents; yields their results in parts."""
        async for examined in self._parts(listing, account, options):
            yield await self._with_status(examined, account, options)

    async def of_files(
        self, files: Sequence[UploadedFile], account: str, options: ReceivedOptions, most: int
    ) -> AsyncGenerator[list[ExaminedResult], None]:
        """Examine the documents of files; for errors see `listing`."""
        async for part in self.results(await self.listing(files, account, most), account, options):
            yield part

    async def _listing(self, files: tuple[UploadedFile, ...], account: str) -> Listing:
        """List the documents of files; where that fails, the files are listed one by one."""
        try:
            here = lambda: asyncio.to_thread(list_entries, files, MAX_MEMBERS)  # noqa: E731
            return await self._call(account, self._work.listing, here, files)
        except Exception as error:
            if _is_busy(error):
                raise
            if len(files) == 1:
                name = storable(files[0].name, MAX_NAME_LENGTH)
                return Listing((), ((name, document_error(error, name, self._metrics)),), 0)
        listings = [await self._listing((file,), account) for file in files]
        entries = tuple(entry for listing in listings for entry in listing.entries)
        rejected = tuple(each for listing in listings for each in listing.rejected)
        return Listing(entries, rejected, sum(listing.ignored for listing in listings))

    async def _parts(
        self, listing: Listing, account: str, options: ReceivedOptions
    ) -> AsyncIterator[list[ExaminedEntry]]:
        if listing.rejected:
            yield [rejected_entry(name, error) for name, error in listing.rejected]
        for chunk in _chunks([entry for entry in listing.entries if not entry.is_metadata]):
            yield await self._examined(chunk, account, options)
        for entry in listing.entries:
            if entry.is_metadata:
                async for rows in self._metadata(entry, account):
                    yield rows

    async def _examined(self, chunk: tuple[Entry, ...], account: str, options: ReceivedOptions) -> list[ExaminedEntry]:
        """Examine documents; where one fails or exceeds a limit, those of its chunk are examined one by one."""
        args = (chunk, account, options.require_stamp, options.leniency, options.with_xml)
        try:
            here = lambda: examine_entries(self._examiner, *args)  # noqa: E731
            size = sum(entry.size for entry in chunk)
            return await self._call(account, self._work.examine, here, *args, size=size)
        except Exception as error:
            if len(chunk) == 1:
                return [self._failed(chunk[0].source, error)]
        alone = [await self._examined((entry,), account, options) for entry in chunk]
        return [entry for [entry] in alone]

    async def _metadata(self, entry: Entry, account: str) -> AsyncIterator[list[ExaminedEntry]]:
        start = 0
        while True:
            try:
                here = lambda: asyncio.to_thread(read_metadata_lines, self._examiner, entry, start)  # noqa: B023, E731
                rows = await self._call(account, self._work.metadata, here, entry, start, size=entry.size)
            except Exception as error:
                yield [self._failed(entry.source, error)]
                return
            if rows is None:
                return
            yield rows
            start += LINES

    async def _with_status(
        self, examined: Sequence[ExaminedEntry], account: str, options: ReceivedOptions
    ) -> list[ExaminedResult]:
        results: list[ExaminedResult] = []
        for start in range(0, len(examined), STATUS_QUERIES):
            group = examined[start : start + STATUS_QUERIES]
            results += await asyncio.gather(*(self._result(entry, account, options) for entry in group))
        return results

    async def _result(self, entry: ExaminedEntry, account: str, options: ReceivedOptions) -> ExaminedResult:
        if entry.defect is not None:
            document_error(RuntimeError(entry.defect), entry.source, self._metrics)
        try:
            report = None
            if entry.examined is not None:
                report = await self._examiner.validation.with_status(entry.examined, options.with_status, account)
            return entry, result_of(entry, report, self._wall.now())
        except Exception as error:
            identity = {name: entry.row.get(name) for name in IDENTITY}
            failed = replace(self._failed(entry.source, error, identity), is_metadata=entry.is_metadata)
            return failed, result_of(failed, None, self._wall.now())

    def _failed(self, source: str, error: Exception, identity: Row | None = None) -> ExaminedEntry:
        return rejected_entry(source, document_error(error, source, self._metrics), identity)

    async def _call(
        self,
        account: str,
        work: Callable[..., T],
        here: Callable[[], Awaitable[T]],
        *args: Any,
        size: int | None = None,
    ) -> T:
        """Run work in a child process, again after a pause when none is free; here when there are none.

        Its processor time is limited by the size of its documents.
        """
        if self._processes is None:
            return await here()
        attempt = 1
        while True:
            try:
                return await self._processes.run(account, None, work, *args, size=size)
            except ServiceError as error:
                if error.retry_after is None or attempt == ATTEMPTS:
                    raise
            attempt += 1
            await asyncio.sleep(PAUSE_SECONDS)


class ReceivedValidation:
    """Validates uploaded documents, and stores those that the user wants to keep.

    Args:
        repository: Stores runs and results.
        uploads: Examines the files.
        intake: Stores documents.
        wall: Wall time.
        days: Days for which runs are kept.
    """

    def __init__(
        self,
        repository: ReceivedRepository,
        uploads: UploadExaminer,
        intake: DocumentIntake,
        wall: Clock,
        days: int,
    ) -> None:
        self.repository = repository
        self.days = days
        self._uploads = uploads
        self._intake = intake
        self._wall = wall

    def create(self, account_id: int, submission: str, label: str) -> tuple[int, bool]:
        """Create a run; for the arguments and the result see `ReceivedRepository.create`.

        Raises:
            ServiceError: "TB4005" when the account has `MAX_RUNS`.
        """
        if len(self.repository.runs(account_id, MAX_RUNS)) >= MAX_RUNS:
            raise ServiceError("TB4005", f"Se guardan a lo más {MAX_RUNS} revisiones; elimine una.")
        return self.repository.create(account_id, submission, storable(label, MAX_LABEL), self._wall.now())

    def expire(self) -> None:
        """Delete the runs that are older than the term; for a periodic job."""
        self.repository.expire(self._wall.now() - timedelta(days=self.days))

    async def add(
        self,
        account_id: int,
        run: int,
        files: Sequence[UploadedFile],
        options: ReceivedOptions,
        run_in_thread: RunInThread,
    ) -> AsyncGenerator[ReceivedProgress, None]:
        """Validate uploaded files and store the results; a file that was added earlier is left out.

        With `options.with_xml` the documents are stored too.

        Args:
            run_in_thread: Runs database work in the pool of the account.

        Yields:
            The progress, after each part of the documents.

        Raises:
            ServiceError: As `ReceivedRepository.add`; "CO1000" when no child process becomes free.
        """
        account = str(account_id)
        listing = await self._uploads.listing(files, account, most=sys.maxsize)
        progress = ReceivedProgress(0, len(listing.entries) + len(listing.rejected), 0, listing.ignored)
        yield progress
        async for part in self._uploads.results(listing, account, options):
            results = [result for _, result in part]
            limits = (MAX_ACCOUNT_DOCUMENTS, MAX_DOCUMENTS)
            await run_in_thread(self.repository.add, account_id, run, results, *limits)
            if options.with_xml:
                arrivals = await run_in_thread(self._intake.put, account_id, part, IntakeTerms(PORTAL))
                progress = replace(progress, stored=progress.stored + sum(each.is_stored for each in arrivals))
            done = progress.done + len(results)
            wrong = progress.wrong + sum(result.document.get("result") in WRONG for result in results)
            progress = replace(progress, done=done, total=max(progress.total, done), wrong=wrong)
            yield progress
        yield replace(progress, total=progress.done)


def _is_busy(error: Exception) -> bool:
    """Whether no process was free; one that ended because of its work is not busy."""
    is_temporary = isinstance(error, ServiceError) and error.retry_after is not None
    return is_temporary and not isinstance(error.__cause__, WorkerDiedError)


def _chunks(entries: Sequence[Entry]) -> Iterator[tuple[Entry, ...]]:
    chunk: list[Entry] = []
    size = 0
    for entry in entries:
        if chunk and (len(chunk) >= CHUNK_DOCUMENTS or size + entry.size > CHUNK_BYTES):
            yield tuple(chunk)
            chunk, size = [], 0
        chunk.append(entry)
        size += entry.size
    if chunk:
        yield tuple(chunk)
