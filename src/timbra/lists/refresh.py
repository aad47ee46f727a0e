"""Refresh of the published lists: fetch from their sources, events, metrics and log lines."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Mapping, Sequence

import structlog

from timbra.core.errors import ServiceError
from timbra.core.metrics import LIST_FETCHES, MetricsRegistry
from timbra.events.recorder import EventRecorder
from timbra.lists.drop_folder import ListImportOutcome
from timbra.lists.fetch.fetcher import BUSY, FetchOutcome, FetchStatus, ListFetcher
from timbra.lists.list_store import ListEdition
from timbra.lists.sources.part_names import ListKind

LOG = structlog.get_logger("timbra.lists")
IMPORTED = "list.imported"
FAILED = "list.failed"


class ListRefresh:
    """Fetches lists, and records what happened."""

    def __init__(self, fetcher: ListFetcher, events: EventRecorder, metrics: MetricsRegistry) -> None:
        """Refresh the lists of a fetcher.

        Args:
            fetcher: Fetches one list.
            metrics: Counts the queries.
        """
        self._fetcher = fetcher
        self._events = events
        self._metrics = metrics
        self._reported: dict[ListKind, str] = {}

    @property
    def kinds(self) -> Sequence[ListKind]:
        """The lists that have a source."""
        return self._fetcher.kinds

    def count_files(self, kind: ListKind) -> int:
        return self._fetcher.count_files(kind)

    def run_due(self) -> list[FetchOutcome]:
        """Fetch the lists whose sources must be queried now, and log it; for a job of one worker of the folder."""
        outcomes = []
        for kind in self._fetcher.due():
            known = self._reported.get(kind)
            [outcome] = self.fetch([kind])
            if self._reported.get(kind) != known or outcome.edition is not None:
                log_outcome(outcome)
            outcomes.append(outcome)
        return outcomes

    def fetch(self, kinds: Iterable[ListKind], *, force: bool = False) -> list[FetchOutcome]:
        """Fetch lists now. `force`: Import whatever the sources have, even an older or much smaller list."""
        outcomes = []
        for kind in kinds:
            outcome = self._fetcher.fetch(kind, force=force)
            self._record(outcome)
            outcomes.append(outcome)
        return outcomes

    def record_delivery(self, outcome: ListImportOutcome) -> None:
        """Record and log a delivery of the drop folder."""
        kind = outcome.delivery.kind
        if outcome.edition is not None:
            self.record_import(outcome.edition)
            log_outcome(FetchOutcome(kind, FetchStatus.IMPORTED, outcome.edition))
        elif outcome.rejection is not None:
            self.record_rejection(kind, outcome.rejection)
            log_outcome(FetchOutcome(kind, FetchStatus.FAILED, failure=outcome.rejection))

    def record_import(self, edition: ListEdition) -> None:
        """Record a list that another way imported: a command, or the drop folder."""
        self._write(IMPORTED, edition.kind, edition_fields(edition))

    def record_rejection(self, kind: ListKind, failure: ServiceError) -> None:
        """Record a list that was not put into force."""
        self._write(FAILED, kind, {"code": failure.code, "detail": failure.detail or ""})

    def _record(self, outcome: FetchOutcome) -> None:
        failure = outcome.failure
        label = str(outcome.status) if failure is None else failure.code
        self._metrics.count(LIST_FETCHES, (str(outcome.kind), label))
        if label == BUSY:
            return  # Another process imports a list; the source is queried again with the next run.
        if outcome.edition is not None:
            self.record_import(outcome.edition)
        text = "" if failure is None else f"{failure.code} {failure.detail}"
        # The same failure is one event, however often the source is queried.
        if failure is not None and text != self._reported.get(outcome.kind):
            self.record_rejection(outcome.kind, failure)
        self._reported[outcome.kind] = text

    def _write(self, event: str, kind: ListKind, body: Mapping[str, object]) -> None:
        self._events.record(event, str(kind), {"node": socket.gethostname(), **body})


def log_outcome(outcome: FetchOutcome) -> None:
    """Log an import, a failure (as an error: it needs an operator), or that a source works again."""
    edition, failure = outcome.edition, outcome.failure
    if failure is not None:
        LOG.error("list not imported", list=str(outcome.kind), code=failure.code, detail=failure.detail)
    elif edition is not None:
        fields = edition_fields(edition)
        del fields["parts"]
        LOG.info("list imported", list=str(outcome.kind), **fields)
    else:
        LOG.info("source of the list was read", list=str(outcome.kind))


def edition_fields(edition: ListEdition) -> dict[str, object]:
    """Return what the event of an import says about a list, in JSON."""
    published = edition.published_at
    return {
        "dated": edition.dated.isoformat(),
        "published_at": None if published is None else published.isoformat(),
        "imported_at": edition.imported_at.isoformat(),
        "signers": list(edition.signers),
        "rows": edition.rows,
        "certificates": edition.certificates,
        "skipped": edition.skipped,
        "added": edition.added,
        "removed": edition.removed,
        "changed": edition.changed,
        "parts": dict(edition.parts),
    }
