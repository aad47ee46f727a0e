"""The course of requests: they are accepted, their packages are made in a thread, verified, downloaded, and expire."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from enum import IntEnum
from pathlib import Path
from threading import Event, Lock
from typing import Any
from uuid import uuid4

import structlog

from timbra.cfdi.uuid_text import canonical_uuid
from timbra.core.bounds import Bound, BoundKind
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.emulator.bulk.codes import (
    ACCEPTED,
    CANCELLED_DOCUMENT,
    DOWNLOADS_EXHAUSTED,
    DUPLICATE,
    EXHAUSTED,
    NOT_FOUND,
    PACKAGE_EXPIRED,
    THIRD_PARTY,
    TOO_MANY,
    UNCONTROLLED,
    BulkDownloadError,
)
from timbra.emulator.bulk.contract import DocumentRegister, PackageType, RequestOperation
from timbra.emulator.bulk.criteria import IN_FORCE, DownloadCriteria
from timbra.emulator.bulk.documents import DownloadDocuments, FoundDocument
from timbra.emulator.bulk.options import BulkDownloadOptions
from timbra.emulator.bulk.packages import PackageWriter, WrittenPackage, package_path
from timbra.emulator.bulk.store import DownloadPackageRow, DownloadRequestRow, DownloadRequestStore

LOG = structlog.get_logger(__name__)
WAIT_SECONDS = 5.0
"""How long a verification waits for packages that are being made before it answers with state 2."""


class RequestState(IntEnum):
    """EstadoSolicitud."""

    NONE = 0
    ACCEPTED = 1
    PROCESSING = 2
    FINISHED = 3
    ERROR = 4
    REJECTED = 5
    EXPIRED = 6


_WAITING = frozenset({RequestState.ACCEPTED, RequestState.PROCESSING})


@dataclass(frozen=True, slots=True)
class RequestStatus:
    """What a verification returns.

    Attributes:
        state: EstadoSolicitud.
        code: CodigoEstadoSolicitud.
        documents: NumeroCFDIs.
        packages: The identifiers of the packages.
    """

    state: RequestState
    code: str
    documents: int
    packages: Sequence[str] = ()


class _StoppedError(Exception):
    """The emulator ends; the packages are made again at the next verification."""


class DownloadRequests:
    """The requests of both registers. Thread-safe."""

    def __init__(
        self,
        store: DownloadRequestStore,
        documents: DownloadDocuments,
        clock: Clock,
        folder: Path,
        options: Callable[[], BulkDownloadOptions],
    ) -> None:
        """Process requests.

        Args:
            store: The rows.
            documents: The documents of the ledger.
            clock: Fiscal time, by which packages expire.
            folder: Has one folder for each request with packages.
            options: Returns the options in force.
        """
        self._store = store
        self._documents = documents
        self._clock = clock
        self._folder = folder
        self._options = options
        self._lock = Lock()
        self._stopping = Event()
        self._executor = ThreadPoolExecutor(1, "bulk-download")
        self._running: dict[str, Future[None]] = {}

    def now(self) -> datetime:
        """Return the fiscal instant."""
        return self._clock.now()

    def close(self) -> None:
        """End the thread; requests that are being processed begin again in the next run."""
        self._stopping.set()
        self._executor.shutdown(cancel_futures=True)

    def newest(self) -> Sequence[tuple[DownloadRequestRow, RequestState]]:
        """Return the newest requests, each with its present state, without counting a verification."""
        return [(row, self._state(row)) for row in self._store.newest()]

    def accept(
        self, rfc: str, register: DocumentRegister, criteria: DownloadCriteria, scripted: Mapping[str, Any]
    ) -> str:
        """Store a request, and begin to make its packages; return its identifier.

        Args:
            rfc: The taxpayer.
            register: The register.
            criteria: What the request asks for.
            scripted: What faults give it: `state` and `code` of its end, `defects` of its packages.

        Raises:
            BulkDownloadError: 5002 or 5005; for a folio 5001, 5004 or 5012.
        """
        if criteria.uuid:
            self._require_folio(rfc, register, criteria.uuid)
        row = DownloadRequestRow(
            str(uuid4()),
            register,
            rfc,
            criteria.package_type,
            criteria.question,
            asdict(criteria),
            self._clock.now(),
            scripted=scripted,
        )
        with self._lock:
            self._require_permitted(row)
            self._store.insert(row)
        self._process(row)
        return row.id

    def _require_folio(self, rfc: str, register: DocumentRegister, uuid: str) -> None:
        found = self._documents.folio(uuid, register)
        if found is None:
            raise BulkDownloadError(NOT_FOUND)
        if rfc not in (found.issuer_rfc, found.receiver_rfc):
            raise BulkDownloadError(THIRD_PARTY)
        if found.state != IN_FORCE:
            raise BulkDownloadError(CANCELLED_DOCUMENT)

    def _require_permitted(self, row: DownloadRequestRow) -> None:
        options = self._options()
        same_type = [
            other
            for other in self._store.equal_requests(row.rfc, row.register, row.question)
            if other.package_type == row.package_type
        ]
        live = {*_WAITING, RequestState.FINISHED} if options.live_requests == "with-packages" else _WAITING
        if any(self._state(other) in live for other in same_type):
            raise BulkDownloadError(DUPLICATE)
        is_xml = row.package_type == PackageType.CFDI
        limit = options.lifetime_requests if is_xml else options.lifetime_metadata_requests
        if 0 < limit <= len(same_type):
            raise BulkDownloadError(EXHAUSTED)

    def verify(self, rfc: str, register: DocumentRegister, request_id: str) -> RequestStatus:
        """Count a verification, and return the status of a request.

        Raises:
            BulkDownloadError: 5004 for a request that is unknown, of another taxpayer or of the other register.
        """
        found = self._own(rfc, register, request_id)
        row = self._store.count_poll(found.id)
        if row is None:
            raise BulkDownloadError(NOT_FOUND)
        if row.finished_at is None and self._state(row) is RequestState.PROCESSING and not self._is_waiting(row):
            row = self._finished(row)
        if row.finished_at is not None and row.polls == self._waiting_polls() + 1:
            # The life of packages begins when the request is finished for the caller.
            row = replace(row, finished_at=self._clock.now())
            self._store.set_finished_at(row.id, self._clock.now())
        state = self._state(row)
        if state is not RequestState.FINISHED:
            return RequestStatus(state, ACCEPTED if state in _WAITING else row.code, 0)
        packages = [self._package_id(package) for package in self._store.packages(row.id)]
        return RequestStatus(state, row.code, row.documents, packages)

    def download(self, rfc: str, register: DocumentRegister, package_id: str) -> Path:
        """Count a download, and return the file of a package.

        Raises:
            BulkDownloadError: 5004 for an unknown package, 5007 for an expired one, 5008 when it was downloaded as
                often as permitted.
        """
        request_id, _, number = package_id.strip().rpartition("_")
        if not (number.isascii() and number.isdigit() and len(number) < 10):
            raise BulkDownloadError(NOT_FOUND)
        row = self._own(rfc, register, request_id)
        state = self._state(row)
        if state is RequestState.EXPIRED:
            raise BulkDownloadError(PACKAGE_EXPIRED)
        if state is not RequestState.FINISHED or not self._store.has_package(row.id, int(number)):
            raise BulkDownloadError(NOT_FOUND)
        path = package_path(self._folder / row.id, int(number))
        if not path.is_file():
            raise BulkDownloadError(PACKAGE_EXPIRED)
        if not self._store.count_download(row.id, int(number), self._options().package_downloads):
            raise BulkDownloadError(DOWNLOADS_EXHAUSTED)
        return path

    def _own(self, rfc: str, register: DocumentRegister, request_id: str) -> DownloadRequestRow:
        identifier = canonical_uuid(request_id)
        row = None if identifier is None else self._store.get(identifier)
        if row is None or (row.rfc, row.register) != (rfc, register):
            raise BulkDownloadError(NOT_FOUND)
        return row

    def _state(self, row: DownloadRequestRow) -> RequestState:
        options = self._options()
        if row.scripted.get("state") == RequestState.ACCEPTED or row.polls <= options.accepted_polls:
            return RequestState.ACCEPTED
        if self._is_waiting(row) or row.finished_at is None:
            return RequestState.PROCESSING
        state = RequestState(row.state)
        is_old = self._clock.now() >= row.finished_at + timedelta(hours=options.package_hours)
        return RequestState.EXPIRED if is_old and state is RequestState.FINISHED else state

    def _is_waiting(self, row: DownloadRequestRow) -> bool:
        """Whether a request waits for more verifications, or for ever."""
        return row.scripted.get("state") in _WAITING or row.polls <= self._waiting_polls()

    def _waiting_polls(self) -> int:
        options = self._options()
        return options.accepted_polls + options.processing_polls

    def _package_id(self, package: DownloadPackageRow) -> str:
        identifier = f"{package.request_id}_{package.number:02d}"
        return identifier.upper() if self._options().package_ids == "upper" else identifier

    def _finished(self, row: DownloadRequestRow) -> DownloadRequestRow:
        """Return a request after its packages were made, or as it is when that takes longer."""
        try:
            self._process(row).result(WAIT_SECONDS)
        except FutureTimeoutError:
            return row
        return self._store.get(row.id) or row

    def _process(self, row: DownloadRequestRow) -> Future[None]:
        """Make the packages of a request in the thread, once."""
        with self._lock:
            running = self._running.get(row.id)
            if running is None:
                running = self._running[row.id] = self._executor.submit(self._make, row)
                running.add_done_callback(lambda _: self._running.pop(row.id, None))
            return running

    def _make(self, row: DownloadRequestRow) -> None:
        folder = self._folder / row.id
        try:
            self._remove_expired()
            self._make_packages(row, folder)
        except _StoppedError:
            shutil.rmtree(folder, ignore_errors=True)
        except (ServiceError, OSError, ValueError) as error:
            LOG.exception("packages of the bulk download not made", request=row.id, error=repr(error))
            shutil.rmtree(folder, ignore_errors=True)
            self._store.finish(row.id, self._clock.now(), RequestState.ERROR, UNCONTROLLED, 0, ())

    def _make_packages(self, row: DownloadRequestRow, folder: Path) -> None:
        state = RequestState(row.scripted.get("state", RequestState.FINISHED))
        if state is not RequestState.FINISHED:
            if state not in _WAITING:
                self._end(row, self._clock.now(), state, row.scripted.get("code") or ACCEPTED)
            return
        options, register = self._options(), DocumentRegister(row.register)
        criteria = criteria_of(row)
        is_xml = criteria.package_type is PackageType.CFDI
        limit = options.xml_limit if is_xml else options.metadata_limit
        now = self._clock.now()
        needs_xml = bool(criteria.third_party or criteria.complement)
        if not criteria.uuid and not needs_xml and self._documents.count(criteria, register) > limit:
            self._end(row, now, RequestState.REJECTED, TOO_MANY)
            return
        defects = row.scripted.get("defects", ())
        writer = PackageWriter(folder, row.id, criteria.package_type, options.package_documents, now, defects)
        with closing(self._documents.find(criteria, register)) as documents:
            written = self._written(writer.write(self._until_stopped(documents)), limit)
        if written is None:
            shutil.rmtree(folder, ignore_errors=True)
            self._end(row, now, RequestState.REJECTED, TOO_MANY)
        elif not written:
            is_rejected = options.empty_period == "rejected"
            state, code = (RequestState.REJECTED, NOT_FOUND) if is_rejected else (RequestState.FINISHED, ACCEPTED)
            self._end(row, now, state, code)
        else:
            self._end(row, now, RequestState.FINISHED, row.scripted.get("code") or ACCEPTED, written)

    def _end(
        self,
        row: DownloadRequestRow,
        at: datetime,
        state: RequestState,
        code: str,
        written: Sequence[WrittenPackage] = (),
    ) -> None:
        packages = [DownloadPackageRow(row.id, package.number, package.documents, package.size) for package in written]
        self._store.finish(row.id, at, state, code, sum(package.documents for package in packages), packages)

    @staticmethod
    def _written(packages: Iterator[WrittenPackage], limit: int) -> list[WrittenPackage] | None:
        """Return the packages; None as soon as they have more documents than permitted."""
        found: list[WrittenPackage] = []
        for package in packages:
            found.append(package)
            if sum(package.documents for package in found) > limit:
                return None
        return found

    def _until_stopped(self, documents: Iterator[FoundDocument]) -> Iterator[FoundDocument]:
        for document in documents:
            if self._stopping.is_set():
                raise _StoppedError
            yield document

    def _remove_expired(self) -> None:
        """Remove the files of packages that expired, and of requests that a reset of the sandbox removed."""
        if not self._folder.is_dir():
            return
        since = self._clock.now() - timedelta(hours=self._options().package_hours)
        kept = self._store.with_live_packages(since, self._waiting_polls())
        for folder in self._folder.iterdir():
            if folder.name not in kept:
                shutil.rmtree(folder, ignore_errors=True)


def criteria_of(row: DownloadRequestRow) -> DownloadCriteria:
    """Return the criteria that a row keeps."""
    values = dict(row.criteria)
    values["operation"] = RequestOperation(values["operation"])
    values["package_type"] = PackageType(values["package_type"])
    values["receiver_rfcs"] = tuple(values["receiver_rfcs"])
    return DownloadCriteria(**values)


BOUNDS = (
    Bound("DownloadRequests", BoundKind.POOL, "1 thread", "Further requests of the bulk download wait as accepted."),
)
