"""Compare the content of a database, read through a container of its own, with the responses that clients received."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from sqlalchemy import func, select
from tests.resilience.clients import STAMPED, Book, Client, Told
from tests.resilience.killing import wait_for
from tests.resilience.stamp_requests import Orders, is_contested
from tests.support.server import Server

from timbra.bootstrap import Container, open_container
from timbra.settings import Settings
from timbra.store.outbox.deliveries import LEASE
from timbra.store.stamps.port import StampRecord
from timbra.store.tables.balances import BALANCE, BALANCE_ENTRY
from timbra.store.tables.sandbox import SANDBOX_DOCUMENT
from timbra.store.tables.stamps import EVENT

REJECTIONS = {"CFDI3307", "CO1000"}


@dataclass(frozen=True)
class Kept:
    """One stored stamp. number: the Folio of its document; uuid: the folio of its stamp, also as its document says."""

    number: int
    uuid: str
    seal_hash: bytes
    account_id: int
    written_uuids: tuple[str, ...]


@dataclass(frozen=True)
class Compared:
    """How many rows of each kind were held against each other, and found to agree."""

    answers: int
    stamps: int
    events: int
    ledger: int
    balances: int
    repeated: int = 0

    def with_repeated(self, count: int) -> Compared:
        return replace(self, repeated=count)

    def __str__(self) -> str:
        told = {name: getattr(self, name) for name in ("answers", "stamps", "events", "ledger", "balances", "repeated")}
        return ", ".join(f"{count:,} {name}" for name, count in told.items())


def audit(settings: Settings, book: Book) -> Compared:
    """Every answer is true of what is stored; what is stored is stored once, with event, ledger and balance.

    Empties the outbox as a server would, once the leases of dead workers are over. AssertionError names what is wrong.
    """
    with open_container(settings, _Later()) as container:
        kept = [_kept(record) for record in _records(container)]
        _check_answers(book, kept)
        folios = Counter(one.uuid for one in kept)
        events = stamped_events(container)
        assert events == folios, _difference(events, folios)
        wait_for(lambda: _is_delivered(container), 30)
        ledger = _ledger(container)
        assert ledger == folios, _difference(ledger, folios)
        balances = _check_balances(container, Counter(one.account_id for one in kept))
    return Compared(len(book.told), len(kept), events.total(), ledger.total(), balances)


def repeat(server: Server, orders: Orders, book: Book, most: int | None = None) -> int:
    """Sends stamped orders again, the latest first: 307 and the same folio for each; how many those were."""
    numbers = sorted(book.folios, reverse=True)[:most]
    client = Client(server.address, server.token)
    for number in numbers:
        told = client.send_until_settled(orders.drawn[number])
        assert (told.code, {told.uuid}) == ("307", book.folios[number]), (number, told)
    client.close()
    return len(numbers)


def settle(server: Server, orders: Orders, book: Book, stored: set[int]) -> None:
    """Sends again what never got an answer: 307 for what is stored nevertheless, a stamp for the rest."""
    client = Client(server.address, server.token)
    for number in book.unanswered:
        told = client.send_until_settled(orders.drawn[number])
        book.told.append(told)
        if number in stored:
            assert told.code == "307", told
        elif not is_contested(number):
            assert told.code == "200", told
    client.close()
    assert not book.unanswered


def kept(settings: Settings) -> list[Kept]:
    """Every stored stamp."""
    with open_container(settings) as container:
        return [_kept(record) for record in _records(container)]


def stamped_events(container: Container) -> Counter[str]:
    """How many `stamped` events each folio has."""
    with container.database.read() as connection:
        return Counter(connection.execute(select(EVENT.c.subject).where(EVENT.c.kind == "stamped")).scalars())


def _check_answers(book: Book, kept: Sequence[Kept]) -> None:
    assert {one.code for one in book.told} <= STAMPED | REJECTIONS
    by_number = {one.number: one for one in kept}
    assert len(by_number) == len({one.uuid for one in kept}) == len({one.seal_hash for one in kept}) == len(kept)
    assert [one for one in kept if one.written_uuids != (one.uuid,)] == []
    wrong = {number: uuids for number, uuids in book.folios.items() if uuids != _stored_folio(by_number, number)}
    assert wrong == {}
    fresh = Counter(one.number for one in book.told if one.code == "200")
    assert [number for number, count in fresh.items() if count > 1] == []
    assert [one for one in book.told if one.code == "CFDI3307" and not _names_its_rival(one, by_number)] == []


def _check_balances(container: Container, stamps: Counter[int]) -> int:
    """Every stamp of a limited account was taken from its balance, once; how many balances there are."""
    moved = select(func.coalesce(func.sum(BALANCE_ENTRY.c.stamps_in - BALANCE_ENTRY.c.stamps_out), 0))
    with container.database.read() as connection:
        balances = connection.execute(select(BALANCE)).all()
        given = {
            row.account_id: connection.execute(moved.where(BALANCE_ENTRY.c.account_id == row.account_id)).scalar_one()
            for row in balances
        }
    for row in balances:
        assert row.remaining == row.assigned - row.used >= 0, row
        assert row.assigned == given[row.account_id], (row, given)
        assert row.used == (0 if row.unlimited else stamps[row.account_id]), (row, stamps)
    return len(balances)


class _Later:
    """A wall clock beyond every lease that a killed worker has left behind."""

    def now(self) -> datetime:
        return datetime.now(UTC) + LEASE + timedelta(hours=3)


def _is_delivered(container: Container) -> bool:
    """What a running node has in hand at this moment, it delivers itself."""
    container.deliver()
    return container.operations_services.outbox.size() == 0


def _ledger(container: Container) -> Counter[str]:
    with container.database.read() as connection:
        return Counter(connection.execute(select(SANDBOX_DOCUMENT.c.uuid)).scalars())


def _records(container: Container) -> Iterator[StampRecord]:
    cursor = None
    while True:
        page = container.stamping_services.stamps.page(None, cursor=cursor, limit=500)
        yield from page.records
        cursor = page.cursor
        if cursor is None:
            return


def _kept(record: StampRecord) -> Kept:
    found = re.findall(rb'<tfd:TimbreFiscalDigital [^>]* UUID="([^"]+)"', record.cfdi)
    written = tuple(uuid.decode() for uuid in found)
    return Kept(int(record.folio), record.uuid, record.seal_hash, record.account_id, written)


def _stored_folio(by_number: dict[int, Kept], number: int) -> set[str]:
    return {by_number[number].uuid} if number in by_number else set()


def _names_its_rival(told: Told, by_number: dict[int, Kept]) -> bool:
    rival = told.number + (1 if told.number % 2 == 0 else -1)
    return is_contested(told.number) and told.number not in by_number and by_number[rival].uuid == told.uuid


def _difference(found: Counter[str], wanted: Counter[str]) -> str:
    return f"too many {dict(found - wanted)}, missing {dict(wanted - found)}"
