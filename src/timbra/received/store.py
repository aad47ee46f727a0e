"""Validations of received documents: runs and their results, kept for a term."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, delete, func, or_, select, update

from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.received.tables import VALIDATION_RESULT, VALIDATION_RUN

WRONG = ("invalid", "unreadable")
"""Results that count as wrong."""
PLACEHOLDERS = 500
"""Values of one query."""
RUN, RESULT = VALIDATION_RUN.c, VALIDATION_RESULT.c
Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A validation of received documents.

    Attributes:
        created_at: Wall instant.
        label: Name of the first file.
        documents: Number of documents.
        wrong: Number of those with errors or not readable.
    """

    number: int
    account_id: int
    created_at: datetime
    label: str
    documents: int
    wrong: int


@dataclass(frozen=True, slots=True)
class NewResult:
    """The result of one document.

    Attributes:
        digest: Of its name and content: a document that is sent again to the same run is left out.
        is_metadata: Whether it is a line of a metadata file.
        search: RFC, names, folios and file name, see `timbra.cfdi.search_words.normalized`.
        document: Columns of `documents`, as JSON.
        findings: Rows of `findings`, as JSON.
    """

    digest: str
    is_metadata: bool
    search: str
    document: Values
    findings: list[Values]


@dataclass(frozen=True, slots=True)
class StoredResult:
    """A stored result; for the attributes see `NewResult`.

    Attributes:
        duplicate_of: Number of the first document with the same UUID; None for a first one.
    """

    document_id: int
    is_metadata: bool
    duplicate_of: int | None
    document: Values
    findings: list[Values]


@dataclass(frozen=True, slots=True)
class ResultFilter:
    """Conditions of a list; an empty text or False for none.

    Attributes:
        text: Part of `NewResult.search`.
        result: Column `result`; `wrong` for all of `WRONG`, `none` for lines of metadata.
        status: Column `status`; `none` for an unknown one.
        is_listed: Documents with a party in the list of article 69-B.
        is_duplicate: Documents whose UUID another one has.
        not_received_by: Documents whose receiver is none of these RFC; None for no condition.
    """

    text: str = ""
    result: str = ""
    status: str = ""
    is_listed: bool = False
    is_duplicate: bool = False
    not_received_by: Sequence[str] | None = None


