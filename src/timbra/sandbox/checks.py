"""The check of what a sandbox derives from its stamps: the CFDI and relations of its ledger; and of its own keys."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, select

from timbra.accounts.build import envelope_encryption
from timbra.container.build import data_folder
from timbra.core.errors import ServiceError
from timbra.database.membership import rows_in
from timbra.database.tables.column_types import to_microseconds
from timbra.database.tables.stamps import EVENT, OUTBOX
from timbra.delivery.consumer import DELIVERIES, unread_stamps
from timbra.events.dispatcher import set_apart
from timbra.fsck.check import ExaminedStamp, FsckCheck, FsckRun
from timbra.fsck.derived_rows import DerivedRows, DerivedTable, Values
from timbra.fsck.findings import Cure, FsckFinding, shown
from timbra.fsck.keys import belongs, opened
from timbra.fsck.reading import Unreadable, unreadable
from timbra.sandbox.authority.certificates.authority import key_context
from timbra.sandbox.authority.ledger.document_index import DocumentIndexEntry, index_document
from timbra.sandbox.store.tables import SANDBOX_DOCUMENT, SANDBOX_KEY, SANDBOX_RELATION
from timbra.seals.certificates.certificate import read_certificate

D, R, K = SANDBOX_DOCUMENT.c, SANDBOX_RELATION.c, SANDBOX_KEY.c
DELIVERED = "delivered"


def ledger_observers(run: FsckRun) -> Sequence[DerivedRows]:
    """Compare the ledger with the stamps; imported CFDI have none."""
    if not run.container.environment.is_sandbox:
        return ()
    read = _last_read()

    def documents(stamp: ExaminedStamp) -> Iterable[Values] | None:
        found = read(stamp)
        if found is None:
            return None
        issued_at, total = to_microseconds(found.issued_at), (found.total, str(found.total_mxn), found.seal_tail)
        parties = (found.version, found.kind, found.issuer_rfc, found.receiver_rfc)
        return [(found.uuid, *parties, *total, issued_at, found.year, found.fuel)]

    def relations(stamp: ExaminedStamp) -> Iterable[Values] | None:
        found = read(stamp)
        return None if found is None else [(found.uuid, *pair) for pair in found.relations]

    columns = (D.uuid, D.version, D.kind, D.issuer_rfc, D.receiver_rfc, D.total, D.total_mxn, D.seal_tail, D.issued_at)
    is_own = D.uuid == R.uuid, D.origin == DELIVERED
    tables = (
        DerivedTable(
            SANDBOX_DOCUMENT,
            (*columns, D.year, D.fuel),
            1,
            "uuid",
            documents,
            (D.origin == DELIVERED,),
            waiting=_waiting,
            may_insert=False,
        ),
        DerivedTable(
            SANDBOX_RELATION,
            (R.uuid, R.related, R.relation),
            3,
            "uuid",
            relations,
            (select(D.uuid).where(*is_own).exists(),),
            waiting=_waiting,
        ),
    )
    return [DerivedRows(run, table) for table in tables]


def _waiting(connection: Connection, uuids: Collection[Any]) -> set[str]:
    """Return those of some folios that are not delivered yet."""
    queries = (
        (unread_stamps(connection).with_only_columns(EVENT.c.subject), EVENT.c.subject),
        (
            select(OUTBOX.c.subject).where(OUTBOX.c.kind == "stamp"),
            OUTBOX.c.subject,
        ),
        (select(EVENT.c.subject).where(set_apart(DELIVERIES)), EVENT.c.subject),
    )
    return {row[0] for query, column in queries for row in rows_in(connection, query, column, uuids)}


def _last_read() -> Callable[[ExaminedStamp], DocumentIndexEntry | None]:
    """Return a function that reads the document of a stamp; it reads it once for several calls in succession."""
    last: list[tuple[bytes, DocumentIndexEntry | None]] = []

    def read(stamp: ExaminedStamp) -> DocumentIndexEntry | None:
        if not last or last[0][0] is not stamp.cfdi:
            last[:] = [(stamp.cfdi, _entry(stamp))]
        return last[0][1]

    return read


def _entry(stamp: ExaminedStamp) -> DocumentIndexEntry | None:
    try:
        return None if stamp.document is None else index_document(stamp.document)
    except ServiceError:
        return None


def check_keys(run: FsckRun) -> Iterator[FsckFinding]:
    """Open the keys of the sandbox, and compare their certificates with the published files."""
    if not run.container.environment.is_sandbox:
        return
    envelope, folder = run.container.get(envelope_encryption), run.container.get(data_folder) / "certificates"
    for row in run.reader(SANDBOX_KEY.name).rows(tuple(K), (K.role,)):
        if isinstance(row, Unreadable):
            yield from unreadable(row, SANDBOX_KEY.name)
            continue
        key = shown(row.role)
        plain, findings = opened(envelope, row.sealed_key, key_context(row.role), SANDBOX_KEY.name, key)
        yield from findings
        try:
            certificate = read_certificate(row.certificate)
        except (ServiceError, TypeError, ValueError) as error:
            values = ("certificate", shown(str(error)))
            yield FsckFinding("document-damaged", SANDBOX_KEY.name, key, *values, cure=Cure.RESTORE)
            continue
        if certificate.number != row.number:
            numbers = (shown(row.number), certificate.number)
            yield FsckFinding("certificate-differs", SANDBOX_KEY.name, key, "number", *numbers)
        if plain is not None and not belongs(plain, certificate):
            yield FsckFinding("key-unusable", SANDBOX_KEY.name, key, "certificate", cure=Cure.RESTORE)
        file = folder / f"{row.number}.cer"
        if file.exists() and file.read_bytes() != row.certificate:
            yield FsckFinding("file-differs", f"{folder.name}/{file.name}", "", cure=Cure.DECIDE)


CHECKS = (FsckCheck("ledger", observers=ledger_observers), FsckCheck("keys of the sandbox", check_keys))
