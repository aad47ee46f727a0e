"""E-mail deliveries: retries, dead letters, and repetitions on demand."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from tests.support.store_records import MovableClock, claim

from timbra.core.caller import Caller
from timbra.core.errors import ServiceError
from timbra.database.database import open_database
from timbra.documents.mail.addresses import sender
from timbra.documents.mail.consumer import email_consumer
from timbra.documents.mail.mailer import Mailer
from timbra.documents.printing import PrintingService
from timbra.documents.storage import StoredCfdiService
from timbra.events.dispatcher import EventDispatcher
from timbra.events.email import EmailOutbox
from timbra.stamps.port import StampRecord
from timbra.stamps.repository import DatabaseStamps

ACCOUNT = "account"
LONGEST_RUN = timedelta(seconds=20)
MOST_ATTEMPTS = 12

ANA, LUIS = "ana@example.com", "luis@example.com"
OWNER, STRANGER = Caller(1, "uno", ACCOUNT), Caller(2, "dos", ACCOUNT)


class Printed(PrintingService):
    """A printer that fails."""

    def __init__(self) -> None:
        self.broken = False

    def issuer_and_pdf(self, record: StampRecord, template: str = "") -> tuple[str, bytes | None]:
        if self.broken:
            raise ValueError("damaged")
        return "EMISOR", None


@dataclass
class Post:
    """rejections: errors by recipient, one for each attempt. seconds: duration of each message."""

    clock: MovableClock
    sent: list[str] = field(default_factory=list)
    rejections: dict[str, list[ServiceError]] = field(default_factory=dict)
    seconds: float = 0

    def send(self, message: EmailMessage, sender: str, recipient: str) -> None:
        self.clock.advance(seconds=self.seconds)
        if waiting := self.rejections.get(recipient):
            raise waiting.pop(0)
        self.sent.append(recipient)


class Office:
    """A database with one stamped CFDI and its e-mails to Ana and Luis, and the sender."""

    def __init__(self, folder: Path) -> None:
        self.clock = MovableClock()
        self.database = open_database(f"sqlite:///{folder / 'timbra.db'}")
        self.stamps = DatabaseStamps(self.database, self.clock, self.clock)
        self.email_outbox = EmailOutbox(self.database, self.clock, self.clock)
        self.post, self.printing = Post(self.clock), Printed()
        storage = StoredCfdiService(self.stamps, None, None, None)  # type: ignore[arg-type]
        self.mailer = Mailer(storage, self.printing, self.post, sender("yo@example.com"), fiscal_effect=False)
        self.without_server = Mailer(storage, self.printing, None, None, fiscal_effect=False)
        claimed = replace(claim(1), mail_to=(ANA, LUIS))
        self.stamps.claim([claimed])
        EventDispatcher(self.database, [email_consumer(self.database)], self.clock).run()
        self.uuid = claimed.record.uuid

    def work(self) -> int:
        return self.mailer.send_pending(self.email_outbox, self.clock)


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)


def down() -> ServiceError:
    return ServiceError("mail-down", "no responde")


def test_send_pending_sends_each_email_once(office: Office) -> None:
    assert office.work() == 2
    office.clock.advance(days=1)
    assert office.work() == 0
    assert office.post.sent == [ANA, LUIS]
    assert office.email_outbox.list_pending() == []


def test_send_pending_continues_after_rescheduled_email(office: Office) -> None:
    office.post.rejections[ANA] = [down()]
    assert office.work() == 1
    assert office.post.sent == [LUIS]
    office.clock.advance(seconds=29)
    assert office.work() == 0
    office.clock.advance(seconds=1)
    assert office.work() == 1
    assert office.post.sent == [LUIS, ANA]


def test_send_pending_makes_dead_letter_for_permanent_failure(office: Office) -> None:
    office.post.rejections[ANA] = [ServiceError("mail-refused", "550 no")]
    office.work()
    [dead_count] = office.email_outbox.list_pending(dead_only=True)
    assert (dead_count.recipient, dead_count.reason, dead_count.attempts) == (ANA, "550 no", 1)


def test_send_pending_makes_dead_letter_after_all_attempts(office: Office) -> None:
    office.post.rejections[ANA] = [down() for _ in range(MOST_ATTEMPTS)]
    begun = office.clock.now()
    while not office.email_outbox.list_pending(dead_only=True):
        office.work()
        office.clock.advance(minutes=1)
    assert timedelta(hours=12) < office.clock.now() - begun < timedelta(hours=13)
    assert office.post.rejections[ANA] == []


def test_unreachable_mail_server_costs_no_attempts_and_its_first_answer_sends_all(office: Office) -> None:
    unreachable = [ServiceError("mail-down", "no responde", retry_after=30) for _ in range(5 * MOST_ATTEMPTS)]
    office.post.rejections = {ANA: [down()], LUIS: unreachable}
    assert office.work() == 0
    office.post.rejections = {ANA: unreachable, LUIS: unreachable}
    office.clock.advance(minutes=8)
    for _ in range(3 * MOST_ATTEMPTS):
        assert office.work() == 0
        office.clock.advance(minutes=8)
    # One e-mail tries the server after each pause.
    assert len(unreachable) == 5 * MOST_ATTEMPTS - 1 - 3 * MOST_ATTEMPTS
    assert [email.attempts for email in office.email_outbox.list_pending()] == [1, 0]
    office.post.rejections = {}
    assert office.work() == 2


def test_send_pending_makes_dead_letter_when_email_fails_by_itself(office: Office) -> None:
    office.printing.broken = True
    assert office.work() == 0
    dead_only = office.email_outbox.list_pending(dead_only=True)
    assert [(email.attempts, email.reason) for email in dead_only] == [(1, "ValueError: damaged")] * 2


def test_send_pending_makes_dead_letter_when_workers_died_each_time(office: Office) -> None:
    for _ in range(2 * MOST_ATTEMPTS):
        assert office.email_outbox.lease() != []
        office.clock.advance(minutes=6)
    assert office.work() == 0
    assert len(office.email_outbox.list_pending(dead_only=True)) == 2


def test_send_pending_stops_at_time_limit(office: Office) -> None:
    office.post.seconds = LONGEST_RUN.total_seconds()
    assert office.work() == 1
    assert office.work() == 1


def test_send_pending_keeps_emails_without_mail_server(office: Office) -> None:
    assert office.without_server.send_pending(office.email_outbox, office.clock) == 0
    assert len(office.email_outbox.list_pending()) == 2


def test_resend_sends_stored_cfdi(office: Office) -> None:
    office.mailer.resend(OWNER, office.uuid.upper(), [ANA, "otra@example.com"])
    assert office.post.sent == [ANA, "otra@example.com"]


def test_resend_reports_rejected_recipient_after_sending_others(office: Office) -> None:
    office.post.rejections[ANA] = [ServiceError("mail-refused", "550 no")]
    with pytest.raises(ServiceError, match=r"ana@example\.com: 550 no"):
        office.mailer.resend(OWNER, office.uuid, [ANA, LUIS])
    assert office.post.sent == [LUIS]


def test_resend_rejects_cfdi_of_other_account(office: Office) -> None:
    with pytest.raises(ServiceError, match="storage-unknown"):
        office.mailer.resend(STRANGER, office.uuid, [ANA])
    assert office.post.sent == []


def test_resend_raises_tb4006_without_mail_server(office: Office) -> None:
    with pytest.raises(ServiceError, match="TB4006"):
        office.without_server.resend(OWNER, office.uuid, [ANA])
