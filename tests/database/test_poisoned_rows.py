"""Every kind of batch with one poisoned row: the other rows are processed, the poisoned one is set aside."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from email.message import EmailMessage
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, insert, select, update
from structlog.testing import capture_logs
from tests.delivery.test_submissions import DOCUMENT, RemoteAuthority
from tests.support.sandbox_support import invoice, query
from tests.support.store_records import NOON, MovableClock, claim, record

from timbra.cfdi.cancelacion.request import Cancelacion
from timbra.core.errors import DocumentLocation, ServiceError
from timbra.core.metrics import MetricsRegistry
from timbra.database.database import Database
from timbra.database.tables.mail import EMAIL_OUTBOX
from timbra.database.tables.rejections import USAGE_DAY, USAGE_PROGRESS
from timbra.database.tables.stamps import OUTBOX, STAMP
from timbra.delivery.cancellation_submissions import SubmissionQueue
from timbra.delivery.deliveries import AuthorityOutbox
from timbra.delivery.delivery import deliver_pending
from timbra.documents.mail.addresses import sender
from timbra.documents.mail.consumer import email_consumer
from timbra.documents.mail.mailer import Mailer
from timbra.documents.printing import PrintingService
from timbra.documents.storage import StoredCfdiService
from timbra.events.dispatcher import EventDispatcher
from timbra.events.email import EmailOutbox
from timbra.events.event_log import Event, append_event
from timbra.rejections.log import RejectedRequest, RejectionLog
from timbra.rejections.store import RejectionFilter, RejectionStore
from timbra.sandbox.authority.cancellation.state_machine import Transition
from timbra.sandbox.authority.ledger.ledger import SandboxLedger
from timbra.sandbox.faults import Faults
from timbra.sandbox.store.tables import SANDBOX_DOCUMENT, SANDBOX_REQUEST
from timbra.sandbox.store.transactions import SandboxStore
from timbra.sat.port import CancellationReceipt, RequestOrigin
from timbra.stamps.group_commit import GroupCommit
from timbra.stamps.port import Claim, Outcome, StampRecord, Stored
from timbra.stamps.repository import DatabaseStamps
from timbra.stamps.usage import UsageCounter

KIND = "cancellation"
SUBMITTED = "cancellation.submitted"
LAG = timedelta(minutes=3)

ORIGIN = RequestOrigin(7, "request")
DAYS = date(2026, 11, 1), date(2026, 11, 30)
TOO_LARGE = 2**70
"""A value that no integer column accepts."""

examples = settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
# The size of a batch, which may exceed one read, and the position of the poisoned row.
batches = st.integers(1, 20).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1)))


@pytest.fixture
def stamps(database: Database) -> DatabaseStamps:
    return DatabaseStamps(database, MovableClock(), MovableClock())


def stamp_of(cfdi: Callable[[str], bytes]) -> StampRecord:
    folio = str(uuid4())
    return replace(record(folio, uuid=folio), cfdi=cfdi(folio))


def readable(folio: str) -> bytes:
    return invoice(folio=folio)


UNREADABLE: dict[str, Callable[[str], bytes]] = {
    "cut": lambda folio: readable(folio)[:100],
    "two byte order marks": lambda folio: b"\xef\xbb\xbf\xef\xbb\xbf<" + readable(folio),
    "empty": lambda _: b"",
    "no total": lambda folio: readable(folio).replace(b'Total="2320.00"', b'Total="x"'),
    "damaged": readable,
}


@examples
@given(batches, st.sampled_from(sorted(UNREADABLE)), st.sampled_from(["cached", "not cached"]), st.booleans())
def test_deliveries_go_on_around_a_poisoned_stamp(
    database: Database, stamps: DatabaseStamps, batch: tuple[int, int], kind: str, lookup: str, is_direct: bool
) -> None:
    size, at = batch
    records = [stamp_of(UNREADABLE[kind] if number == at else readable) for number in range(size)]
    poison, others = records[at].uuid, [one.uuid for one in records if one is not records[at]]
    clock = MovableClock(NOON + timedelta(days=30))
    outbox, ledger = (
        AuthorityOutbox(database, clock),
        SandboxLedger(SandboxStore(database), stamps, clock, Faults(SandboxStore(database))),
    )
    with database.write() as connection:
        connection.execute(delete(OUTBOX))
    stamps.claim([Claim(one) for one in records])
    if kind == "damaged":
        with database.write() as connection:
            connection.execute(update(STAMP).where(STAMP.c.uuid == poison).values(cfdi=b"\xff"))

    if lookup == "cached":
        ledger.synchronize()
        assert filed(database, others) == set(others)
    direct = ledger if is_direct else None
    assert deliver_pending(outbox, ledger, lambda _: None, direct=direct) == size - 1

    assert filed(database, [*others, poison]) == set(others)
    [dead] = outbox.list_pending(100)
    assert (dead.subject, dead.dead, bool(dead.reason)) == (poison, True, True)
    for uuid in others[:2]:
        assert ledger.status(query(uuid=uuid, receiver_rfc="XAXX010101000")).status == "Vigente"
    with capture_logs() as logs:
        ledger.synchronize()
    assert logs == []


def filed(database: Database, uuids: Sequence[str]) -> set[str]:
    with database.read() as connection:
        found = select(SANDBOX_DOCUMENT.c.uuid).where(SANDBOX_DOCUMENT.c.uuid.in_(uuids))
        return set(connection.execute(found).scalars())


@examples
@given(batches)
def test_cancellations_end_around_a_poisoned_request(
    database: Database, stamps: DatabaseStamps, batch: tuple[int, int]
) -> None:
    """The poisoned request is for a CFDI that is not stored."""
    size, at = batch
    records = [stamp_of(readable) for _ in range(size)]
    ledger = SandboxLedger(SandboxStore(database), stamps, MovableClock(), Faults(SandboxStore(database)))
    stamps.claim([Claim(one) for one in records])
    ledger.synchronize()
    poison = records[at].uuid
    with database.write() as connection:
        connection.execute(delete(SANDBOX_REQUEST))
        connection.execute(insert(SANDBOX_REQUEST), [request_row(one.uuid) for one in records])
        wanted = SANDBOX_DOCUMENT.c.uuid.in_([one.uuid for one in records])
        connection.execute(update(SANDBOX_DOCUMENT).where(wanted).values(cancellation="En proceso"))
        connection.execute(delete(SANDBOX_DOCUMENT).where(SANDBOX_DOCUMENT.c.uuid == poison))

    with capture_logs() as logs:
        assert ledger.settle() == size - 1
        assert ledger.settle() == 0

    assert [line["uuid"] for line in logs] == [poison]
    with database.read() as connection:
        left = connection.execute(select(SANDBOX_REQUEST.c.uuid, SANDBOX_REQUEST.c.due_at)).all()
    assert [tuple(row) for row in left] == [(poison, None)]


def request_row(uuid: str) -> dict[str, object]:
    return {
        "uuid": uuid,
        "receiver_rfc": "URE180429TM6",
        "motivo": "02",
        "replacement": "",
        "requested_at": NOON - timedelta(days=4),
        "due_at": NOON,
        "outcome": Transition.EXPIRED,
    }


REJECTED = ServiceError("301", "detalle", location=DocumentLocation("a", "b", "c"))


@examples
@given(batches)
def test_rejections_are_logged_around_a_poisoned_one(database: Database, batch: tuple[int, int]) -> None:
    size, at = batch
    store, clock = RejectionStore(database), MovableClock()
    notes = RejectionLog(store, clock, clock, keep_documents=False, days=30)
    ids = [uuid4().hex for _ in range(size)]
    before = rejected_on(database)
    for number, request_id in enumerate(ids):
        account = TOO_LARGE if number == at else 1
        asyncio.run(notes.record(RejectedRequest(account, request_id, "/cfdi33/stamp/v4", REJECTED)))

    with capture_logs() as logs:
        for _ in range(3):
            notes.flush()

    assert kept_of(store, ids) == set(ids) - {ids[at]}
    assert rejected_on(database) == before + size - 1
    unwritten = [line["rejection"] for line in logs if line["log_level"] == "error"]
    assert unwritten == [ids[at], str(((TOO_LARGE, NOON.date()), 1))]


@examples
@given(batches, st.text(st.characters(exclude_categories=()), max_size=20), st.sampled_from(["\0", "\ud800", "\udfff"]))
def test_rejections_with_any_text_are_logged(
    database: Database, batch: tuple[int, int], text: str, character: str
) -> None:
    size, at = batch
    store, clock = RejectionStore(database), MovableClock()
    notes = RejectionLog(store, clock, clock, keep_documents=True, days=30)
    ids = [uuid4().hex for _ in range(size)]
    poison = text + character + text
    for number, request_id in enumerate(ids):
        words = poison if number == at else "a"
        error = ServiceError("301", words, location=DocumentLocation(words, words, words))
        document = b'<cfdi:Comprobante Serie="A"/>' if number == at else b"<Comprobante/>"
        asyncio.run(notes.record(RejectedRequest(1, request_id, "/" + words, error, document)))

    with capture_logs() as logs:
        notes.flush()

    assert logs == []
    assert kept_of(store, ids) == set(ids)


def kept_of(store: RejectionStore, ids: Sequence[str]) -> set[str]:
    return {request_id for request_id in ids for _ in store.page(RejectionFilter(1, request_id=request_id)).rejections}


def rejected_on(database: Database) -> int:
    with database.read() as connection:
        return sum(connection.execute(select(USAGE_DAY.c.rejections)).scalars())


class Printed(PrintingService):
    """A printer that returns nothing and fails for the poisoned folio."""

    def __init__(self, poison: str, error: Exception) -> None:
        self.poison = poison
        self.error = error

    def issuer_and_pdf(self, record: StampRecord, template: str = "") -> tuple[str, bytes | None]:
        if record.uuid == self.poison:
            raise self.error
        return "EMISOR", None


class Post:
    def __init__(self) -> None:
        self.sent: list[str] = []

    def send(self, message: EmailMessage, sender: str, recipient: str) -> None:
        self.sent.append(recipient)


PERMANENT = [
    ServiceError("301", "no se puede leer \ud800"),
    ServiceError("storage-unknown"),
    ValueError("damaged \0"),
    KeyError("x"),
]


@examples
@given(batches, st.sampled_from(PERMANENT))
def test_mail_is_sent_around_a_poisoned_email(
    database: Database, stamps: DatabaseStamps, batch: tuple[int, int], error: Exception
) -> None:
    size, at = batch
    clock, post = MovableClock(), Post()
    email_outbox = EmailOutbox(database, clock, clock)
    with database.write() as connection:
        connection.execute(delete(EMAIL_OUTBOX))
    claims = [replace(claim(uuid4().hex), mail_to=(f"{number}@example.com",)) for number in range(size)]
    stamps.claim(claims)
    EventDispatcher(database, [email_consumer(database)], clock).run()
    storage = StoredCfdiService(stamps, None, None, None)  # type: ignore[arg-type]
    printed = Printed(claims[at].record.uuid, error)
    mailer = Mailer(storage, printed, post, sender("yo@example.com"), fiscal_effect=False)

    assert mailer.send_pending(email_outbox, clock) == size - 1

    assert sorted(post.sent) == sorted(f"{number}@example.com" for number in range(size) if number != at)
    [email] = email_outbox.list_pending(dead_only=True)
    assert (email.uuid, email.attempts, bool(email.reason)) == (claims[at].record.uuid, 1, True)
    assert len(email_outbox.list_pending()) == 1


@examples
@given(batches, st.sampled_from([2**62, -(2**62)]))
def test_use_is_counted_around_a_poisoned_stamp(
    database: Database, stamps: DatabaseStamps, batch: tuple[int, int], instant: int
) -> None:
    size, at = batch
    clock = MovableClock()
    usage = UsageCounter(database, clock)
    with database.write() as connection:
        for table in (STAMP, USAGE_DAY, USAGE_PROGRESS):
            connection.execute(delete(table))
    claims = [claim(uuid4().hex) for _ in range(size)]
    stamps.claim(claims)
    with database.write() as connection:
        connection.exec_driver_sql(f"UPDATE stamp SET stamped_at = {instant} WHERE uuid = '{claims[at].record.uuid}'")

    with capture_logs() as logs:
        for _ in range(2):
            assert sum(day.stamps for day in usage.days(1, *DAYS).values()) == size - 1
            usage.count()
            clock.instant += LAG
        assert sum(day.stamps for day in usage.days(1, *DAYS).values()) == size - 1

    with database.read() as connection:
        assert sum(connection.execute(select(USAGE_DAY.c.stamps)).scalars()) == size - 1
    assert [(line["log_level"], line["stamps"]) for line in logs] == [("error", 1)]


POISONED_CLAIMS: list[Callable[[Claim], Claim]] = [
    lambda one: Claim(replace(one.record, serie="\ud800")),
    lambda one: Claim(replace(one.record, environment="production")),
    lambda one: Claim(replace(one.record, account_id=TOO_LARGE)),
    lambda one: replace(one, mail_to=("\udfff",)),
]


@examples
@given(batches, st.integers(0, len(POISONED_CLAIMS) - 1))
def test_claims_are_committed_around_a_poisoned_one(
    database: Database, stamps: DatabaseStamps, batch: tuple[int, int], kind: int
) -> None:
    size, at = batch
    claims = [claim(uuid4().hex) for _ in range(size)]
    claims[at] = POISONED_CLAIMS[kind](claims[at])
    group = GroupCommit(stamps)

    async def run() -> list[Outcome | BaseException]:
        return await asyncio.gather(*map(group.claim, claims), return_exceptions=True)

    outcomes = asyncio.run(run())

    assert isinstance(outcomes[at], Exception)
    for one, outcome in zip(claims, outcomes, strict=True):
        assert outcome == (outcomes[at] if one is claims[at] else Stored(one.record))
    stored = {one.uuid for one in stamps.by_uuids([one.record.uuid for one in claims]) if isinstance(one, StampRecord)}
    assert stored == {one.record.uuid for one in claims if one is not claims[at]}


class Picky(RemoteAuthority):
    """An authority that raises a programming error for one RFC."""

    def cancel(self, request: Cancelacion, document: bytes, origin: RequestOrigin) -> CancellationReceipt:
        if origin.request_id == "poison":
            raise RuntimeError("poison")
        return super().cancel(request, document, origin)


POISONED_SUBMISSIONS: list[dict[str, object]] = [
    {},
    {"document": DOCUMENT.decode(), "root": "Unknown"},
    {"document": DOCUMENT.decode(), "root": "Cancelacion"},
]


@examples
@given(batches, st.integers(0, len(POISONED_SUBMISSIONS)))
def test_requests_are_sent_around_a_poisoned_one(database: Database, batch: tuple[int, int], kind: int) -> None:
    """Kind 3: a row whose subject is no number of an event."""
    size, at = batch
    clock, distant = MovableClock(), Picky()
    outbox = AuthorityOutbox(database, clock)
    submissions = SubmissionQueue(distant, database, outbox, clock, clock, MetricsRegistry())
    good: dict[str, object] = {"document": DOCUMENT.decode(), "root": "Cancelacion"}
    with database.write() as connection:
        connection.execute(delete(OUTBOX))
        for number in range(size):
            poisoned = number == at
            body = POISONED_SUBMISSIONS[kind] if poisoned and kind < len(POISONED_SUBMISSIONS) else good
            event = Event(NOON, NOON, 7, SUBMITTED, "EKU9003173C9", "poison" if poisoned else "request", body)
            subject = str(append_event(connection, event))
            outbox.add(connection, KIND, "x" if poisoned and kind == len(POISONED_SUBMISSIONS) else subject)
    clock.advance(hours=1)

    answered = sum(submissions.resend_pending() for _ in range(2))

    assert answered == len(distant.taken) == size - 1
    assert [row.dead for row in outbox.list_pending(100)] == ([] if kind == 1 else [True])
