"""What becomes of letters: tried, put off, given up; and CFDI mailed again on demand."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from tests.store.records import MovableClock, claim

from timbra.accounts.caller import ACCOUNT, Caller
from timbra.errors import ServiceError
from timbra.service.mail.addresses import sender
from timbra.service.mail.mailing import LONGEST_RUN, MOST_ATTEMPTS, Mailing
from timbra.service.printing import Printing
from timbra.service.storage import Storage
from timbra.store.database import open_database
from timbra.store.mailbox import Mailbox
from timbra.store.port import StampRecord
from timbra.store.stamps import DatabaseStamps

ANA, LUIS = "ana@example.com", "luis@example.com"
OWNER, STRANGER = Caller(1, "uno", ACCOUNT), Caller(2, "dos", ACCOUNT)


class Printed(Printing):
    """Prints nothing."""

    def __init__(self) -> None:
        self.broken = False

    def for_mail(self, record: StampRecord) -> tuple[str, bytes | None]:
        if self.broken:
            raise ValueError("damaged")
        return "EMISOR", None


@dataclass
class Post:
    """refusals: what it answers to a recipient, once for each entry. seconds: that each message takes."""

    clock: MovableClock
    sent: list[str] = field(default_factory=list)
    refusals: dict[str, list[ServiceError]] = field(default_factory=dict)
    seconds: float = 0

    def send(self, message: EmailMessage, sender: str, recipient: str) -> None:
        self.clock.advance(seconds=self.seconds)
        if waiting := self.refusals.get(recipient):
            raise waiting.pop(0)
        self.sent.append(recipient)


class Office:
    """A database with one stamped CFDI that has letters to Ana and Luis, and who mails it."""

    def __init__(self, folder: Path) -> None:
        self.clock = MovableClock()
        self.database = open_database(f"sqlite:///{folder / 'timbra.db'}")
        self.stamps = DatabaseStamps(self.database, self.clock, self.clock)
        self.mailbox = Mailbox(self.database, self.clock, self.clock)
        self.post, self.printing = Post(self.clock), Printed()
        storage = Storage(self.stamps, None, None, None)  # type: ignore[arg-type]
        self.mailing = Mailing(storage, self.printing, self.post, sender("yo@example.com"), sandbox=True)
        self.without_server = Mailing(storage, self.printing, None, None, sandbox=True)
        asked = replace(claim(1), mail_to=(ANA, LUIS))
        self.stamps.claim([asked])
        self.uuid = asked.record.uuid

    def work(self) -> int:
        return self.mailing.empty(self.mailbox, self.clock)


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)


def down() -> ServiceError:
    return ServiceError("mail-down", "no responde")


def test_letters_are_sent_once(office: Office) -> None:
    assert office.work() == 2
    office.clock.advance(days=1)
    assert office.work() == 0
    assert office.post.sent == [ANA, LUIS]
    assert office.mailbox.letters() == []


def test_one_that_is_put_off_holds_nobody_up(office: Office) -> None:
    office.post.refusals[ANA] = [down()]
    assert office.work() == 1
    assert office.post.sent == [LUIS]
    office.clock.advance(seconds=29)
    assert office.work() == 0
    office.clock.advance(seconds=1)
    assert office.work() == 1
    assert office.post.sent == [LUIS, ANA]


def test_what_is_refused_for_good_is_given_up_at_once(office: Office) -> None:
    office.post.refusals[ANA] = [ServiceError("mail-refused", "550 no")]
    office.work()
    [stranded] = office.mailbox.letters(given_up=True)
    assert (stranded.recipient, stranded.failure, stranded.attempts) == (ANA, "550 no", 1)


def test_after_half_a_day_it_is_given_up(office: Office) -> None:
    office.post.refusals[ANA] = [down() for _ in range(MOST_ATTEMPTS)]
    begun = office.clock.now()
    while not office.mailbox.letters(given_up=True):
        office.work()
        office.clock.advance(minutes=1)
    assert timedelta(hours=12) < office.clock.now() - begun < timedelta(hours=13)
    assert office.post.refusals[ANA] == []


def test_a_letter_that_nobody_can_finish_is_given_up(office: Office) -> None:
    office.printing.broken = True
    for _ in range(2 * MOST_ATTEMPTS):
        with pytest.raises(ValueError, match="damaged"):
            office.work()
        office.clock.advance(minutes=5)
    office.work()
    assert len(office.mailbox.letters(given_up=True)) == 2


def test_a_run_ends_in_time(office: Office) -> None:
    office.post.seconds = LONGEST_RUN.total_seconds()
    assert office.work() == 1
    assert office.work() == 1


def test_without_a_server_letters_wait(office: Office) -> None:
    assert office.without_server.empty(office.mailbox, office.clock) == 0
    assert len(office.mailbox.letters()) == 2


def test_again_on_demand(office: Office) -> None:
    office.mailing.resend(OWNER, office.uuid.upper(), [ANA, "otra@example.com"])
    assert office.post.sent == [ANA, "otra@example.com"]


def test_a_refused_recipient_is_told_after_the_others_got_theirs(office: Office) -> None:
    office.post.refusals[ANA] = [ServiceError("mail-refused", "550 no")]
    with pytest.raises(ServiceError, match=r"ana@example\.com: 550 no"):
        office.mailing.resend(OWNER, office.uuid, [ANA, LUIS])
    assert office.post.sent == [LUIS]


def test_only_the_own_account_mails(office: Office) -> None:
    with pytest.raises(ServiceError, match="storage-unknown"):
        office.mailing.resend(STRANGER, office.uuid, [ANA])
    assert office.post.sent == []


def test_no_server_is_told(office: Office) -> None:
    with pytest.raises(ServiceError, match="TB4006"):
        office.without_server.resend(OWNER, office.uuid, [ANA])
