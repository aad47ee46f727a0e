"""`python -m tests.simulation.libc_failures FOLDER FAST_PATH ALLOCATIONS FILE_CALLS`: calls of libc fail, below Python.

`failing_calls.c` must be preloaded. Each operation is done once in each of many processes: in the first its first
allocation fails, or its first call for a file, in the next one its second, and so on until none is left. Libraries may
end the process for want of memory, as the kernel does. Then the operation is done again, and at the end the check of
all stored data finds nothing, and nothing is missing, doubled or charged twice. ALLOCATIONS and FILE_CALLS: one in so
many calls fails.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import traceback
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path

import structlog
from tests.simulation.operations import OPERATIONS, Activity
from tests.support.store_records import MovableClock

from timbra.app.composition import build_container
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database

KINDS = {"allocations": 1, "file calls": 2}
DOCUMENTS = {"store_key": 0}
"""Documents of each process; two if not named."""


def main() -> None:
    """Run the command line."""
    folder, fast_path, *strides = sys.argv[1:]
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    activity = Activity(Path(folder), fast_path)
    activity.issue()()
    _restart(activity)
    for kind, stride in zip(KINDS, map(int, strides), strict=True):
        for operation in OPERATIONS:
            outcomes = _fail_every_call(activity, operation, kind, stride)
            assert outcomes, f"no call of {operation} failed"
            print(f"{operation}, {kind}: {outcomes.total()} failures, {dict(outcomes.most_common())}", flush=True)
            assert not _in_fork(activity.assert_whole)


def _restart(activity: Activity) -> None:
    """Begin with a new container, whose threads and connections each process starts itself."""
    activity.container.close()
    activity.app.container = activity.container = build_container(activity.container.settings, MovableClock())
    activity.container.get(opened_database).engine.dispose()
    assert threading.active_count() == 1


def _fail_every_call(activity: Activity, operation: str, kind: str, stride: int) -> Counter[str]:
    outcomes = Counter[str]()
    for number in count(0, stride):
        outcome = _in_fork(lambda: _attempt(activity, operation, kind, number))  # noqa: B023 - ends before the next one
        activity.documents += DOCUMENTS.get(operation, 2)
        if outcome == "none failed":
            return outcomes
        outcomes[outcome] += 1
        if outcome.startswith("ended") and operation == "issue":
            activity.documents -= 1
            ended = _in_fork(activity.issue())
            assert not ended, f"done again, it {ended}"
    raise AssertionError("unreachable")


def _attempt(activity: Activity, operation: str, kind: str, number: int) -> str:
    """Do an operation as a running server does, again with a failure, and again until it has an answer."""
    libc = ctypes.CDLL(os.environ["LD_PRELOAD"])
    prepare = getattr(activity, operation)
    prepare()()
    attempt, outcome = prepare(), "answered"
    try:
        libc.fail_call(KINDS[kind], number)
        attempt()
    except TimeoutError:
        raise
    except ServiceError as error:
        outcome = error.code
    except BaseException as error:  # a panic of a library in Rust is no Exception
        outcome = type(error).__name__
    if not libc.failed_call():
        return "none failed"
    attempt()
    return outcome


def _in_fork(work: Callable[[], str | None]) -> str:
    """Return the text of work in a process of its own, or which signal ended it; AssertionError for another end."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        code = 1
        try:
            os.write(writing, (work() or "").encode())
            code = 0
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(writing)
    with open(reading, encoding="utf-8") as file:
        text = file.read()
    _, status = os.waitpid(process, 0)
    if os.WIFSIGNALED(status):
        return f"ended by signal {os.WTERMSIG(status)}"
    assert status == 0, "the operation was not done again, or what is stored is not whole"
    return text


if __name__ == "__main__":
    main()
