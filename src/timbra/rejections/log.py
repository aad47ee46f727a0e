"""The rejection log: rejected requests are buffered in memory, and a periodic job writes them in batches."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from hashlib import sha256

import structlog

from timbra.cfdi.header_reader import read_header
from timbra.core.bounds import Bound, BoundKind
from timbra.core.clock import CENTRAL_MEXICO, Clock, known_time
from timbra.core.errors import DocumentLocation, ServiceError
from timbra.core.text import storable
from timbra.database.batches import run_isolated
from timbra.rejections.store import Rejection, RejectionStore

LOG = structlog.get_logger(__name__)
MAX_ENTRIES = 5_000
MOST_BYTES = 64 * 1024 * 1024
MOST_TEXT = 2_000


@dataclass(frozen=True, slots=True)
class RejectedRequest:
    """A rejected request.

    Attributes:
        operation: path of the request.
        document: None when the request had none.
    """

    account_id: int
    request_id: str
    operation: str
    error: ServiceError
    document: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class _BufferedEntry:
    at: datetime
    fiscal_at: datetime
    request: RejectedRequest

    @property
    def size(self) -> int:
        return len(self.request.document or b"")

    @property
    def key(self) -> tuple[int, date]:
        """Return account and fiscal day: dropped rejections are counted by them."""
        return self.request.account_id, self.fiscal_at.astimezone(CENTRAL_MEXICO).date()


# The number of rejections of an account and a day whose details were dropped.
_DroppedCount = tuple[tuple[int, date], int]


class RejectionLog:
    """The rejections of one worker. `record` writes nothing.

    Args:
        store: the table of rejections.
        wall: wall time.
        fiscal: fiscal time.
        keep_documents: whether to store the documents too.
        days: retention of rejections.
        max_entries: limit of entries in memory; beyond it the oldest are dropped and only counted.
        most_bytes: limit of bytes of documents in memory; beyond it as for `max_entries`.
        state_version: returns the version of the state of the database; entries of an earlier state are dropped.
        known_state_version: the same without reading the database; None while the version is unknown.
    """

    def __init__(
        self,
        store: RejectionStore,
        wall: Clock,
        fiscal: Clock,
        *,
        keep_documents: bool,
        days: int,
        max_entries: int = MAX_ENTRIES,
        most_bytes: int = MOST_BYTES,
        state_version: Callable[[], int] = lambda: 0,
        known_state_version: Callable[[], int | None] = lambda: 0,
    ) -> None:
        self._store = store
        self._wall = wall
        self._fiscal = fiscal
        self._keep_documents = keep_documents
        self._retention = timedelta(days=days)
        self._max_entries = max_entries
        self._most_bytes = most_bytes
        self._state_version = state_version
        self._known_state_version = known_state_version
        self._buffer_version: int | None = None
        self._entries: deque[_BufferedEntry] = deque()
        self._bytes = 0
        self._dropped_counts: Counter[tuple[int, date]] = Counter()
        self._buffer_lock = threading.Lock()
        self._flush_lock = threading.Lock()

    async def record(self, request: RejectedRequest) -> None:
        """Buffer a rejection until the next `flush`; a thread reads fiscal time where memory does not have it."""
        at, fiscal_at = self._wall.now(), known_time(self._fiscal)
        if fiscal_at is None:
            fiscal_at = await asyncio.to_thread(self._fiscal.now)
        self._add(_BufferedEntry(at, fiscal_at, request))

    def _add(self, entry: _BufferedEntry) -> None:
        version = self._known_state_version()
        with self._buffer_lock:
            if version is not None:
                self._drop_earlier_state(version)
            self._entries.append(entry)
            self._bytes += entry.size
            self._drop_oldest()

    def flush(self) -> None:
        """Write the buffered rejections. One that cannot be written is logged, and counted by the next flush.

        Raises:
            ServiceError: The database is out of reach; the rejections stay in the buffer.
        """
        version = self._state_version()
        with self._flush_lock:
            with self._buffer_lock:
                self._drop_earlier_state(version)
                entries, self._entries = self._entries, deque()
                dropped, self._dropped_counts = self._dropped_counts, Counter()
                self._bytes = 0
            rows: list[_BufferedEntry | _DroppedCount] = [*entries, *dropped.items()]
            result = run_isolated(rows, lambda part: self._write(part, version))
            self._put_back(result.left, self._log_failures(result.failed), version)
            if result.interruption is not None:
                raise result.interruption
        if dropped:
            LOG.warning("rejections counted without details", rejections=dropped.total())

    def _write(self, rows: Sequence[_BufferedEntry | _DroppedCount], version: int) -> None:
        entries = [self._rejection(row) for row in rows if isinstance(row, _BufferedEntry)]
        self._store.add(entries, dict(row for row in rows if not isinstance(row, _BufferedEntry)), version)

    def _log_failures(self, failed: Sequence[tuple[_BufferedEntry | _DroppedCount, Exception]]) -> list[_DroppedCount]:
        """Log the rows that cannot be written and return the counts of rejections among them."""
        for row, error in failed:
            identifier = row.request.request_id if isinstance(row, _BufferedEntry) else str(row)
            LOG.error("rejection cannot be written", rejection=identifier, error=repr(error))
        return [(row.key, 1) for row, _ in failed if isinstance(row, _BufferedEntry)]

    def expire(self) -> None:
        """Delete rejections older than the retention."""
        self._store.expire(self._wall.now() - self._retention)

    def _drop_earlier_state(self, version: int) -> None:
        """Empty the buffer after a reset or restore of the sandbox: its rejections belong to the earlier state."""
        if self._buffer_version not in (None, version):
            self._entries.clear()
            self._dropped_counts.clear()
            self._bytes = 0
        self._buffer_version = version

    def _drop_oldest(self) -> None:
        while len(self._entries) > 1 and (len(self._entries) > self._max_entries or self._bytes > self._most_bytes):
            oldest = self._entries.popleft()
            self._bytes -= oldest.size
            self._dropped_counts[oldest.key] += 1

    def _put_back(
        self, rows: Sequence[_BufferedEntry | _DroppedCount], dropped: Sequence[_DroppedCount], version: int
    ) -> None:
        entries = [row for row in rows if isinstance(row, _BufferedEntry)]
        with self._buffer_lock:
            if version != self._buffer_version:
                return
            self._entries.extendleft(reversed(entries))
            self._bytes += sum(entry.size for entry in entries)
            for key, number in (*dropped, *(row for row in rows if not isinstance(row, _BufferedEntry))):
                self._dropped_counts[key] += number
            self._drop_oldest()

    def _rejection(self, entry: _BufferedEntry) -> Rejection:
        request = entry.request
        place = place_of(request.error)
        document = request.document
        header = read_header(document or b"")
        return Rejection(
            account_id=request.account_id,
            at=entry.at,
            fiscal_at=entry.fiscal_at,
            request_id=request.request_id,
            operation=storable(request.operation, MOST_TEXT),
            code=request.error.code,
            detail=_shorten(request.error.detail) or "",
            path=_shorten(place.path),
            found=_shorten(place.found),
            expected=_shorten(place.expected),
            issuer_rfc=header.issuer_rfc,
            receiver_rfc=header.receiver_rfc,
            serie=storable(header.serie),
            folio=storable(header.folio),
            document_hash="" if document is None else sha256(document).hexdigest(),
            document=document if self._keep_documents else None,
        )


def place_of(error: ServiceError) -> DocumentLocation:
    """Return the location of an error, or of the error with the same code that caused it; empty if neither has one.

    The chain of causes may be a circle: Python lets an exception be its own cause.
    """
    current: BaseException | None = error
    seen = set()
    while isinstance(current, ServiceError) and current.code == error.code and id(current) not in seen:
        if current.location is not None:
            return current.location
        seen.add(id(current))
        current = current.__cause__
    return DocumentLocation()


def _shorten(text: str | None) -> str | None:
    return None if text is None else storable(text, MOST_TEXT)


BOUNDS = (
    Bound(
        "RejectionLog",
        BoundKind.BUFFER,
        f"{MAX_ENTRIES:,} rejections, {MOST_BYTES // 2**20} MiB",
        "The oldest ones are dropped and counted.",
    ),
)
