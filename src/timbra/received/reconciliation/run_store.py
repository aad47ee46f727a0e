"""Rows of the reconciliations that accounts order. A process that runs one holds its lease."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Select, and_, delete, func, insert, select, update

from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.database.codec import decode, encode
from timbra.database.database import Database
from timbra.received.reconciliation.run_models import (
    FoundDifference,
    ReconciliationSummary,
    RunOptions,
    RunState,
    StoredReconciliation,
)
from timbra.received.reconciliation.tables import RECONCILIATION, RECONCILIATION_FILE, RECONCILIATION_PART

LEASE = timedelta(minutes=30)
"""Longer than a reconciliation of the largest files; after a kill the next process begins again when it ends."""
PIECE = 1024 * 1024
R, FILE, PART = RECONCILIATION.c, RECONCILIATION_FILE.c, RECONCILIATION_PART.c
WAITING = (RunState.QUEUED.value, RunState.RUNNING.value)
COLUMNS = (
    R.id,
    R.account_id,
    R.created_at,
    R.finished_at,
    R.state,
    R.options,
    R.summary,
    R.failure,
    R.attempts,
)


class RunRepository:
    """Rows of `reconciliation`, `reconciliation_file` and `reconciliation_part`."""

    def __init__(self, database: Database, wall: Clock) -> None:
        self._database = database
        self._wall = wall

    def add(
        self, account_id: int, submission: str, options: RunOptions, files: Sequence[Path], most: int, most_waiting: int
    ) -> int:
        """Insert a reconciliation; return its number, or that of the same submission.

        Args:
            files: The uploaded files, in the order of the options.
            most: Limit of the reconciliations of the account.
            most_waiting: Limit of those that are not finished.

        Raises:
            ServiceError: "TB4005" beyond a limit.
        """
        now, own = self._wall.now(), R.account_id == account_id
        with self._database.write() as connection:
            earlier = connection.execute(select(R.id).where(own, R.submission == submission)).scalar_one_or_none()
            if earlier is not None:
                return int(earlier)
            count = select(func.count()).select_from(RECONCILIATION).where(own)
            if int(connection.execute(count).scalar_one()) >= most:
                raise ServiceError("TB4005", f"Se guardan a lo más {most} conciliaciones; elimine una.")
            if int(connection.execute(count.where(R.state.in_(WAITING))).scalar_one()) >= most_waiting:
                raise ServiceError("TB4005", f"Hay {most_waiting} conciliaciones en proceso; espere a que terminen.")
            values = {
                "account_id": account_id,
                "submission": submission,
                "created_at": now,
                "state": RunState.QUEUED.value,
                "options": msgspec.to_builtins(options, str_keys=True),
                "failure": "",
                "due_at": now,
                "attempts": 0,
            }
            number: int = connection.execute(insert(RECONCILIATION).values(values).returning(R.id)).scalar_one()
            for place, path in enumerate(files):
                for piece_number, piece in enumerate(_pieces(path)):
                    key = {"reconciliation_id": number, "place": place, "number": piece_number}
                    connection.execute(insert(RECONCILIATION_FILE).values(**key, content=encode(piece)))
        return number

    def find(self, account_id: int, number: int) -> StoredReconciliation:
        """Return a reconciliation. Raises ServiceError: "TB4041" for one that the account does not have."""
        with self._database.read() as connection:
            row = connection.execute(_runs().where(R.id == number, R.account_id == account_id)).one_or_none()
        if row is None:
            raise ServiceError("TB4041", "La cuenta no tiene esa conciliación.")
        return _read(tuple(row))

    def newest(self, account_id: int, limit: int) -> list[StoredReconciliation]:
        """Return the newest reconciliations of an account."""
        query = _runs().where(R.account_id == account_id).order_by(R.created_at.desc(), R.id.desc()).limit(limit)
        with self._database.read() as connection:
            return [_read(tuple(row)) for row in connection.execute(query)]

    def delete(self, account_id: int, number: int) -> None:
        """Delete a reconciliation. Raises ServiceError: as `find`."""
        self.find(account_id, number)
        self._delete(number)

    def expire(self, before: datetime) -> int:
        """Delete the older reconciliations, each in a transaction; return how many."""
        with self._database.read() as connection:
            old = list(connection.execute(select(R.id).where(R.created_at < before)).scalars())
        for number in old:
            self._delete(number)
        return len(old)

    def lease(self) -> StoredReconciliation | None:
        """Lease the reconciliation that is due longest; None when none is. One read while none is due."""
        now = self._wall.now()
        due = select(R.id).where(R.due_at <= now, R.state.in_(WAITING)).order_by(R.due_at, R.id).limit(1)
        with self._database.read() as connection:
            if connection.execute(due).first() is None:
                return None
        values = {"state": RunState.RUNNING.value, "due_at": now + LEASE, "attempts": R.attempts + 1}
        # A CTE runs once; a subquery may lock further rows.
        chosen = due.with_for_update(skip_locked=True).cte("chosen")
        statement = update(RECONCILIATION).where(R.id.in_(select(chosen.c.id))).values(values)
        with self._database.write() as connection:
            row = connection.execute(statement.returning(*COLUMNS)).first()
        return None if row is None else _read(tuple(row))

    def write_file(self, number: int, place: int, target: Path) -> None:
        """Write an uploaded file."""
        key = (FILE.reconciliation_id == number, FILE.place == place)
        with target.open("wb") as file:
            piece = 0
            while (content := self._piece(and_(*key, FILE.number == piece))) is not None:
                file.write(decode(content))
                piece += 1

    def add_part(self, number: int, kind: str, part: int, differences: Sequence[FoundDifference]) -> None:
        """Store differences of one kind."""
        content = encode(msgspec.json.encode(list(differences)))
        values = {"reconciliation_id": number, "kind": kind, "number": part, "content": content}
        with self._database.write() as connection:
            connection.execute(insert(RECONCILIATION_PART).values(values))

    def discard_parts(self, number: int) -> None:
        """Delete the differences that an interrupted process stored."""
        with self._database.write() as connection:
            connection.execute(delete(RECONCILIATION_PART).where(PART.reconciliation_id == number))

    def parts(self, number: int, kind: str, first: int = 0) -> Iterator[list[FoundDifference]]:
        """Yield the parts of a kind, from a part on."""
        columns = select(PART.content).where(PART.reconciliation_id == number, PART.kind == kind)
        while True:
            with self._database.read() as connection:
                content = connection.execute(columns.where(PART.number == first)).scalar_one_or_none()
            if content is None:
                return
            yield msgspec.json.decode(decode(content), type=list[FoundDifference])
            first += 1

    def finish(self, number: int, summary: ReconciliationSummary | None, failure: str = "") -> None:
        """Store the end: the numbers, or why it failed. The uploaded files are deleted."""
        values = {
            "state": (RunState.FAILED if summary is None else RunState.DONE).value,
            "summary": None if summary is None else msgspec.to_builtins(summary, str_keys=True),
            "failure": failure,
            "finished_at": self._wall.now(),
            "due_at": None,
        }
        with self._database.write() as connection:
            connection.execute(delete(RECONCILIATION_FILE).where(FILE.reconciliation_id == number))
            connection.execute(update(RECONCILIATION).where(R.id == number).values(values))

    def _piece(self, condition: Any) -> bytes | None:
        with self._database.read() as connection:
            return connection.execute(select(FILE.content).where(condition)).scalar_one_or_none()

    def _delete(self, number: int) -> None:
        with self._database.write() as connection:
            connection.execute(delete(RECONCILIATION_FILE).where(FILE.reconciliation_id == number))
            connection.execute(delete(RECONCILIATION_PART).where(PART.reconciliation_id == number))
            connection.execute(delete(RECONCILIATION).where(R.id == number))


def _runs() -> Select[Any]:
    return select(*COLUMNS)


def _read(row: Sequence[Any]) -> StoredReconciliation:
    number, account_id, created_at, finished_at, state, options, summary, failure, attempts = row
    return StoredReconciliation(
        number,
        account_id,
        created_at,
        finished_at,
        RunState(state),
        msgspec.convert(options, RunOptions, strict=False),
        None if summary is None else msgspec.convert(summary, ReconciliationSummary, strict=False),
        failure,
        attempts,
    )


def _pieces(path: Path) -> Iterable[bytes]:
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece
