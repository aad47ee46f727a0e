"""Storage of synchronizations, their requests and packages. An equal question is never stored twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Select, and_, func, or_, select, update

from timbra.database.database import Database
from timbra.database.membership import rows_in
from timbra.received.documents.models import IN_FORCE
from timbra.received.documents.tables import RECEIVED_DOCUMENT
from timbra.received.synchronization.models import (
    OPEN,
    TIME_FORMAT,
    BulkPackage,
    BulkPackageState,
    BulkRequest,
    BulkRequestState,
    IssuePeriod,
    PackageContent,
    SyncReport,
    SyncState,
    TaxpayerSync,
    Values,
)
from timbra.received.synchronization.tables import RECEIVED_PACKAGE, RECEIVED_REQUEST, RECEIVED_SYNC

SYNC, REQUEST, PACKAGE, DOCUMENT = RECEIVED_SYNC.c, RECEIVED_REQUEST.c, RECEIVED_PACKAGE.c, RECEIVED_DOCUMENT.c
LOCAL_TIMES = ("since", "planned_until", "starts", "until", "ends")
XML_REQUESTS = 3
"""How often the SAT is asked for the XML of a document; its metadata stays."""
MAX_MESSAGES = 5
_SYNCS = select(*(SYNC[field.name] for field in fields(TaxpayerSync)))
_REQUESTS = select(*(REQUEST[field.name] for field in fields(BulkRequest)))
_PACKAGES = select(*(PACKAGE[field.name] for field in fields(BulkPackage)))
_IS_OPEN = REQUEST.state.in_(OPEN)


class SyncRepository:
    """Rows of `received_sync`, `received_request` and `received_package`.

    The methods with a connection are parts of the caller's transaction.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Open a durable transaction."""
        with self._database.write() as connection:
            yield connection

    def start(self, connection: Connection, values: Values) -> None:
        """Insert a synchronization, or make the one of its side active again."""
        written = {"state": SyncState.ACTIVE, "reason": "", **_written(values)}
        again = {"state": SyncState.ACTIVE, "reason": "", "resume_at": None}
        key = [SYNC.account_id, SYNC.rfc, SYNC.kind, SYNC.is_issued]
        statement = self._database.insert(RECEIVED_SYNC).values(written)
        connection.execute(statement.on_conflict_do_update(index_elements=key, set_=again))

    def change_sync(self, connection: Connection, account_id: int, rfc: str, values: Values) -> int:
        """Change all sides of a taxpayer; return their number."""
        own = and_(SYNC.account_id == account_id, SYNC.rfc == rfc)
        return connection.execute(update(RECEIVED_SYNC).where(own).values(values)).rowcount

    def change_side(self, connection: Connection, sync_id: int, values: Values) -> None:
        connection.execute(update(RECEIVED_SYNC).where(SYNC.id == sync_id).values(_written(values)))

    def syncs(self, account_id: int | None = None, rfc: str | None = None) -> list[TaxpayerSync]:
        """Return the synchronizations, of an account and of a taxpayer if given."""
        query = _SYNCS.order_by(SYNC.account_id, SYNC.rfc, SYNC.kind, SYNC.is_issued)
        if account_id is not None:
            query = query.where(SYNC.account_id == account_id)
        if rfc is not None:
            query = query.where(SYNC.rfc == rfc)
        with self._database.read() as connection:
            return [_sync(row) for row in connection.execute(query)]

    def received_by(self) -> list[tuple[int, str]]:
        """Return accounts and the RFC of taxpayers whose received documents are downloaded."""
        syncs = [sync for sync in self.syncs() if sync.state is not SyncState.STOPPED and not sync.is_issued]
        return list(dict.fromkeys((sync.account_id, sync.rfc) for sync in syncs))

    def ask(self, connection: Connection, sync: TaxpayerSync, period: IssuePeriod, values: Values) -> None:
        """Insert a request for a period, with the first end from that of the period which was never asked for."""
        own = and_(REQUEST.rfc == sync.rfc, REQUEST.kind == sync.kind, REQUEST.is_issued.is_(sync.is_issued))
        starts, until = (at.strftime(TIME_FORMAT) for at in (period.starts, period.until))
        query = select(REQUEST.ends).where(own, REQUEST.starts == starts, REQUEST.ends >= until)
        used, ends = set(connection.execute(query).scalars()), period.until
        row = {
            "sync_id": sync.id,
            "account_id": sync.account_id,
            "rfc": sync.rfc,
            "kind": sync.kind,
            "is_issued": sync.is_issued,
            "starts": starts,
            "until": until,
            "state": BulkRequestState.PLANNED,
            "request_id": "",
            "attempt": 1,
            "failures": 0,
            "polls": 0,
            "code": "",
            "message": "",
            "documents": 0,
            **values,
        }
        while True:
            text = ends.strftime(TIME_FORMAT)
            if text not in used:
                # Another account may ask for the same taxpayer at this moment.
                statement = self._database.insert(RECEIVED_REQUEST).values(ends=text, **row)
                if connection.execute(statement.on_conflict_do_nothing().returning(REQUEST.id)).first() is not None:
                    return
            ends += timedelta(seconds=1)

    def change_request(self, connection: Connection, request: BulkRequest, values: Values) -> bool:
        """Change a request unless another process changed its state; return whether it was changed."""
        own = and_(REQUEST.id == request.id, REQUEST.state == request.state)
        return connection.execute(update(RECEIVED_REQUEST).where(own).values(values)).rowcount > 0

    def next_request(self, sync_ids: Sequence[int], state: BulkRequestState, at: datetime) -> BulkRequest | None:
        """Return the request that is due longest in a state; one of metadata first."""
        query = _REQUESTS.where(REQUEST.sync_id.in_(sync_ids), REQUEST.state == state, REQUEST.due_at <= at)
        query = query.order_by(REQUEST.is_metadata.desc(), REQUEST.due_at, REQUEST.id).limit(1)
        with self._database.read() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else _request(row)

    def request(self, number: int) -> BulkRequest:
        with self._database.read() as connection:
            return _request(connection.execute(_REQUESTS.where(REQUEST.id == number)).one())

    def count_waiting(self, sync_ids: Sequence[int]) -> int:
        """Return the number of requests that wait at the SAT."""
        waiting = and_(REQUEST.sync_id.in_(sync_ids), REQUEST.state == BulkRequestState.WAITING)
        with self._database.read() as connection:
            return int(connection.execute(select(func.count()).where(waiting)).scalar_one())

    def side(self, number: int) -> TaxpayerSync:
        with self._database.read() as connection:
            return _sync(connection.execute(_SYNCS.where(SYNC.id == number)).one())

    def in_state(self, sync_ids: Sequence[int], state: BulkRequestState) -> list[BulkRequest]:
        query = _REQUESTS.where(REQUEST.sync_id.in_(sync_ids), REQUEST.state == state).order_by(REQUEST.id)
        with self._database.read() as connection:
            return [_request(row) for row in connection.execute(query)]

    def newest(self, account_id: int, rfc: str, limit: int, before: int | None = None) -> list[BulkRequest]:
        """Return the newest requests of a taxpayer. `before`: Number of the last one of the previous page."""
        query = _REQUESTS.where(REQUEST.account_id == account_id, REQUEST.rfc == rfc)
        query = query if before is None else query.where(REQUEST.id < before)
        with self._database.read() as connection:
            return [_request(row) for row in connection.execute(query.order_by(REQUEST.id.desc()).limit(limit))]

    def packages_of(self, requests: Sequence[int]) -> list[BulkPackage]:
        with self._database.read() as connection:
            return [
                _package(row) for row in rows_in(connection, _PACKAGES.order_by(PACKAGE.id), PACKAGE.request, requests)
            ]

    def next_due(self, sync_ids: Sequence[int]) -> datetime | None:
        """Return the earliest instant at which a request or a package is due; None when none is open."""
        with self._database.read() as connection:
            return self._next_due(connection, sync_ids)

    def _next_due(self, connection: Connection, sync_ids: Sequence[int]) -> datetime | None:
        requests = select(func.min(REQUEST.due_at)).where(
            REQUEST.sync_id.in_(sync_ids), REQUEST.state.in_((BulkRequestState.PLANNED, BulkRequestState.WAITING))
        )
        packages = self._packages(sync_ids, BulkPackageState.WAITING, BulkPackageState.STORED)
        earliest = packages.with_only_columns(func.min(PACKAGE.due_at)).order_by(None)
        found = [connection.execute(query).scalar_one_or_none() for query in (requests, earliest)]
        return min((at for at in found if at is not None), default=None)

    def is_asked(self, sync: TaxpayerSync, period: IssuePeriod) -> bool:
        """Whether an open request for XML shares a part of a period."""
        starts, until = (at.strftime(TIME_FORMAT) for at in (period.starts, period.until))
        shared = and_(REQUEST.starts <= until, REQUEST.until >= starts)
        query = select(REQUEST.id).where(REQUEST.sync_id == sync.id, REQUEST.is_metadata.is_(False), _IS_OPEN, shared)
        with self._database.read() as connection:
            return connection.execute(query.limit(1)).first() is not None

    def add_packages(self, connection: Connection, request: BulkRequest, packages: Sequence[str], at: datetime) -> None:
        """Insert the packages of a request; their identifiers are compared without case."""
        rows = [
            {
                "request": request.id,
                "account_id": request.account_id,
                "package_id": package,
                "state": BulkPackageState.WAITING,
                "downloads": 0,
                "failures": 0,
                "size": 0,
                "documents": 0,
                "broken": 0,
                "foreign": 0,
                "samples": [],
                "message": "",
                "due_at": at,
            }
            for package in {package.lower(): package for package in packages}.values()
        ]
        connection.execute(self._database.insert(RECEIVED_PACKAGE).on_conflict_do_nothing(), rows)

    def next_package(self, sync_ids: Sequence[int], state: BulkPackageState, at: datetime) -> BulkPackage | None:
        """Return the package that is due longest in a state."""
        query = self._packages(sync_ids, state).where(PACKAGE.due_at <= at).limit(1)
        with self._database.read() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else _package(row)

    def change_package(self, connection: Connection, number: int, values: Values) -> None:
        connection.execute(update(RECEIVED_PACKAGE).where(PACKAGE.id == number).values(values))

    def finish_package(self, connection: Connection, number: int, content: PackageContent) -> None:
        """Store that the documents of a package are stored."""
        counted = {name: getattr(content, name) for name in ("documents", "broken", "foreign")}
        values = {**counted, "samples": list(content.samples), "state": BulkPackageState.DONE, "message": ""}
        self.change_package(connection, number, values)

    def states_of_packages(self, request: int) -> list[str]:
        with self._database.read() as connection:
            return list(connection.execute(select(PACKAGE.state).where(PACKAGE.request == request)).scalars())

    def waiting_packages(self, numbers: Sequence[int]) -> set[int]:
        """Return which of these packages are stored or to be downloaded."""
        states = (BulkPackageState.WAITING, BulkPackageState.STORED)
        query = select(PACKAGE.id).where(PACKAGE.id.in_(numbers), PACKAGE.state.in_(states))
        with self._database.read() as connection:
            return set(connection.execute(query).scalars())

    def missing_by_hour(self, sync: TaxpayerSync, period: IssuePeriod) -> dict[datetime, int]:
        """Return the number of documents in force whose XML may be asked for, by the hour of their issue date."""
        hour = func.substr(DOCUMENT.fecha, 1, 13)
        query = select(hour, func.count()).where(_missing(sync), *_within(period)).group_by(hour)
        with self._database.read() as connection:
            return {datetime.fromisoformat(text): count for text, count in connection.execute(query)}

    def count_delivered(self, sync: TaxpayerSync, request: BulkRequest) -> int:
        """Return how many documents of a request are stored: with XML, or with metadata since its period was asked."""
        is_delivered = DOCUMENT.metadata_at >= request.created_at if request.is_metadata else DOCUMENT.has_xml
        period = IssuePeriod(request.starts, request.ends)
        query = select(func.count()).where(*_side(sync), is_delivered, *_within(period))
        with self._database.read() as connection:
            return int(connection.execute(query).scalar_one())

    def count_xml_request(self, connection: Connection, sync: TaxpayerSync, period: IssuePeriod) -> int:
        """Count a request that delivered no XML of documents of a period; return the number of them."""
        statement = update(RECEIVED_DOCUMENT).where(_missing(sync), *_within(period))
        return connection.execute(statement.values(xml_requests=DOCUMENT.xml_requests + 1)).rowcount

    def reports(self, account_id: int | None = None, rfc: str | None = None) -> list[SyncReport]:
        """Return the synchronizations with their numbers."""
        with self._database.read() as connection:
            return [self._report(connection, sync) for sync in self.syncs(account_id, rfc)]

    def _report(self, connection: Connection, sync: TaxpayerSync) -> SyncReport:
        own = REQUEST.sync_id == sync.id
        requests = connection.execute(select(REQUEST.state, func.count()).where(own).group_by(REQUEST.state))
        packages = connection.execute(
            select(PACKAGE.state, func.count(), func.sum(PACKAGE.broken))
            .join(RECEIVED_REQUEST, PACKAGE.request == REQUEST.id)
            .where(own)
            .group_by(PACKAGE.state)
        ).all()
        side = _side(sync)
        failed = select(REQUEST.message).where(own, REQUEST.state == BulkRequestState.FAILED)
        is_sent = and_(own, REQUEST.state != BulkRequestState.PLANNED)
        sent = select(REQUEST.is_metadata, func.count()).where(is_sent).group_by(REQUEST.is_metadata)
        by_type = {bool(row[0]): row[1] for row in connection.execute(sent)}
        return SyncReport(
            sync,
            {row[0]: row[1] for row in requests},
            {row[0]: row[1] for row in packages},
            connection.execute(select(func.count()).where(*side)).scalar_one(),
            connection.execute(
                select(func.count()).where(*side, DOCUMENT.has_xml.is_(False), DOCUMENT.status == IN_FORCE)
            ).scalar_one(),
            sum(int(row[2] or 0) for row in packages),
            tuple(connection.execute(failed.order_by(REQUEST.id.desc()).limit(MAX_MESSAGES)).scalars()),
            by_type.get(True, 0),
            by_type.get(False, 0),
            self._next_due(connection, [sync.id]),
        )

    @staticmethod
    def _packages(sync_ids: Sequence[int], *states: BulkPackageState) -> Select[Any]:
        query = _PACKAGES.join(RECEIVED_REQUEST, PACKAGE.request == REQUEST.id)
        query = query.where(REQUEST.sync_id.in_(sync_ids), PACKAGE.state.in_(states))
        return query.order_by(PACKAGE.due_at, PACKAGE.id)


