"""Refused requests are noted in memory, beside the request path, and written down in batches by a periodic job."""

from __future__ import annotations

import threading
from collections import Counter, deque
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from hashlib import sha256

import structlog

from timbra.cfdi.head import read_head
from timbra.clock import CENTRAL_MEXICO, Clock
from timbra.errors import Place, ServiceError
from timbra.store.refusals import Refusal, RefusalStore

LOG = structlog.get_logger(__name__)
MOST_NOTES = 5_000
MOST_BYTES = 64 * 1024 * 1024
MOST_TEXT = 2_000


@dataclass(frozen=True, slots=True)
class RefusedRequest:
    """What the edge knows of a refusal. operation: the path that was asked. document: as far as there was one."""

    account_id: int
    request_id: str
    operation: str
    error: ServiceError
    document: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class _Noted:
    at: datetime
    fiscal_at: datetime
    request: RefusedRequest

    @property
    def weight(self) -> int:
        return len(self.request.document or b"")


class RefusalNotes:
    """One per worker. `note` is for the event loop: it neither waits nor reads the document.

    keep_documents: whether documents are written too. days: how long refusals are kept. Beyond `most_notes` or
    `most_bytes` of documents in memory the oldest notes are dropped, and only counted.
    """

    def __init__(
        self,
        store: RefusalStore,
        wall: Clock,
        fiscal: Clock,
        *,
        keep_documents: bool,
        days: int,
        most_notes: int = MOST_NOTES,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._store = store
        self._wall = wall
        self._fiscal = fiscal
        self._keep_documents = keep_documents
        self._term = timedelta(days=days)
        self._most_notes = most_notes
        self._most_bytes = most_bytes
        self._notes: deque[_Noted] = deque()
        self._bytes = 0
        self._lost: Counter[tuple[int, date]] = Counter()
        self._handling = threading.Lock()
        self._flushing = threading.Lock()

    def note(self, request: RefusedRequest) -> None:
        """Remembers a refusal until the next `flush`."""
        noted = _Noted(self._wall.now(), self._fiscal.now(), request)
        with self._handling:
            self._notes.append(noted)
            self._bytes += noted.weight
            self._drop()

    def flush(self) -> None:
        """Writes down what was noted, in one transaction. What could not be written stays noted."""
        with self._flushing:
            with self._handling:
                notes, self._notes = self._notes, deque()
                lost, self._lost = self._lost, Counter()
                self._bytes = 0
            if not notes and not lost:
                return
            try:
                self._store.add([self._refusal(noted) for noted in notes], lost)
            except Exception:
                self._take_back(notes, lost)
                raise
        if lost:
            LOG.warning("refusals counted only", refusals=lost.total())

    def expire(self) -> None:
        """Forgets refusals older than their term."""
        self._store.expire(self._wall.now() - self._term)

    def _drop(self) -> None:
        while len(self._notes) > 1 and (len(self._notes) > self._most_notes or self._bytes > self._most_bytes):
            oldest = self._notes.popleft()
            self._bytes -= oldest.weight
            self._lost[oldest.request.account_id, oldest.fiscal_at.astimezone(CENTRAL_MEXICO).date()] += 1

    def _take_back(self, notes: deque[_Noted], lost: Counter[tuple[int, date]]) -> None:
        with self._handling:
            self._notes.extendleft(reversed(notes))
            self._bytes += sum(noted.weight for noted in notes)
            self._lost.update(lost)
            self._drop()

    def _refusal(self, noted: _Noted) -> Refusal:
        request = noted.request
        place = place_of(request.error)
        document = request.document
        head = read_head(document or b"")
        return Refusal(
            account_id=request.account_id,
            at=noted.at,
            fiscal_at=noted.fiscal_at,
            request_id=request.request_id,
            operation=request.operation,
            code=request.error.code,
            detail=_short(request.error.detail) or "",
            path=_short(place.path),
            found=_short(place.found),
            expected=_short(place.expected),
            issuer_rfc=head.issuer_rfc,
            receiver_rfc=head.receiver_rfc,
            serie=head.serie,
            folio=head.folio,
            document_hash="" if document is None else sha256(document).hexdigest(),
            document=document if self._keep_documents else None,
        )


def place_of(error: ServiceError) -> Place:
    """Where a refusal found its cause, also when the edge has told it anew; empty where it lies nowhere."""
    told: BaseException | None = error
    while isinstance(told, ServiceError) and told.code == error.code:
        if told.place is not None:
            return told.place
        told = told.__cause__
    return Place()


def _short(text: str | None) -> str | None:
    return text if text is None or len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}…"
