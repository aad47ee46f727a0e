"""A failure at every call of stamps, cancellations, events and keys: an error is answered, or what is stored is whole.

Each operation is done again and again. The first time its first call of a function of the package fails, then its
second, and so on until none is left: memory is exhausted (`MemoryError`), or a statement of the database has an I/O
error. Then the operation is done again without a failure. At the end the check of all stored data finds nothing, and
nothing is missing, doubled or charged twice.
"""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from inspect import CO_COROUTINE
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import structlog
from sqlalchemy import Dialect, event, func, select
from sqlalchemy.pool import ConnectionPoolEntry
from tests.fsck.support import findings, run_consumers
from tests.simulation.statements import ObservedConnection
from tests.support.cancellation_app import CancellationApp
from tests.support.effort import cases, rounds
from tests.support.store_records import MovableClock

import timbra
from timbra import examples
from timbra.accounts.build import account_services
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.database.tables.balances import BALANCE
from timbra.database.tables.stamps import STAMP
from timbra.stamping.build import stamping_services
from timbra.stamping.models import StampRequest

PACKAGE = str(Path(timbra.__file__).parent)
ANSWERED_WITHIN = 30.0
"""Seconds; a request whose answer was lost inside waits for ever."""
ASSIGNED = 1_000_000
STRIDES = {"memory": rounds(97, 1), "I/O": rounds(23, 1)}
"""One in so many calls or statements fails."""


@dataclass
class FailingCalls:
    """Fails one call of a function of the package, in any thread.

    Attributes:
        failed: Which call failed; empty while none did.
    """

    number: int
    failed: str = ""
    _seen: Iterator[int] = field(default_factory=count)

    @contextmanager
    def active(self) -> Iterator[None]:
        threading.settrace(self._called)
        sys.settrace(self._called)
        try:
            yield
        finally:
            sys.settrace(None)
            threading.settrace(None)

    def _called(self, frame: FrameType, _kind: str, _argument: object) -> None:
        code = frame.f_code
        if self.failed or not code.co_filename.startswith(PACKAGE) or _is_callback(frame):
            return
        if next(self._seen) == self.number:
            self.failed = f"{code.co_filename[len(PACKAGE) + 1 :]}:{code.co_firstlineno} {code.co_name}"
            raise MemoryError(self.failed)


def _is_callback(frame: FrameType) -> bool:
    """Whether the event loop calls a function itself, whose error nobody gets; not for a step of a coroutine."""
    caller = frame.f_back
    is_coroutine = frame.f_code.co_flags & CO_COROUTINE
    return caller is not None and caller.f_code.co_filename == asyncio.events.__file__ and not is_coroutine


