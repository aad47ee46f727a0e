"""Rows of the requests and packages of the bulk download."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import func, or_, select, update

from timbra.database.database import Database
from timbra.emulator.bulk.tables import DOWNLOAD_PACKAGE, DOWNLOAD_REQUEST

REQUEST, PACKAGE = DOWNLOAD_REQUEST.c, DOWNLOAD_PACKAGE.c


@dataclass(frozen=True, slots=True)
class DownloadRequestRow:
    """A request; see `tables`."""

    id: str
    register: str
    rfc: str
    package_type: str
    question: str
    criteria: Mapping[str, Any]
    requested_at: datetime
    polls: int = 0
    finished_at: datetime | None = None
    state: int = 0
    code: str = ""
    documents: int = 0
    scripted: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DownloadPackageRow:
    """A package; see `tables`."""

    request_id: str
    number: int
    documents: int
    size: int
    downloads: int = 0


class DownloadRequestStore:
    """Reads and writes the rows, each call in a transaction of its own."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def insert(self, row: DownloadRequestRow) -> None:
        with self._database.write() as connection:
            connection.execute(DOWNLOAD_REQUEST.insert(), asdict(row))

    def get(self, request_id: str) -> DownloadRequestRow | None:
        """Return a request. The identifier is in lower case."""
        with self._database.read() as connection:
            row = connection.execute(select(DOWNLOAD_REQUEST).where(REQUEST.id == request_id)).first()
        return None if row is None else DownloadRequestRow(**row._mapping)

    def newest(self, limit: int = 100) -> Sequence[DownloadRequestRow]:
        """Return the newest requests."""
        query = select(DOWNLOAD_REQUEST).order_by(REQUEST.requested_at.desc(), REQUEST.id).limit(limit)
        with self._database.read() as connection:
            return [DownloadRequestRow(**row._mapping) for row in connection.execute(query)]

    def equal_requests(self, rfc: str, register: str, question: str) -> Sequence[DownloadRequestRow]:
        """Return the requests with the same question, oldest first."""
        condition = (REQUEST.rfc == rfc, REQUEST.register == register, REQUEST.question == question)
        query = select(DOWNLOAD_REQUEST).where(*condition).order_by(REQUEST.requested_at, REQUEST.id)
        with self._database.read() as connection:
            return [DownloadRequestRow(**row._mapping) for row in connection.execute(query)]

    def count_poll(self, request_id: str) -> DownloadRequestRow | None:
        """Count a verification, and return the request with it."""
        statement = update(DOWNLOAD_REQUEST).where(REQUEST.id == request_id).values(polls=REQUEST.polls + 1)
        with self._database.write() as connection:
            row = connection.execute(statement.returning(*REQUEST)).first()
        return None if row is None else DownloadRequestRow(**row._mapping)

    def finish(
        self,
        request_id: str,
        at: datetime,
        state: int,
        code: str,
        documents: int,
        packages: Sequence[DownloadPackageRow],
    ) -> bool:
        """Store the end of a request; False when it has ended or was removed meanwhile."""
        values = {"finished_at": at, "state": state, "code": code, "documents": documents}
        open_request = (REQUEST.id == request_id, REQUEST.finished_at.is_(None))
        statement = update(DOWNLOAD_REQUEST).where(*open_request).values(values)
        with self._database.write() as connection:
            if not connection.execute(statement).rowcount:
                return False
            if packages:
                connection.execute(DOWNLOAD_PACKAGE.insert(), [asdict(package) for package in packages])
        return True

    def set_finished_at(self, request_id: str, at: datetime) -> None:
        """Store when the life of the packages begins."""
        with self._database.write() as connection:
            connection.execute(update(DOWNLOAD_REQUEST).where(REQUEST.id == request_id).values(finished_at=at))

    def packages(self, request_id: str) -> Sequence[DownloadPackageRow]:
        """Return the packages of a request, by number."""
        query = select(DOWNLOAD_PACKAGE).where(PACKAGE.request_id == request_id).order_by(PACKAGE.number)
        with self._database.read() as connection:
            return [DownloadPackageRow(**row._mapping) for row in connection.execute(query)]

    def count_download(self, request_id: str, number: int, limit: int) -> bool:
        """Count a download of a package; False when it was downloaded as often as `limit` permits."""
        own = (PACKAGE.request_id == request_id, PACKAGE.number == number, PACKAGE.downloads < limit)
        statement = update(DOWNLOAD_PACKAGE).where(*own).values(downloads=PACKAGE.downloads + 1)
        with self._database.write() as connection:
            return connection.execute(statement).rowcount == 1

    def has_package(self, request_id: str, number: int) -> bool:
        query = select(func.count()).where(PACKAGE.request_id == request_id, PACKAGE.number == number)
        with self._database.read() as connection:
            return connection.execute(query).scalar_one() == 1

    def with_live_packages(self, since: datetime, waiting_polls: int) -> set[str]:
        """Return the requests that are not finished for the caller, or not longer than since an instant."""
        is_open = or_(REQUEST.finished_at.is_(None), REQUEST.polls <= waiting_polls)
        query = select(REQUEST.id).where(or_(REQUEST.finished_at > since, is_open))
        with self._database.read() as connection:
            return set(connection.execute(query).scalars())