class ReceivedRepository:
    """Rows of `validation_run` and `validation_result`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, account_id: int, submission: str, label: str, at: datetime) -> tuple[int, bool]:
        """Insert a run.

        Args:
            submission: Key of the form.
            label: Name of the first file.
            at: Wall instant.

        Returns:
            Its number, and whether it is new; the run of the same form otherwise.
        """
        values = {"account_id": account_id, "submission": submission, "label": label, "created_at": at}
        statement = self._database.insert(VALIDATION_RUN).values(**values, documents=0, wrong=0)
        own = and_(RUN.account_id == account_id, RUN.submission == submission)
        with self._database.write() as connection:
            inserted = connection.execute(statement.on_conflict_do_nothing().returning(RUN.id)).scalar_one_or_none()
            number: int = connection.execute(select(RUN.id).where(own)).scalar_one()
        return number, inserted is not None

    def find(self, account_id: int, number: int) -> StoredRun | None:
        """Return a run of the account; None when it has no such run."""
        with self._database.read() as connection:
            row = connection.execute(_runs().where(RUN.account_id == account_id, RUN.id == number)).one_or_none()
        return None if row is None else StoredRun(*row)

    def runs(self, account_id: int, limit: int) -> list[StoredRun]:
        """Return the newest runs of the account."""
        query = _runs().where(RUN.account_id == account_id).order_by(RUN.created_at.desc(), RUN.id.desc())
        with self._database.read() as connection:
            return [StoredRun(*row) for row in connection.execute(query.limit(limit))]

    def add(self, account_id: int, number: int, results: Sequence[NewResult], limit: int, run_limit: int) -> None:
        """Insert results, except those whose digest the run has.

        Args:
            number: Its run.
            results: The results, in their order.
            limit: Maximum number of documents of the account, in all its runs.
            run_limit: Maximum number of documents of the run.

        Raises:
            ServiceError: "run-unknown" when the run was deleted, "TB4005" when there is no place.
        """
        with self._database.write() as connection:
            own = and_(RUN.id == number, RUN.account_id == account_id)
            # The first statement of the transaction locks the row: two requests number their documents in turn.
            if connection.execute(update(VALIDATION_RUN).where(own).values(wrong=RUN.wrong)).rowcount == 0:
                raise ServiceError("run-unknown")
            digests = [result.digest for result in results]
            known = set(_column(connection, RESULT.digest, RESULT.digest, number, digests))
            new = [*{result.digest: result for result in results if result.digest not in known}.values()]
            if not new:
                return
            first: int = connection.execute(select(RUN.documents).where(own)).scalar_one()
            of_account = select(func.sum(RUN.documents)).where(RUN.account_id == account_id)
            total = int(connection.execute(of_account).scalar() or 0)
            _check_room(first + len(new), run_limit, "Una revisión admite a lo más {:,} documentos.")
            _check_room(total + len(new), limit, "La cuenta guarda a lo más {:,} documentos; elimine una revisión.")
            firsts = _firsts(connection, number, new)
            rows = [_row(number, place, result, firsts) for place, result in enumerate(new, first)]
            connection.execute(VALIDATION_RESULT.insert(), rows)
            wrong = sum(row["result"] in WRONG for row in rows)
            values = {"documents": first + len(rows), "wrong": RUN.wrong + wrong}
            connection.execute(update(VALIDATION_RUN).where(own).values(values))

    def page(self, number: int, filters: ResultFilter, after: int, limit: int) -> list[StoredResult]:
        """Return results in their order.

        Args:
            number: The run.
            after: Number of the document before the first; -1 for the first page.
            limit: Maximum number of results.
        """
        columns = (RESULT.document_id, RESULT.is_metadata, RESULT.duplicate_of, RESULT.document, RESULT.findings)
        query = select(*columns).where(RESULT.run_id == number, RESULT.document_id > after, *_conditions(filters))
        with self._database.read() as connection:
            return [StoredResult(*row) for row in connection.execute(query.order_by(RESULT.document_id).limit(limit))]

    def count(self, number: int, filters: ResultFilter) -> int:
        query = select(func.count()).select_from(VALIDATION_RESULT)
        with self._database.read() as connection:
            found = connection.execute(query.where(RESULT.run_id == number, *_conditions(filters)))
            return int(found.scalar_one())

    def delete(self, account_id: int, number: int) -> bool:
        """Delete a run with its results; return whether the account had it."""
        with self._database.write() as connection:
            own = select(RUN.id).where(RUN.id == number, RUN.account_id == account_id)
            connection.execute(delete(VALIDATION_RESULT).where(RESULT.run_id.in_(own)))
            return connection.execute(delete(VALIDATION_RUN).where(RUN.id.in_(own))).rowcount > 0

    def expire(self, before: datetime) -> int:
        """Delete the older runs, each in a transaction; return how many."""
        with self._database.read() as connection:
            old = connection.execute(select(RUN.account_id, RUN.id).where(RUN.created_at < before)).all()
        return sum(self.delete(row.account_id, row.id) for row in old)


def _runs() -> Any:
    return select(RUN.id, RUN.account_id, RUN.created_at, RUN.label, RUN.documents, RUN.wrong)


def _check_room(needed: int, limit: int, sentence: str) -> None:
    if needed > limit:
        raise ServiceError("TB4005", sentence.format(limit))


def _column(
    connection: Connection, wanted: ColumnElement[Any], column: ColumnElement[Any], number: int, values: Sequence[str]
) -> list[Any]:
    """Return a column of the rows of a run in which another column has one of the values."""
    found: list[Any] = []
    for start in range(0, len(values), PLACEHOLDERS):
        of_values = column.in_(values[start : start + PLACEHOLDERS])
        found += connection.execute(select(wanted).where(RESULT.run_id == number, of_values)).scalars()
    return found


def _firsts(connection: Connection, number: int, new: Sequence[NewResult]) -> dict[tuple[str, bool], int]:
    """Return the first document of each UUID that the run has; lines of metadata are counted apart."""
    uuids = [*{uuid for result in new if (uuid := result.document.get("uuid"))}]
    firsts: dict[tuple[str, bool], int] = {}
    for start in range(0, len(uuids), PLACEHOLDERS):
        query = select(RESULT.uuid, RESULT.is_metadata, func.min(RESULT.document_id)).where(
            RESULT.run_id == number, RESULT.uuid.in_(uuids[start : start + PLACEHOLDERS])
        )
        for uuid, is_metadata, first in connection.execute(query.group_by(RESULT.uuid, RESULT.is_metadata)):
            firsts[uuid, bool(is_metadata)] = first
    return firsts


def _row(number: int, document_id: int, result: NewResult, firsts: dict[tuple[str, bool], int]) -> Values:
    uuid = result.document.get("uuid")
    first = firsts.setdefault((uuid, result.is_metadata), document_id) if uuid else document_id
    return {
        "run_id": number,
        "document_id": document_id,
        "digest": result.digest,
        "is_metadata": result.is_metadata,
        "duplicate_of": None if first == document_id else first,
        "search": result.search,
        "document": result.document,
        "findings": result.findings,
        **{name: result.document.get(name) for name in ("uuid", "receiver_rfc", "result", "status", "article_69b")},
    }


def _conditions(filters: ResultFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if filters.text:
        conditions.append(RESULT.search.contains(filters.text, autoescape=True))
    if filters.result == "wrong":
        conditions.append(RESULT.result.in_(WRONG))
    elif filters.result:
        conditions.append(RESULT.result.is_(None) if filters.result == "none" else RESULT.result == filters.result)
    if filters.status:
        conditions.append(RESULT.status.is_(None) if filters.status == "none" else RESULT.status == filters.status)
    if filters.is_listed:
        conditions.append(RESULT.article_69b.is_not(None))
    if filters.is_duplicate:
        conditions.append(RESULT.duplicate_of.is_not(None))
    if filters.not_received_by is not None:
        other = RESULT.receiver_rfc.not_in(filters.not_received_by)
        conditions.append(or_(RESULT.receiver_rfc.is_(None), other))
    return conditions