class FailingStatements:
    """Fails one statement of SQLite with an I/O error, before its effect or, of a commit, after it.

    Attributes:
        failed: Which statement failed; empty while none did.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._seen = count()
        self.failed = ""

    @contextmanager
    def active(self) -> Iterator[None]:
        FailingConnection.failing = self
        try:
            yield
        finally:
            FailingConnection.failing = None

    def run(self, sql: str, call: Callable[[], Any]) -> Any:
        """Run a statement, or fail; each COMMIT counts twice."""
        if sql.startswith("PRAGMA"):
            return call()
        self._count(sql)
        result = call()
        if sql == "COMMIT":
            self._count("after COMMIT")
        return result

    def _count(self, sql: str) -> None:
        if not self.failed and sql != "ROLLBACK" and next(self._seen) == self._number:
            self.failed = sql[:60]
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR
            raise error


class FailingConnection(ObservedConnection):
    """A connection whose statements can fail."""

    failing: FailingStatements | None = None

    def run(self, sql: str, call: Callable[[], Any]) -> Any:
        failing = FailingConnection.failing
        return failing.run(sql, call) if failing else call()


def _connect(
    _dialect: Dialect, _record: ConnectionPoolEntry, arguments: list[Any], options: dict[str, Any]
) -> FailingConnection:
    return sqlite3.connect(*arguments, factory=FailingConnection, **options)


class Activity:
    """Operations on a sandbox with a limited account; each can be done again until it has an answer.

    Args:
        folder: An empty folder.
        fast_path: `on` or `off`.
    """

    def __init__(self, folder: Path, fast_path: str) -> None:
        self.app = CancellationApp(folder / "sandbox", wall=MovableClock(), fast_path=fast_path)
        self.container = self.app.container
        engine = self.container.get(opened_database).engine
        event.listen(engine, "do_connect", _connect)
        engine.dispose()
        self.app.caller = replace(self.app.account("luis@example.com"), limited=True)
        self.app.store(self.app.issuer)
        balances = self.container.get(account_services).balances
        balances.set_unlimited(self.app.caller.account_id, False)
        balances.add(self.app.caller.account_id, ASSIGNED, "primeros")
        self.documents = 0

    def issue(self) -> Callable[[], None]:
        """Return what issues a new invoice; done again it finds the stamp of before."""
        self.documents += 1
        xml = examples.ingreso({"@Folio": f"F{self.documents}"}, fecha=self.app.fecha).encode()

        async def answered() -> None:
            order = StampRequest(self.app.caller, xml, "request")
            await asyncio.wait_for(self.container.get(stamping_services).stamping.issue(order), ANSWERED_WITHIN)

        def attempt() -> None:
            try:
                asyncio.run(answered())
            except ServiceError as error:
                if error.code != "307":
                    raise

        return attempt

    def cancel(self) -> Callable[[], None]:
        """Return what cancels a new invoice; 202 says that it was cancelled before."""
        self.documents += 1
        uuid = self.app.invoice()

        def attempt() -> None:
            assert self.app.cancel(uuid) in {"201", "202"}

        return attempt

    def consume(self) -> Callable[[], None]:
        """Return what delivers, indexes, counts and logs a new invoice."""
        self.documents += 1
        self.app.invoice()
        return lambda: run_consumers(self.container)

    def store_key(self) -> Callable[[], None]:
        """Return what stores the key of the issuer again."""
        return lambda: self.app.store(self.app.issuer)

    def assert_whole(self) -> None:
        """Assert that all documents are stored and paid once, and that the check of the data finds nothing."""
        run_consumers(self.container)
        with self.container.get(opened_database).read() as connection:
            stamps = connection.execute(select(func.count()).select_from(STAMP)).scalar_one()
            remaining = connection.execute(
                select(BALANCE.c.remaining).where(BALANCE.c.account_id == self.app.caller.account_id)
            ).scalar_one()
        assert (stamps, remaining) == (self.documents, ASSIGNED - self.documents)
        assert findings(self.container) == []


def error_of(attempt: Callable[[], None]) -> Exception | None:
    """Return the error of an operation; None for an answer."""
    try:
        attempt()
    except Exception as error:
        return error
    return None


OPERATIONS = ("issue", "cancel", "consume", "store_key")
FAILURES = {"memory": FailingCalls, "I/O": FailingStatements}


@pytest.fixture(scope="module", params=cases(["on"], ["off", "on"]))
def activity(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Activity]:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    made = Activity(tmp_path_factory.mktemp("data"), request.param)
    yield made
    made.container.close()
    structlog.reset_defaults()


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_failure_at_every_call_leaves_an_error_or_what_is_whole(
    activity: Activity, operation: str, failure: str
) -> None:
    prepare = getattr(activity, operation)
    prepare()()
    failed = 0
    for number in count(0, STRIDES[failure]):
        attempt, failing = prepare(), FAILURES[failure](number)
        with failing.active():
            error = error_of(attempt)
        assert not isinstance(error, TimeoutError), f"{operation} has no answer when {failing.failed} fails"
        error = error_of(attempt)
        assert error is None, f"{operation} does not go on after a failure of {failing.failed}: {error!r}"
        if not failing.failed:
            break
        failed += 1
    print(f"{operation}: {failed} failures ({failure})")
    assert failed > 0
    activity.assert_whole()
