"""What is synchronized with the SAT, the requests and their packages, as they are stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

TIME_FORMAT: Final = "%Y-%m-%dT%H:%M:%S"
"""Local times, as the SAT writes and compares them."""


class SyncState(StrEnum):
    """State of a synchronization.

    Attributes:
        ACTIVE: Requests are planned and sent.
        STOPPED: A user stopped it.
        BLOCKED: The SAT does not accept the e.firma, or there is none.
    """

    ACTIVE = "active"
    STOPPED = "stopped"
    BLOCKED = "blocked"


class BulkRequestState(StrEnum):
    """State of a request.

    Attributes:
        PLANNED: Not sent.
        SENDING: It is being sent; after a crash it is not sent again, because the SAT may have counted it.
        WAITING: The SAT accepted it, and is verified until it ends.
        READY: Its packages are known; some are not processed.
        DONE: Its packages are processed, or it has no documents.
        SPLIT: Two requests of half of the period replace it, because it has too many documents.
        LOST: Another request of the same period replaces it.
        FAILED: It was given up; an operator sees to it.
    """

    PLANNED = "planned"
    SENDING = "sending"
    WAITING = "waiting"
    READY = "ready"
    DONE = "done"
    SPLIT = "split"
    LOST = "lost"
    FAILED = "failed"


OPEN: Final = (BulkRequestState.PLANNED, BulkRequestState.SENDING, BulkRequestState.WAITING, BulkRequestState.READY)


class BulkPackageState(StrEnum):
    """State of a package.

    Attributes:
        WAITING: It is not downloaded.
        STORED: Its file is on the disk.
        DONE: Its documents are stored.
        LOST: The SAT does not deliver it again, or it is damaged.
    """

    WAITING = "waiting"
    STORED = "stored"
    DONE = "done"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class TaxpayerSync:
    """A synchronization of one side of a taxpayer; the columns of `received_sync` describe the attributes."""

    id: int
    account_id: int
    rfc: str
    kind: str
    is_issued: bool
    since: datetime
    planned_until: datetime | None
    refreshed_at: datetime | None
    state: SyncState
    reason: str
    resume_at: datetime | None


@dataclass(frozen=True, slots=True)
class BulkRequest:
    """A request; the columns of `received_request` describe the attributes. The bounds are local and inclusive."""

    id: int
    sync_id: int
    account_id: int
    rfc: str
    kind: str
    is_issued: bool
    is_metadata: bool
    starts: datetime
    until: datetime
    ends: datetime
    state: BulkRequestState
    request_id: str
    attempt: int
    failures: int
    polls: int
    code: str
    message: str
    documents: int
    due_at: datetime
    created_at: datetime
    sent_at: datetime | None


@dataclass(frozen=True, slots=True)
class BulkPackage:
    """A package; the columns of `received_package` describe the attributes."""

    id: int
    request: int
    account_id: int
    package_id: str
    state: BulkPackageState
    downloads: int
    failures: int
    size: int
    message: str
    due_at: datetime


@dataclass(frozen=True, slots=True)
class IssuePeriod:
    """A range of local times, both inclusive."""

    starts: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class PackageContent:
    """What a package had.

    Attributes:
        documents: Rows or XML that were stored.
        broken: Rows and files that could not be read.
        foreign: Files of another kind, and documents of other taxpayers.
        samples: The first broken ones, as text.
    """

    documents: int = 0
    broken: int = 0
    foreign: int = 0
    samples: tuple[str, ...] = ()

    def __add__(self, other: PackageContent) -> PackageContent:
        return PackageContent(
            self.documents + other.documents,
            self.broken + other.broken,
            self.foreign + other.foreign,
            (*self.samples, *other.samples)[:MAX_SAMPLES],
        )


MAX_SAMPLES: Final = 20


@dataclass(frozen=True, slots=True)
class SyncReport:
    """A synchronization with its numbers.

    Attributes:
        requests: Number of requests by state.
        packages: Number of packages by state.
        documents: Documents of the taxpayer on this side; those without XML, which are in force, in `missing`.
        broken: Rows and files of packages that could not be read.
        messages: The newest messages of requests that were given up.
        sent_metadata, sent_xml: Questions to the SAT. It counts equal ones of XML for life; these are all different.
        due_at: When the next call is due; None while none is.
    """

    sync: TaxpayerSync
    requests: Mapping[str, int]
    packages: Mapping[str, int]
    documents: int
    missing: int
    broken: int
    messages: tuple[str, ...] = field(default=())
    sent_metadata: int = 0
    sent_xml: int = 0
    due_at: datetime | None = None

    @property
    def open_requests(self) -> int:
        """Number of requests that are planned, waited for, or whose packages are not processed."""
        return sum(self.requests.get(state, 0) for state in OPEN)

    @property
    def is_complete(self) -> bool:
        """Whether no request is open."""
        return self.open_requests == 0

    @property
    def is_working(self) -> bool:
        """Whether a request is open that will go on by itself."""
        return self.sync.state is SyncState.ACTIVE and not self.is_complete


@dataclass(frozen=True, slots=True)
class RequestReport:
    """A request with its packages."""

    request: BulkRequest
    packages: tuple[BulkPackage, ...]


Values = dict[str, Any]