def _side(sync: TaxpayerSync) -> tuple[Any, ...]:
    party = DOCUMENT.issuer_rfc if sync.is_issued else DOCUMENT.receiver_rfc
    return DOCUMENT.account_id == sync.account_id, party == sync.rfc, DOCUMENT.kind == sync.kind


def _missing(sync: TaxpayerSync) -> Any:
    is_missing = and_(DOCUMENT.has_xml.is_(False), DOCUMENT.xml_requests < XML_REQUESTS)
    return and_(*_side(sync), is_missing, or_(DOCUMENT.status == IN_FORCE, DOCUMENT.status.is_(None)))


def _within(period: IssuePeriod) -> tuple[Any, ...]:
    starts, until = (at.strftime(TIME_FORMAT) for at in (period.starts, period.until))
    return DOCUMENT.fecha >= starts, DOCUMENT.fecha <= until


def _read(row: Any) -> Values:
    values = dict(row._mapping)
    for name in LOCAL_TIMES:
        if values.get(name):
            values[name] = datetime.fromisoformat(values[name])
    return values


def _written(values: Mapping[str, Any]) -> Values:
    return {
        name: value.strftime(TIME_FORMAT) if name in LOCAL_TIMES and value is not None else value
        for name, value in values.items()
    }


def _sync(row: Any) -> TaxpayerSync:
    return TaxpayerSync(**{**(values := _read(row)), "state": SyncState(values["state"])})


def _request(row: Any) -> BulkRequest:
    return BulkRequest(**{**(values := _read(row)), "state": BulkRequestState(values["state"])})


def _package(row: Any) -> BulkPackage:
    return BulkPackage(**{**(values := _read(row)), "state": BulkPackageState(values["state"])})
