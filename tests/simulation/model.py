"""A schedule of the simulation: clients, worker processes with group commit and delivery, and a faulty authority."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from tests.simulation.event_loop import SimulatedLoop
from tests.simulation.scheduler import Actor, Scheduler
from tests.simulation.simulated_database import SimulatedProcess, WriteLock
from tests.support.databases import migrated_sqlite
from tests.support.store_records import record

from timbra.core.errors import ServiceError
from timbra.delivery.deliveries import AuthorityOutbox, OutboxDelivery
from timbra.delivery.delivery import deliver_pending
from timbra.sat.port import FiscalStatus, StatusQuery
from timbra.stamps.group_commit import GroupCommit
from timbra.stamps.port import AlreadyStamped, BalanceExhausted, Claim, CustomIdTaken, Outcome, Stored
from timbra.stamps.repository import DatabaseStamps

LEASE = timedelta(minutes=1)
STAMP = "stamp"

WORKERS = 2
LARGEST_BATCH = 3
LIMITED, UNLIMITED = 1, 2
AUTHORITY_DOWN = 0.2
ANSWER_LOST = 0.2
CLIENT_LEAVES = 0.1
CLIENT_REPEATS = 0.2
MOST_ATTEMPTS = 1_000
REST = timedelta(seconds=20)
RESTART = timedelta(seconds=2)
UNREAD = "event WHERE id > (SELECT position FROM event_consumer WHERE name = 'deliveries')"
TABLES = ("stamp", "custom_id", "outbox", "event", "letter")


@dataclass(frozen=True)
class Order:
    """A document that a client wants stamped; orders with one customid compete for it."""

    number: int
    account: int
    custom_id: str | None

    @property
    def seal_hash(self) -> bytes:
        return record(self.number, uuid="").seal_hash


@dataclass
class Ticket:
    """A request at a worker."""

    outcome: Outcome | None = None
    failed: bool = False


@dataclass(frozen=True)
class Defects:
    """Replacements with which a test plants a defect, to see that the simulation finds it."""

    stamps: type[DatabaseStamps] = DatabaseStamps
    outbox: type[AuthorityOutbox] = AuthorityOutbox
    group: type[GroupCommit] = GroupCommit


@dataclass
class SimulatedAuthority:
    """Receives stamps; at any delivery it may be out of reach, or its answer may be lost."""

    scheduler: Scheduler
    received: Counter[str] = field(default_factory=Counter)

    def deliver_all(self, uuids: Iterable[str]) -> None:
        folios = list(uuids)
        self.scheduler.point("deliver")
        if self.scheduler.happens(AUTHORITY_DOWN):
            raise ServiceError("authority-down", retry_after=5)
        self.received.update(folios)
        self.scheduler.point("delivered")
        if self.scheduler.happens(ANSWER_LOST):
            raise ServiceError("authority-down", retry_after=5)

    def deliver(self, uuid: str) -> None:
        self.deliver_all([uuid])

    def status(self, query: StatusQuery) -> FiscalStatus:
        raise NotImplementedError


class Worker:
    """A process: an event loop that commits stamps, and a thread that delivers them. It restarts after its death."""

    def __init__(self, name: str, process: SimulatedProcess, schedule: Schedule) -> None:
        self.name = name
        self.process = process
        self._schedule = schedule
        self._actors: list[Actor] = []
        self._restart_at: datetime | None = None
        self.deaths = 0
        process.on_death = self._die
        self._start()

    @property
    def is_alive(self) -> bool:
        return self._restart_at is None

    def submit(self, claim: Claim) -> Ticket:
        """Start a request; its outcome appears in the ticket after the commit."""
        ticket = Ticket()
        self._tickets.append(ticket)
        group = self.group

        async def request() -> None:
            try:
                ticket.outcome = await group.claim(claim)
            except ServiceError:
                ticket.failed = True

        self._requests.append(request())
        self._loop.create_task(self._requests[-1])
        return ticket

    def end(self) -> None:
        """End the process after the schedule."""
        self._die()
        self.process.scheduler = None

    def _start(self) -> None:
        scheduler, defects = self._schedule.scheduler, self._schedule.defects
        self._loop = SimulatedLoop()  # type: ignore[abstract]  # what tasks and futures use
        self._tickets: list[Ticket] = []
        self._requests: list[Coroutine[Any, Any, None]] = []
        self.stamps = defects.stamps(self.process.database, scheduler, scheduler)
        self.group = defects.group(self.stamps, largest_batch=LARGEST_BATCH)
        self._outbox = _watched(defects.outbox)(self.process.database, scheduler, MOST_ATTEMPTS)
        self._outbox.held = self._schedule.held
        self._actors = [
            scheduler.spawn(f"{self.name} loop", self._serve),
            scheduler.spawn(f"{self.name} delivery", self._deliver),
        ]

    def _serve(self) -> None:
        scheduler, loop = self._schedule.scheduler, self._loop
        while True:
            scheduler.wait("idle", lambda: loop.has_work)
            loop.run_one()

    def _deliver(self) -> None:
        scheduler = self._schedule.scheduler
        while True:
            due = scheduler.now() + REST
            scheduler.wait("rest", lambda due=due: scheduler.now() >= due)  # type: ignore[misc]
            try:
                deliver_pending(self._outbox, self._schedule.authority, pause=lambda _: scheduler.point("pause"))
            except ServiceError:
                continue  # as the periodic job of a server does, which logs it

    def _die(self) -> None:
        scheduler = self._schedule.scheduler
        self.deaths += 1
        self.process.die()
        for actor in self._actors:
            actor.killed = True
        for ticket in self._tickets:
            ticket.failed = ticket.outcome is None
        self._loop.is_dead = True
        for request in self._requests:
            request.close()
        self._restart_at = restart_at = scheduler.now() + RESTART

        def restart() -> None:
            self._restart_at = None
            self._start()

        scheduler.spawn(f"{self.name} start", restart, lambda: scheduler.now() >= restart_at)


class WatchedOutbox(AuthorityOutbox):
    """Checks that no two workers hold one delivery: a lease begins when the former one was given back or expired."""

    held: dict[str, datetime]

    def lease(self, limit: int, term: timedelta = LEASE, kind: str = STAMP) -> list[OutboxDelivery]:
        leased = super().lease(limit, term, kind)
        for delivery in leased:
            assert delivery.due_at is not None
            begun = delivery.due_at - term
            assert self.held.get(delivery.subject, begun) <= begun, "two workers hold one delivery"
            self.held[delivery.subject] = delivery.due_at
        return leased

    def reschedule(self, delivery: OutboxDelivery, at: datetime, reason: str = "") -> None:
        if self.held.get(delivery.subject) == delivery.due_at:
            del self.held[delivery.subject]
        super().reschedule(delivery, at, reason)


def _watched(outbox: type[AuthorityOutbox]) -> type[WatchedOutbox]:
    if outbox is AuthorityOutbox:
        return WatchedOutbox
    return type("WatchedDefect", (WatchedOutbox, outbox), {})


class Schedule:
    """One run: some orders of clients, until all are answered and delivered; then `check` compares everything."""

    def __init__(self, seed: int, processes: list[SimulatedProcess], defects: Defects) -> None:
        self.scheduler = Scheduler(seed)
        self.defects = defects
        self.authority = SimulatedAuthority(self.scheduler)
        self.held: dict[str, datetime] = {}
        self.answers: list[tuple[Order, Outcome]] = []
        self._random = self.scheduler.random
        self.assigned = self._random.randint(0, 4)
        self.orders = [self._order(number) for number in range(self._random.randint(2, 5))]
        self._unfinished = len(self.orders)
        for process in processes:
            process.scheduler = self.scheduler
        self.workers = [Worker(f"worker {place}", process, self) for place, process in enumerate(processes)]

    def run(self) -> None:
        """Run until every client has its answers; then without faults until every stamp is delivered."""
        for order in self.orders:
            self.scheduler.spawn(f"client {order.number}", lambda order=order: self._client(order))  # type: ignore[misc]
        self.scheduler.run(lambda: self._unfinished == 0)
        self.scheduler.quiet = True
        stamps = {outcome.record.uuid for _, outcome in self.answers if isinstance(outcome, Stored | AlreadyStamped)}
        self.scheduler.run(lambda: stamps <= self.authority.received.keys() and self._is_delivered())

    def close(self) -> None:
        for worker in self.workers:
            worker.end()
        self.scheduler.close()

    def _is_delivered(self) -> bool:
        return self.scheduler.steps % 10 == 0 and not self.count_rows("outbox") and not self.count_rows(UNREAD)

    count_rows: Callable[[str], int]

    def _order(self, number: int) -> Order:
        account = self._random.choice([LIMITED, UNLIMITED])
        return Order(number, account, self._random.choice([None, None, "pedido", f"venta {number}"]))

    def _client(self, order: Order) -> None:
        while True:
            self.scheduler.wait("connect", lambda: any(worker.is_alive for worker in self.workers))
            worker = self._random.choice([worker for worker in self.workers if worker.is_alive])
            ticket = worker.submit(self._claim(order))
            if self._random.random() < CLIENT_LEAVES and not self.scheduler.quiet:
                self.scheduler.point("leave")
                continue
            self.scheduler.wait("answer", lambda ticket=ticket: ticket.failed or ticket.outcome)  # type: ignore[misc]
            if ticket.outcome is None:
                continue
            self.answers.append((order, ticket.outcome))
            if self._random.random() >= CLIENT_REPEATS:
                self._unfinished -= 1
                return

    def _claim(self, order: Order) -> Claim:
        """Return a new stamp of the order: each request makes a new folio."""
        uuid = str(UUID(int=self._random.getrandbits(128), version=4))
        stamp = record(order.number, account=order.account, at=self.scheduler.now(), uuid=uuid)
        return Claim(stamp, order.custom_id, limited=order.account == LIMITED)


class Simulation:
    """Runs schedules on one database file, which is emptied before each."""

    def __init__(self, folder: Path, workers: int = WORKERS) -> None:
        file = migrated_sqlite(folder)
        lock = WriteLock()
        self._processes = [SimulatedProcess(f"sqlite:///{file}", lock) for _ in range(workers)]
        self._rows = sqlite3.connect(file, isolation_level=None)
        self._rows.execute("PRAGMA synchronous=OFF")
        self._rows.execute(
            "INSERT INTO account (id, user, name, password, generation, role, active, created_at, changed) "
            "VALUES (1, 'a', 'a', '', 0, 'account', 1, 0, 0), (2, 'b', 'b', '', 0, 'account', 1, 0, 0)"
        )
        self._rows.execute(
            "INSERT INTO balance (account_id, unlimited, remaining, assigned, used) VALUES (1, 0, 0, 0, 0)"
        )
        self.deaths = self.steps = 0

    def run(self, seed: int, defects: Defects = Defects()) -> str:
        """Run the schedule of a seed, check it and return the hash of its steps.

        Raises:
            AssertionError: a property does not hold.
        """
        with self._schedule(seed, defects) as schedule:
            schedule.run()
            self._check(schedule)
            self.deaths += sum(worker.deaths for worker in schedule.workers)
            self.steps += schedule.scheduler.steps
            return schedule.scheduler.trace

    def close(self) -> None:
        self._rows.close()
        for process in self._processes:
            process.database.close()

    @contextmanager
    def _schedule(self, seed: int, defects: Defects) -> Iterator[Schedule]:
        self._rows.execute("BEGIN IMMEDIATE")
        for table in TABLES:
            self._rows.execute(f"DELETE FROM {table}")
        schedule = Schedule(seed, self._processes, defects)
        self._rows.execute("UPDATE event_consumer SET position = 0")
        self._rows.execute("UPDATE balance SET assigned = ?1, remaining = ?1, used = 0", (schedule.assigned,))
        self._rows.execute("COMMIT")
        schedule.count_rows = lambda table: int(self._rows.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
        try:
            yield schedule
        finally:
            schedule.close()

    def _check(self, schedule: Schedule) -> None:
        stored = dict(self._rows.execute("SELECT seal_hash, uuid FROM stamp").fetchall())
        self._check_answers(schedule, stored)
        folios = Counter(stored.values())
        events = Counter(row[0] for row in self._rows.execute("SELECT subject FROM event WHERE kind = 'stamped'"))
        assert events == folios, "a stamp does not have exactly one event"
        assert schedule.authority.received.keys() == folios.keys(), "delivered stamps are not the stored ones"
        limited = self._rows.execute("SELECT count(*) FROM stamp WHERE account_id = 1").fetchone()[0]
        balance = self._rows.execute("SELECT assigned, used, remaining FROM balance").fetchone()
        assert balance == (schedule.assigned, limited, schedule.assigned - limited), "a stamp was not counted once"
        self._check_completeness(schedule, stored)

    @staticmethod
    def _check_answers(schedule: Schedule, stored: dict[bytes, str]) -> None:
        """Every answer is true of the rows, and at most one answer says that the stamp is new."""
        fresh: Counter[int] = Counter()
        for order, outcome in schedule.answers:
            folio = stored.get(order.seal_hash)
            if isinstance(outcome, Stored | AlreadyStamped):
                assert folio == outcome.record.uuid, "an answered stamp is lost or has another folio"
                fresh[order.number] += isinstance(outcome, Stored)
            elif isinstance(outcome, CustomIdTaken):
                assert folio is None, "a rejected document was stored"
                assert stored.get(outcome.record.seal_hash) == outcome.record.uuid, "the holder of a customid is lost"
            else:
                assert isinstance(outcome, BalanceExhausted)
                assert folio is None, "a rejected document was stored"
        assert all(count <= 1 for count in fresh.values()), "a stamp was new twice"

    @staticmethod
    def _check_completeness(schedule: Schedule, stored: dict[bytes, str]) -> None:
        """Which orders are stamped does not depend on the order of events, but for the winner of a competition."""
        for order in schedule.orders:
            if order.account == UNLIMITED and order.custom_id != "pedido":
                assert order.seal_hash in stored, "a document without competitors was not stamped"
        for account in (LIMITED, UNLIMITED):
            rivals = [one for one in schedule.orders if one.account == account and one.custom_id == "pedido"]
            winners = sum(one.seal_hash in stored for one in rivals)
            assert winners <= 1, "two documents have one customid"
            assert winners == 1 or not rivals or account == LIMITED, "no document won the customid"
        limited = [one for one in schedule.orders if one.account == LIMITED]
        rivals = [one for one in limited if one.custom_id == "pedido"]
        wanted = len(limited) - max(0, len(rivals) - 1)
        stamped = sum(one.seal_hash in stored for one in limited)
        assert stamped == min(wanted, schedule.assigned), "a balance is left"
