"""Letters under lease, from the stamp that asks for them to their end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.store.records import MovableClock, claim

from timbra.store.database import Database, open_database
from timbra.store.events import events_after
from timbra.store.mailbox import Letter, Mailbox
from timbra.store.port import Repeated, Stored
from timbra.store.stamps import DatabaseStamps

ADDRESSES = ("ana@example.com", "luis@example.com")


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def stamps(database: Database, clock: MovableClock) -> Iterator[DatabaseStamps]:
    opened = DatabaseStamps(database, clock, clock)
    yield opened
    opened.close()


@pytest.fixture
def mailbox(database: Database, clock: MovableClock) -> Mailbox:
    return Mailbox(database, clock, clock)


def taken(mailbox: Mailbox) -> Letter:
    letter = mailbox.take()
    assert letter is not None
    return letter


def test_a_stamp_brings_its_letters(stamps: DatabaseStamps, mailbox: Mailbox) -> None:
    asked = replace(claim(1), mail_to=ADDRESSES)
    outcomes = stamps.claim([asked, claim(2)])
    assert [type(outcome) for outcome in outcomes] == [Stored, Stored]
    letters = mailbox.letters()
    assert [(letter.uuid, letter.recipient) for letter in letters] == [(asked.record.uuid, to) for to in ADDRESSES]
    assert {(letter.account_id, letter.attempts, letter.failure) for letter in letters} == {(1, 0, "")}


def test_an_address_named_twice_gets_one_letter(stamps: DatabaseStamps, mailbox: Mailbox) -> None:
    [outcome] = stamps.claim([replace(claim(1), mail_to=(*ADDRESSES, *ADDRESSES))])
    assert isinstance(outcome, Stored)
    assert len(mailbox.letters()) == len(ADDRESSES)


def test_a_refused_claim_brings_none(stamps: DatabaseStamps, mailbox: Mailbox) -> None:
    stamps.claim([claim(1)])
    [outcome] = stamps.claim([replace(claim(1), mail_to=ADDRESSES)])
    assert isinstance(outcome, Repeated)
    assert mailbox.take() is None


@pytest.fixture
def asked(stamps: DatabaseStamps) -> str:
    """The folio of a stamp with two letters."""
    one = replace(claim(1), mail_to=ADDRESSES)
    stamps.claim([one])
    return one.record.uuid


def test_each_letter_is_taken_once(address: str, asked: str, mailbox: Mailbox, clock: MovableClock) -> None:
    elsewhere = open_database(address)
    assert taken(mailbox).recipient == ADDRESSES[0]
    assert taken(Mailbox(elsewhere, clock, clock)).recipient == ADDRESSES[1]
    assert mailbox.take() is None
    elsewhere.close()


def test_what_is_delivered_never_comes_back(
    asked: str, mailbox: Mailbox, clock: MovableClock, database: Database
) -> None:
    mailbox.delivered(taken(mailbox))
    clock.advance(hours=1)
    assert taken(mailbox).recipient == ADDRESSES[1]
    [told] = [event for _, event in events_after(database) if event.kind == "mailed"]
    assert (told.subject, told.body) == (asked, {"to": ADDRESSES[0]})


def test_a_worker_that_dies_leaves_its_letter_to_the_next(asked: str, mailbox: Mailbox, clock: MovableClock) -> None:
    first = taken(mailbox)
    taken(mailbox)
    clock.advance(minutes=5)
    again = taken(mailbox)
    assert (again.uuid, again.recipient, again.attempts) == (first.uuid, first.recipient, 2)


def test_what_is_put_off_waits(asked: str, mailbox: Mailbox, clock: MovableClock) -> None:
    letter = taken(mailbox)
    mailbox.delivered(taken(mailbox))
    mailbox.put_off(letter, clock.now() + timedelta(minutes=1), "no responde")
    assert mailbox.take() is None
    clock.advance(minutes=1)
    assert taken(mailbox).failure == "no responde"


def test_what_is_given_up_stays_to_be_seen_and_can_be_revived(
    asked: str, mailbox: Mailbox, clock: MovableClock, database: Database
) -> None:
    mailbox.give_up(taken(mailbox), "rechazado")
    mailbox.delivered(taken(mailbox))
    clock.advance(days=30)
    assert mailbox.take() is None
    [stranded] = mailbox.letters(given_up=True)
    assert (stranded.recipient, stranded.due_at, stranded.failure) == (ADDRESSES[0], None, "rechazado")
    assert mailbox.letters(account_id=2) == []
    assert "mail-given-up" in {event.kind for _, event in events_after(database)}

    assert mailbox.revive("00000000-0000-0000-0000-000000000000") == 0
    assert mailbox.revive(asked.upper()) == 1
    assert taken(mailbox).attempts == 1
