"""Recording of API calls: a request appends references to a bounded buffer, and a periodic job masks and writes them.

The request pays for one object and one append. Everything else, the search for secrets included, runs in the thread of
the job, so that nothing that is stored was not masked and no answer waits for the database.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

import structlog

from timbra.core.bounds import Bound, BoundKind
from timbra.core.clock import Clock
from timbra.database.batches import run_isolated
from timbra.inspector.call_content import content_of
from timbra.inspector.store import ApiCallStore
from timbra.web.captured_call import CapturedCall

LOG = structlog.get_logger(__name__)
MAX_CALLS: Final = 1_000
MAX_ACCOUNT_CALLS: Final = 100
"""Calls of an account between two flushes: a client that sends more has only some of them recorded."""
MAX_BYTES: Final = 32 * 1024 * 1024
"""Of bodies in the buffer of one worker."""


_Entry = tuple[datetime, "int | None", CapturedCall]
_BufferRow = tuple[datetime, CapturedCall] | tuple[int, int]
"""A call and when it was answered, or an account and how many of its calls were dropped."""


class CallRecorder:
    """The buffer of one worker. `record` is safe on the event loop: it does no I/O and never waits for `flush`.

    Args:
        store: The table of calls.
        wall: Wall time.
        days: Retention in days.
        rows: Newest calls of each account that are kept.
        max_body_bytes: Bytes of a body that are recorded.
        state_version: Returns the version of the state of the database.
        known_state_version: The same without reading the database; None while it is unknown.
        on_written: Called after calls were written.
    """

    def __init__(
        self,
        store: ApiCallStore,
        wall: Clock,
        *,
        days: int,
        rows: int,
        max_body_bytes: int,
        state_version: Callable[[], int] = lambda: 0,
        known_state_version: Callable[[], int | None] = lambda: 0,
        on_written: Callable[[], None] = lambda: None,
    ) -> None:
        self.max_body_bytes = max_body_bytes
        self._store = store
        self._wall = wall
        self._retention = timedelta(days=days)
        self._rows = rows
        self._state_version = state_version
        self._known_state_version = known_state_version
        self._on_written = on_written
        self._entries: deque[_Entry] = deque()
        self._accounts: Counter[int] = Counter()
        self._bytes = 0
        self._dropped: Counter[int] = Counter()
        self._lock = threading.Lock()
        self._flush_lock = threading.Lock()

    def record(self, call: CapturedCall) -> None:
        """Buffer a call until the next `flush`; a call that finds no room is only counted."""
        entry = self._wall.now(), self._known_state_version(), call
        account_id, size = call.account_id, call.size
        with self._lock:
            is_full = len(self._entries) >= MAX_CALLS or self._accounts[account_id] >= MAX_ACCOUNT_CALLS
            if is_full or self._bytes + size > MAX_BYTES:
                self._dropped[account_id] += 1
                return
            self._entries.append(entry)
            self._accounts[account_id] += 1
            self._bytes += size

    def flush(self) -> None:
        """Mask and write the buffered calls; one that cannot be written is logged and counted as dropped.

        Raises:
            ServiceError: The database is out of reach; the calls are dropped and counted by the next flush.
        """
        with self._flush_lock:
            if not self._entries and not self._dropped:
                return
            version = self._state_version()
            with self._lock:
                entries, self._entries = self._entries, deque()
                dropped, self._dropped = self._dropped, Counter()
                self._accounts.clear()
                self._bytes = 0
            current = [(at, call) for at, seen, call in entries if seen in (None, version)]
            rows: list[_BufferRow] = [*current, *dropped.items()]
            result = run_isolated(rows, lambda part: self._write(part, version))
            lost = [*result.left, *(row for row, _ in result.failed)]
            for _, error in result.failed:
                LOG.error("call cannot be recorded", error=repr(error))
            self._count_lost(lost)
            if result.interruption is not None:
                raise result.interruption
        if dropped:
            LOG.warning("calls not recorded", calls=dropped.total())
        self._on_written()

    def expire(self) -> None:
        """Delete calls beyond the retention."""
        self._store.expire(self._wall.now() - self._retention, self._rows)

    def _write(self, rows: Sequence[_BufferRow], version: int) -> None:
        calls, dropped = [], {}
        for first, second in rows:
            if isinstance(first, datetime) and isinstance(second, CapturedCall):
                calls.append(content_of(first, second))
            elif isinstance(first, int) and isinstance(second, int):
                dropped[first] = second
        self._store.add(calls, dropped, self._wall.now(), version)

    def _count_lost(self, rows: Sequence[_BufferRow]) -> None:
        with self._lock:
            for first, second in rows:
                if isinstance(second, CapturedCall):
                    self._dropped[second.account_id] += 1
                elif isinstance(first, int):
                    self._dropped[first] += second


BOUNDS = (
    Bound(
        "CallRecorder",
        BoundKind.BUFFER,
        f"{MAX_CALLS:,} calls, {MAX_ACCOUNT_CALLS} of an account, {MAX_BYTES // 2**20} MiB",
        "Further calls are dropped and counted.",
    ),
)
