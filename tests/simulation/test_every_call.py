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
from dataclasses import dataclass, field
from inspect import CO_COROUTINE
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import structlog
from sqlalchemy import Dialect, event
from sqlalchemy.pool import ConnectionPoolEntry
from tests.simulation.operations import OPERATIONS, Activity
from tests.simulation.statements import ObservedConnection
from tests.support.effort import cases, rounds

import timbra
from timbra.database.build import opened_database

PACKAGE = str(Path(timbra.__file__).parent)
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


def error_of(attempt: Callable[[], None]) -> Exception | None:
    """Return the error of an operation; None for an answer."""
    try:
        attempt()
    except Exception as error:
        return error
    return None


FAILURES = {"memory": FailingCalls, "I/O": FailingStatements}


@pytest.fixture(scope="module", params=cases(["on"], ["off", "on"]))
def activity(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Activity]:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    made = Activity(tmp_path_factory.mktemp("data"), request.param)
    engine = made.container.get(opened_database).engine
    event.listen(engine, "do_connect", _connect)
    engine.dispose()
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
