"""Storage of the documents that an account received or issued: one row for each UUID, and the XML apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import Connection, and_, bindparam, or_, select, update

from timbra.core.clock import Clock
from timbra.database.codec import decode, encode
from timbra.database.database import Database
from timbra.database.membership import rows_in
from timbra.events.event_log import Event, append_events
from timbra.received.documents.lists import COLUMNS, DOCUMENT, DocumentLists
from timbra.received.documents.models import (
    CANCELLED,
    CANCELLED_EVENT,
    DIFFERENT_EVENT,
    IN_FORCE,
    LISTED_EVENT,
    METADATA_ONLY,
    PENDING,
    PENDING_EVENT,
    SAT,
    DeliveredXml,
    DocumentMetadata,
    MetadataTotals,
    Outcome,
    ReceivedDocument,
    ReceivedHeader,
    ReceivedStatus,
)
from timbra.received.documents.tables import RECEIVED_DOCUMENT, RECEIVED_ISSUER, RECEIVED_XML

PART = 500
"""Documents of one transaction."""
ISSUER = RECEIVED_ISSUER.c
Values = dict[str, Any]
Item = TypeVar("Item")
OUTCOME_NAMES = ("source", "sha256", "result", "errors", "warnings", "article_69b", "seal_tail")
XML_NAMES = (
    *(name for name in ReceivedHeader.__slots__ if name != "uuid"),
    *OUTCOME_NAMES,
    *("origin", "has_xml", "changed_at", "other_sha256", "other_source"),
)
"""Columns that an XML changes."""


@dataclass(frozen=True, slots=True)
class _Changes:
    """What the XML of one transaction change: rows and XML by the id of the document, and events."""

    rows: dict[int, Values] = field(default_factory=dict)
    xml: dict[int, DeliveredXml] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)


class DocumentStore:
    """Rows of `received_document` and `received_xml`. Every change of a status is an event in its transaction.

    Attributes:
        lists: Lists of the documents.
    """

    def __init__(self, database: Database, wall: Clock, fiscal: Clock) -> None:
        self._database = database
        self._wall = wall
        self._fiscal = fiscal
        self.lists = DocumentLists(database)

    def put_metadata(self, account_id: int, rows: Sequence[DocumentMetadata]) -> MetadataTotals:
        """Store rows of metadata; a known document gets the status and the time of its cancellation.

        A known document that is cancelled now is an event `received.cancelled`.
        """
        new = changed = 0
        for part in _parts([*{row.header.uuid: row for row in rows}.values()]):
            at = self._wall.now()
            with self._database.write() as connection:
                inserted = self._insert(connection, [_metadata_values(account_id, row, at) for row in part])
                new += len(inserted)
                known = {row.header.uuid: row for row in part if row.header.uuid not in inserted}
                changed += self._update_metadata(connection, account_id, known, at)
        return MetadataTotals(new, changed)

    def put_xml(
        self,
        account_id: int,
        documents: Sequence[DeliveredXml],
        record: Callable[[Connection, Sequence[Outcome]], None] | None = None,
    ) -> list[Outcome]:
        """Store XML, once for each UUID; an XML of the SAT replaces a differing one of another source.

        An XML that differs from the stored one, or replaces it, is an event `received.different`.

        Args:
            record: Called with the outcomes of each part, in its transaction.

        Returns:
            The outcome of each document.
        """
        outcomes: list[Outcome] = []
        for part in _parts(documents):
            at = self._wall.now()
            with self._database.write() as connection:
                firsts = {document.header.uuid: document for document in reversed(part)}
                inserted = self._insert(connection, [_xml_values(account_id, each, at) for each in firsts.values()])
                stored = self._lock(connection, account_id, list(firsts))
                changes = _Changes()
                for document in part:
                    row = stored[document.header.uuid]
                    if row["uuid"] in inserted and document is firsts[row["uuid"]]:
                        changes.xml[row["id"]] = document
                        outcomes.append(Outcome.NEW)
                    else:
                        outcomes.append(self._merge(changes, row, document, at))
                self._write(connection, changes)
                if record is not None:
                    record(connection, outcomes[-len(part) :])
        return outcomes

    def put_statuses(self, account_id: int, answers: Sequence[ReceivedStatus]) -> int:
        """Store answers of the status service; return the number of documents whose status changed.

        A document that is cancelled now is an event `received.cancelled`, one whose cancellation waits for the answer
        of its receiver since now is an event `received.cancellation-pending`.
        """
        by_uuid, at, changed, events = {answer.uuid: answer for answer in answers}, self._wall.now(), 0, []
        with self._database.write() as connection:
            for uuid, row in self._lock(connection, account_id, list(by_uuid)).items():
                answer = by_uuid[uuid]
                values: Values = {"status_at": at, "cancellation": answer.cancellation or None}
                if answer.status == CANCELLED:
                    values["status"] = CANCELLED
                if values.get("status", row["status"]) != row["status"]:
                    events.append(self._event(CANCELLED_EVENT, row, at))
                elif answer.cancellation == PENDING != row["cancellation"]:
                    events.append(self._event(PENDING_EVENT, row, at))
                if any(values[name] != row[name] for name in values if name != "status_at"):
                    changed, values = changed + 1, {**values, "changed_at": at}
                connection.execute(update(RECEIVED_DOCUMENT).where(DOCUMENT.id == row["id"]).values(values))
            append_events(connection, events)
        return changed

    def watched(self, account_id: int, rfc: str, since: str, limit: int) -> list[ReceivedDocument]:
        """Return documents in force that a taxpayer received, those first whose status was queried longest ago.

        Args:
            since: Lower bound of `fecha`.
        """
        own = (DOCUMENT.account_id == account_id, DOCUMENT.receiver_rfc == rfc, DOCUMENT.fecha >= since)
        query = select(*COLUMNS).where(*own, or_(DOCUMENT.status == IN_FORCE, DOCUMENT.status.is_(None)))
        query = query.order_by(DOCUMENT.status_at.asc().nulls_first(), DOCUMENT.id).limit(limit)
        with self._database.read() as connection:
            return [ReceivedDocument(*row) for row in connection.execute(query)]

    def issuers(self, account_id: int) -> list[str]:
        """Return the RFC of the issuers of an account's documents."""
        query = select(DOCUMENT.issuer_rfc).where(DOCUMENT.account_id == account_id).distinct()
        with self._database.read() as connection:
            return list(connection.execute(query.order_by(DOCUMENT.issuer_rfc)).scalars())

    def put_situations(self, account_id: int, situations: Mapping[str, str | None]) -> int:
        """Store the situation of issuers in the list of article 69-B; return the number of those that changed.

        Each change is an event `received.article-69b`, and the documents of the issuer get the situation.
        """
        at, changed = self._wall.now(), 0
        query = select(ISSUER.rfc, ISSUER.article_69b).where(ISSUER.account_id == account_id)
        with self._database.read() as connection:
            known = {row.rfc: row.article_69b for row in connection.execute(query)}
        for rfc in sorted(situations):
            if situations[rfc] != known.get(rfc):
                changed += 1
                self._put_situation(account_id, rfc, known.get(rfc), situations[rfc], at)
        return changed

    def _put_situation(self, account_id: int, rfc: str, before: str | None, now: str | None, at: datetime) -> None:
        values = {"article_69b": now, "changed_at": at}
        statement = self._database.insert(RECEIVED_ISSUER).values(account_id=account_id, rfc=rfc, **values)
        key = [ISSUER.account_id, ISSUER.rfc]
        of_issuer = and_(DOCUMENT.account_id == account_id, DOCUMENT.issuer_rfc == rfc)
        with self._database.write() as connection:
            connection.execute(statement.on_conflict_do_update(index_elements=key, set_=values))
            count = connection.execute(update(RECEIVED_DOCUMENT).where(of_issuer).values(values)).rowcount
            body = {"issuerRfc": rfc, "situation": now, "before": before, "documents": count}
            append_events(connection, [Event(at, self._fiscal.now(), account_id, LISTED_EVENT, rfc, "", body)])

    def find(self, account_id: int, uuid: str) -> ReceivedDocument | None:
        """Return a document of an account; None when it has none of that UUID."""
        query = select(*COLUMNS).where(DOCUMENT.account_id == account_id, DOCUMENT.uuid == uuid.lower())
        with self._database.read() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else ReceivedDocument(*row)

    def xml(self, account_id: int, uuid: str) -> bytes | None:
        """Return the XML as it was delivered; None without one."""
        query = select(RECEIVED_XML.c.xml).join(RECEIVED_DOCUMENT, DOCUMENT.id == RECEIVED_XML.c.document_id)
        query = query.where(DOCUMENT.account_id == account_id, DOCUMENT.uuid == uuid.lower())
        with self._database.read() as connection:
            stored = connection.execute(query).scalar_one_or_none()
        return None if stored is None else decode(stored)

    def xml_of(self, account_id: int, uuids: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """Yield UUID and XML of the documents that have one, in no order. `uuids`: In lower case."""
        query = select(DOCUMENT.uuid, RECEIVED_XML.c.xml).join(RECEIVED_XML, DOCUMENT.id == RECEIVED_XML.c.document_id)
        with self._database.read() as connection:
            found = list(rows_in(connection, query.where(DOCUMENT.account_id == account_id), DOCUMENT.uuid, uuids))
        yield from ((row.uuid, decode(row.xml)) for row in found)

    def findings(self, document_id: int) -> list[Values]:
        """Return the findings of the validation of a document, rows of `findings` as JSON."""
        query = select(RECEIVED_XML.c.findings).where(RECEIVED_XML.c.document_id == document_id)
        with self._database.read() as connection:
            return list(connection.execute(query).scalar_one_or_none() or [])

    def known_hashes(self, account_id: int, uuids: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Return hash and source of the stored XML, by UUID."""
        query = select(DOCUMENT.uuid, DOCUMENT.sha256, DOCUMENT.source)
        query = query.where(DOCUMENT.account_id == account_id, DOCUMENT.has_xml)
        with self._database.read() as connection:
            return {row.uuid: (row.sha256, row.source) for row in rows_in(connection, query, DOCUMENT.uuid, uuids)}

    def _insert(self, connection: Connection, rows: Sequence[Values]) -> set[str]:
        """Insert rows whose UUID the account does not have; return the UUID of those."""
        if not rows:
            return set()
        # A writer of the same UUID is waited for, so that the caller finds its row.
        statement = self._database.insert(RECEIVED_DOCUMENT).on_conflict_do_nothing(
            index_elements=[DOCUMENT.account_id, DOCUMENT.uuid]
        )
        return set(connection.execute(statement.returning(DOCUMENT.uuid), list(rows)).scalars())

    @staticmethod
    def _lock(connection: Connection, account_id: int, uuids: Sequence[str]) -> dict[str, Values]:
        query = select(RECEIVED_DOCUMENT).where(DOCUMENT.account_id == account_id).order_by(DOCUMENT.id)
        found = rows_in(connection, query.with_for_update(), DOCUMENT.uuid, uuids)
        return {row.uuid: dict(row._mapping) for row in found}

    def _update_metadata(
        self, connection: Connection, account_id: int, known: Mapping[str, DocumentMetadata], at: datetime
    ) -> int:
        events: list[Event] = []
        updates: list[Values] = []
        changed = 0
        for uuid, row in self._lock(connection, account_id, list(known)).items():
            metadata = known[uuid]
            is_changed = (row["status"], row["cancelled_at"]) != (metadata.status, metadata.cancelled_at)
            changed += is_changed
            if metadata.status == CANCELLED != row["status"]:
                cancelled = {**row, "cancelled_at": metadata.cancelled_at}
                events.append(self._event(CANCELLED_EVENT, cancelled, at))
            updates.append(
                {
                    "_id": row["id"],
                    "status": metadata.status,
                    "cancelled_at": metadata.cancelled_at,
                    "provider_rfc": row["provider_rfc"] or metadata.header.provider_rfc,
                    "metadata_at": at,
                    "changed_at": at if is_changed else row["changed_at"],
                }
            )
        if updates:
            connection.execute(update(RECEIVED_DOCUMENT).where(DOCUMENT.id == bindparam("_id")), updates)
        append_events(connection, events)
        return changed

    def _merge(self, changes: _Changes, row: Values, document: DeliveredXml, at: datetime) -> Outcome:
        """Change a row for one more XML of its document; it has the values that are stored, or will be."""
        is_of_sat, before = document.source == SAT, dict(row)
        if not row["has_xml"] or (row["sha256"] != document.sha256 and is_of_sat and row["source"] != SAT):
            outcome = Outcome.REPLACED if row["has_xml"] else Outcome.NEW
            row |= _outcome_values(document, at) | _header_values(document.header)
            if outcome is Outcome.REPLACED:
                row |= {"other_sha256": before["sha256"], "other_source": before["source"]}
            changes.xml[row["id"]] = document
        elif row["sha256"] == document.sha256:
            outcome = Outcome.KNOWN
            row["source"] = SAT if is_of_sat else row["source"]
        else:
            outcome = Outcome.DIFFERENT
            row |= {"other_sha256": document.sha256, "other_source": document.source, "changed_at": at}
        if row != before:
            changes.rows[row["id"]] = row
        is_reported = before["other_sha256"] in (document.sha256, before["sha256"])
        if outcome in (Outcome.REPLACED, Outcome.DIFFERENT) and not is_reported:
            body = {"outcome": str(outcome), "sha256": document.sha256, "source": document.source}
            changes.events.append(self._event(DIFFERENT_EVENT, before, at, body))
        return outcome

    def _write(self, connection: Connection, changes: _Changes) -> None:
        if changes.rows:
            rows = [{"_id": row["id"], **{name: row[name] for name in XML_NAMES}} for row in changes.rows.values()]
            connection.execute(update(RECEIVED_DOCUMENT).where(DOCUMENT.id == bindparam("_id")), rows)
        if changes.xml:
            statement = self._database.insert(RECEIVED_XML)
            statement = statement.on_conflict_do_update(
                index_elements=[RECEIVED_XML.c.document_id],
                set_={name: statement.excluded[name] for name in ("xml", "findings")},
            )
            values = [
                {"document_id": document_id, "xml": encode(each.xml), "findings": list(each.findings)}
                for document_id, each in changes.xml.items()
            ]
            connection.execute(statement, values)
        append_events(connection, changes.events)

    def _event(
        self, kind: str, row: Mapping[str, Any], at: datetime, body: Mapping[str, object] | None = None
    ) -> Event:
        content = {
            "uuid": row["uuid"],
            "issuerRfc": row["issuer_rfc"],
            "receiverRfc": row["receiver_rfc"],
            "total": row["total"],
            "fecha": row["fecha"],
            "cancelledAt": row["cancelled_at"],
            **(body or {}),
        }
        return Event(at, self._fiscal.now(), row["account_id"], kind, row["uuid"], "", content)


def _parts(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    return (items[start : start + PART] for start in range(0, len(items), PART))


def _header_values(header: ReceivedHeader) -> Values:
    return {name: getattr(header, name) for name in ReceivedHeader.__slots__}


def _metadata_values(account_id: int, row: DocumentMetadata, at: datetime) -> Values:
    return {
        "account_id": account_id,
        **_header_values(row.header),
        "status": row.status,
        "cancelled_at": row.cancelled_at,
        "metadata_at": at,
        "source": METADATA_ONLY,
        "has_xml": False,
        "xml_requests": 0,
        "stored_at": at,
        "changed_at": at,
    }


def _xml_values(account_id: int, document: DeliveredXml, at: datetime) -> Values:
    own = {"account_id": account_id, "xml_requests": 0, "stored_at": at}
    return {**own, **_header_values(document.header), **_outcome_values(document, at)}


def _outcome_values(document: DeliveredXml, at: datetime) -> Values:
    values = {name: getattr(document, name) for name in OUTCOME_NAMES}
    return {**values, "origin": document.origin or None, "has_xml": True, "changed_at": at}
