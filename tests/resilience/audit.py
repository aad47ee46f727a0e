"""Compare the content of a database, read through a container of its own, with the responses that clients received."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from sqlalchemy import func, select
from tests.resilience.clients import STAMPED, TIMBRE, AnswerLog, Client, StampAnswer, digest_of
from tests.resilience.killing import wait_for
from tests.resilience.stamp_requests import Orders, is_contested
from tests.support.server import Server

from timbra.app.composition import Container, open_container
from timbra.database.build import opened_database
from timbra.database.tables.balances import BALANCE, BALANCE_ENTRY
from timbra.database.tables.stamps import EVENT
from timbra.delivery.ports import authority_work
from timbra.operations.build import operations_services
from timbra.sandbox.store.tables import SANDBOX_DOCUMENT
from timbra.settings import Settings
from timbra.stamping.build import stamping_services
from timbra.stamps.port import StampRecord

LEASE = timedelta(minutes=1)

REJECTIONS = {"CFDI3307", "CO1000"}
DELIVERED_SECONDS = 600
"""Time for the deliveries that a long run has left."""


@dataclass(frozen=True)
class StoredStamp:
    """One stored stamp.

    Attributes:
        number: the Folio of its document.
        uuid: its folio.
        written_uuids: the folios in its XML.
        digests: of the document, and of its timbre.
    """

    number: int
    uuid: str
    seal_hash: bytes
    account_id: int
    written_uuids: tuple[str, ...]
    digests: tuple[bytes, bytes]


@dataclass(frozen=True)
class Compared:
    """How many rows of each kind were compared and agree."""

    answers: int
    stamps: int
    events: int
    ledger: int
    balances: int
    repeated: int = 0

    def with_repeated(self, count: int) -> Compared:
        return replace(self, repeated=count)

    def __str__(self) -> str:
        counts = {
            name: getattr(self, name) for name in ("answers", "stamps", "events", "ledger", "balances", "repeated")
        }
        return ", ".join(f"{count:,} {name}" for name, count in counts.items())


def audit(
    settings: Settings, answer_log: AnswerLog, delivered: Callable[[Container], Counter[str]] | None = None
) -> Compared:
    """Check that every answer agrees with the database, and that each stamp has one event and ledger entry.

    It delivers the outbox after the leases of dead workers have expired. AssertionError names the difference.

    Args:
        settings: The settings of the database.
        answer_log: The answers.
        delivered: Waits until nothing is pending, and returns the folios that the authority received; None for the
            ledger of a sandbox.
    """
    with open_container(settings, _Later() if delivered is None else None) as container:
        stored_stamps = [_stored_stamp(record) for record in _records(container)]
        _check_answers(answer_log, stored_stamps)
        folios = Counter(one.uuid for one in stored_stamps)
        events = stamped_events(container)
        assert events == folios, _difference(events, folios)
        ledger = (delivered or _delivered_to_ledger)(container)
        assert ledger == folios, _difference(ledger, folios)
        balances = _check_balances(container, Counter(one.account_id for one in stored_stamps))
    return Compared(len(answer_log.answers), len(stored_stamps), events.total(), ledger.total(), balances)


def repeat(server: Server, orders: Orders, answer_log: AnswerLog, most: int | None = None) -> int:
    """Repeat stamped orders, the latest first, check for 307 with the same folio, and return their number."""
    numbers = sorted(answer_log.folios, reverse=True)[:most]
    client = Client(server.address, server.token)
    for number in numbers:
        answer = client.send_until_settled(orders.drawn[number])
        assert (answer.code, {answer.uuid}) == ("307", answer_log.folios[number]), (number, answer)
    client.close()
    return len(numbers)


def settle(server: Server, orders: Orders, answer_log: AnswerLog, stored: set[int]) -> None:
    """Repeat unanswered orders: 307 for stored ones, a stamp for the others."""
    client = Client(server.address, server.token)
    for number in answer_log.unanswered:
        answer = client.send_until_settled(orders.drawn[number])
        answer_log.answers.append(answer)
        if number in stored:
            assert answer.code == "307", answer
        elif not is_contested(number):
            assert answer.code == "200", answer
    client.close()
    assert not answer_log.unanswered


def stored_stamps(settings: Settings) -> list[StoredStamp]:
    """Return every stored stamp."""
    with open_container(settings) as container:
        return [_stored_stamp(record) for record in _records(container)]


def stamped_events(container: Container) -> Counter[str]:
    """Return the number of `stamped` events by folio."""
    with container.get(opened_database).read() as connection:
        return Counter(connection.execute(select(EVENT.c.subject).where(EVENT.c.kind == "stamped")).scalars())


def _check_answers(answer_log: AnswerLog, stored_stamps: Sequence[StoredStamp]) -> None:
    assert {one.code for one in answer_log.answers} <= STAMPED | REJECTIONS
    by_number = {one.number: one for one in stored_stamps}
    assert (
        len(by_number)
        == len({one.uuid for one in stored_stamps})
        == len({one.seal_hash for one in stored_stamps})
        == len(stored_stamps)
    )
    assert [one for one in stored_stamps if one.written_uuids != (one.uuid,)] == []
    wrong = {number: uuids for number, uuids in answer_log.folios.items() if uuids != _stored_folio(by_number, number)}
    assert wrong == {}
    stamped = [one for one in answer_log.answers if one.code in STAMPED]
    assert [one for one in stamped if one.digest not in by_number[one.number].digests] == [], "stored differently"
    fresh = Counter(one.number for one in answer_log.answers if one.code == "200")
    assert [number for number, count in fresh.items() if count > 1] == []
    assert [one for one in answer_log.answers if one.code == "CFDI3307" and not _names_its_rival(one, by_number)] == []


def _check_balances(container: Container, stamps: Counter[int]) -> int:
    """Check that every stamp was subtracted from its balance once, and return the number of balances."""
    moved = select(func.coalesce(func.sum(BALANCE_ENTRY.c.stamps_in - BALANCE_ENTRY.c.stamps_out), 0))
    with container.get(opened_database).read() as connection:
        balances = connection.execute(select(BALANCE)).all()
        options = {
            row.account_id: connection.execute(moved.where(BALANCE_ENTRY.c.account_id == row.account_id)).scalar_one()
            for row in balances
        }
    for row in balances:
        assert row.remaining == row.assigned - row.used >= 0, row
        assert row.assigned == options[row.account_id], (row, options)
        assert row.used == (0 if row.unlimited else stamps[row.account_id]), (row, stamps)
    return len(balances)


class _Later:
    """A wall clock after the end of every lease of a killed worker."""

    def now(self) -> datetime:
        return datetime.now(UTC) + LEASE + timedelta(hours=3)


def _is_delivered(container: Container) -> bool:
    """Deliver pending deliveries and return whether the outbox is empty; a running node may hold a lease."""
    container.get(authority_work).deliver()
    return container.get(operations_services).outbox.size() == 0


def _delivered_to_ledger(container: Container) -> Counter[str]:
    wait_for(lambda: _is_delivered(container), DELIVERED_SECONDS)
    with container.get(opened_database).read() as connection:
        return Counter(connection.execute(select(SANDBOX_DOCUMENT.c.uuid)).scalars())


def _records(container: Container) -> Iterator[StampRecord]:
    cursor = None
    while True:
        page = container.get(stamping_services).stamps.page(None, cursor=cursor, limit=500)
        yield from page.records
        cursor = page.cursor
        if cursor is None:
            return


def _stored_stamp(record: StampRecord) -> StoredStamp:
    found = re.findall(rb'<tfd:TimbreFiscalDigital [^>]* UUID="([^"]+)"', record.cfdi)
    written = tuple(uuid.decode() for uuid in found)
    timbre = TIMBRE.search(record.cfdi)
    digests = digest_of(record.cfdi), digest_of(timbre[0] if timbre else b"")
    return StoredStamp(int(record.folio), record.uuid, record.seal_hash, record.account_id, written, digests)


def _stored_folio(by_number: dict[int, StoredStamp], number: int) -> set[str]:
    return {by_number[number].uuid} if number in by_number else set()


def _names_its_rival(answer: StampAnswer, by_number: dict[int, StoredStamp]) -> bool:
    rival = answer.number + (1 if answer.number % 2 == 0 else -1)
    return is_contested(answer.number) and answer.number not in by_number and by_number[rival].uuid == answer.uuid


def _difference(found: Counter[str], wanted: Counter[str]) -> str:
    return f"too many {dict(found - wanted)}, missing {dict(wanted - found)}"
