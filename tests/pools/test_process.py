"""Child processes: results, failures, limits, and a new process after each failure."""

from __future__ import annotations

import math
import operator
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psutil  # type: ignore[import-untyped]
import pytest
from tests.support import child_work
from tests.support.waiting import wait_until

from timbra.core.errors import ServiceError
from timbra.pools import ProcessPool, ProcessTimeoutError, WorkerDiedError, parent, process
from timbra.seals.keys.private_key import key_unreadable

MEBIBYTE = 1024 * 1024


@pytest.fixture(params=[True, False], ids=["inheriting", "spawned"])
def pool(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProcessPool]:
    """A pool whose children inherit the connection, and one whose children multiprocessing spawns."""
    monkeypatch.setattr(process, "CAN_FORK", request.param)
    made = ProcessPool(2, 256 * MEBIBYTE, 30)
    yield made
    made.close()


def test_call_returns_the_result(pool: ProcessPool) -> None:
    assert pool.call(math.factorial, 20) == math.factorial(20)


def test_call_reuses_the_process(pool: ProcessPool) -> None:
    assert pool.call(os.getpid) == pool.call(os.getpid) != os.getpid()


def test_call_raises_what_the_work_raises(pool: ProcessPool) -> None:
    first = pool.call(os.getpid)
    with pytest.raises(ValueError, match="factorial"):
        pool.call(math.factorial, -1)
    assert pool.call(os.getpid) == first


def test_call_preserves_code_and_detail_of_service_errors(pool: ProcessPool) -> None:
    error = pool.call(key_unreadable, "detalle")
    assert isinstance(error, ServiceError)
    assert (error.code, error.detail) == ("key-unreadable", "detalle")


def test_call_raises_memory_error_at_the_memory_limit(pool: ProcessPool) -> None:
    with pytest.raises(MemoryError):
        pool.call(bytearray, 512 * MEBIBYTE)
    assert pool.call(math.factorial, 3) == 6


def test_call_raises_timeout_and_replaces_the_process_at_the_deadline() -> None:
    pool = ProcessPool(1, 256 * MEBIBYTE, 1)
    first = pool.call(os.getpid)
    with pytest.raises(ProcessTimeoutError):
        pool.call(time.sleep, 60)
    assert pool.call(os.getpid) != first
    pool.close()


def test_call_raises_when_the_process_dies(pool: ProcessPool) -> None:
    with pytest.raises(WorkerDiedError):
        pool.call(os._exit, 3)
    assert pool.call(math.factorial, 3) == 6


def test_call_replaces_process_that_used_much_memory(pool: ProcessPool) -> None:
    first = pool.call(os.getpid)
    assert len(pool.call(operator.mul, b"x", 80 * MEBIBYTE)) == 80 * MEBIBYTE
    assert pool.call(os.getpid) != first


def test_call_shares_processes_among_threads(pool: ProcessPool) -> None:
    with ThreadPoolExecutor(8) as threads:
        found = set(threads.map(lambda _: pool.call(os.getpid), range(40)))
    assert 1 <= len(found) <= 2


def test_call_answering_answers_each_question_of_the_work(pool: ProcessPool) -> None:
    asked: list[object] = []

    def answer(question: object) -> object:
        asked.append(question)
        return len(asked)

    assert pool.call_answering(answer, child_work.ask_twice, "what") == [1, 2]
    assert asked == ["what", "what"]


def test_call_answering_raises_the_error_of_the_answer_in_the_child(pool: ProcessPool) -> None:
    def answer(_question: object) -> object:
        raise LookupError

    assert pool.call_answering(answer, child_work.ask_and_report, "what") == "LookupError"


def test_call_answers_no_question(pool: ProcessPool) -> None:
    with pytest.raises(RuntimeError, match="no answer for str"):
        pool.call(child_work.ask_twice, "what")


def test_ask_raises_outside_of_a_pool() -> None:
    with pytest.raises(RuntimeError, match="child"):
        parent.ask("what")


def test_children_inherit_no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIMBRA_MASTER_KEY", "secret")
    pool = ProcessPool(1, 256 * MEBIBYTE, 30)
    assert pool.call(child_work.setting_names) == []
    pool.close()


@pytest.mark.parametrize(("own", "expected"), [(None, "pool"), ("parent", "parent")])
def test_children_have_the_environment_of_the_pool_where_the_parent_has_none(
    monkeypatch: pytest.MonkeyPatch, own: str | None, expected: str
) -> None:
    monkeypatch.delenv("ORIGIN", raising=False)
    if own is not None:
        monkeypatch.setenv("ORIGIN", own)
    pool = ProcessPool(1, 256 * MEBIBYTE, 30, environment={"ORIGIN": "pool"})
    assert pool.call(child_work.variable, "ORIGIN") == expected
    pool.close()


def test_children_have_the_priority_of_the_pool() -> None:
    pool = ProcessPool(1, 256 * MEBIBYTE, 30, niceness=7)
    assert pool.call(child_work.niceness) == os.nice(0) + 7
    pool.close()


def test_end_idle_ends_processes_that_are_idle_for_so_long(pool: ProcessPool) -> None:
    first = pool.call(os.getpid)
    pool.end_idle(60)
    assert pool.call(os.getpid) == first
    pool.end_idle(0)
    assert pool.call(os.getpid) != first


PARENT = """
import os, time
from timbra.pools import ProcessPool
pool = ProcessPool(1, 256 * 1024 * 1024, 600)
print(pool.call(os.getpid), flush=True)
pool.call(time.sleep, 600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems end it at its deadline")
def test_busy_child_ends_when_its_parent_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as dying:
        assert dying.stdout is not None
        child = psutil.Process(int(dying.stdout.readline()))
        dying.kill()
    wait_until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)
