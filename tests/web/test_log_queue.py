"""Lines of the log are written in order by a thread, and a reader that does not read delays no line."""

from __future__ import annotations

import gc
import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from tests.support.waiting import wait_until

from timbra.web.server.log_queue import LogQueue

HOUR = 3600.0


@pytest.fixture
def pipe() -> Iterator[tuple[int, io.TextIOWrapper]]:
    """Return the reading end of a pipe and a stream of its writing end."""
    reading, writing = os.pipe()
    with open(writing, "w", encoding="utf-8") as stream:
        yield reading, stream
    os.close(reading)


def read_lines(reading: int, count: int) -> list[str]:
    content = b""
    while content.count(b"\n") < count:
        content += os.read(reading, 65_536)
    return content.decode().splitlines()


def test_put_writes_lines_of_several_threads_in_their_order(pipe: tuple[int, io.TextIOWrapper]) -> None:
    reading, stream = pipe
    queue = LogQueue(stream, collecting=0)

    def put_all(name: str) -> None:
        for number in range(200):
            queue.put(f"{name} {number}\n")

    threads = [Thread(target=put_all, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    lines = read_lines(reading, 400)
    for name in "ab":
        assert [line for line in lines if line.startswith(name)] == [f"{name} {n}" for n in range(200)]


def test_put_urgent_writes_at_once_what_was_queued_before(pipe: tuple[int, io.TextIOWrapper]) -> None:
    reading, stream = pipe
    queue = LogQueue(stream, collecting=HOUR)
    queue.put("answered\n")
    queue.put_urgent("failed\n")
    assert read_lines(reading, 2) == ["answered", "failed"]


def test_flush_writes_what_is_queued(pipe: tuple[int, io.TextIOWrapper]) -> None:
    reading, stream = pipe
    queue = LogQueue(stream, collecting=HOUR)
    for number in range(100):
        queue.put(f"{number}\n")
    assert queue.flush(HOUR)
    assert read_lines(reading, 100) == [str(number) for number in range(100)]


def test_put_does_not_wait_for_a_reader_and_counts_what_is_dropped(pipe: tuple[int, io.TextIOWrapper]) -> None:
    reading, stream = pipe
    queue = LogQueue(stream, largest=8, collecting=0)
    long_line = "x" * 1_000_000 + "\n"
    queue.put(long_line)
    # The thread has taken the first line, and waits in its write.
    wait_until(lambda: not queue._lines)
    for number in range(10):
        queue.put(f"{number}\n")
    assert not queue.flush(0)
    lines = read_lines(reading, 10)
    assert lines == [long_line[:-1], '{"level":"error","event":"log lines dropped","lines":2}', *map(str, range(8))]


def test_put_loses_lines_when_the_reader_has_ended() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w", encoding="utf-8") as stream:
        queue = LogQueue(stream, collecting=0)
        queue.put("lost\n")
        assert queue.flush(HOUR)


def test_put_writes_to_no_other_file_when_the_stream_is_closed(tmp_path: Path) -> None:
    stream = (tmp_path / "log").open("w")
    descriptor = stream.fileno()
    queue = LogQueue(stream, collecting=0)
    stream.close()
    other = os.open(tmp_path / "other", os.O_CREAT | os.O_WRONLY)
    if other != descriptor:
        os.dup2(other, descriptor)
        os.close(other)
    queue.put("lost\n")
    assert queue.flush(HOUR)
    os.close(descriptor)
    assert (tmp_path / "other").read_text() == ""


def test_put_keeps_a_stream_that_nothing_else_refers_to(tmp_path: Path) -> None:
    queue = LogQueue((tmp_path / "log").open("w"), collecting=0)
    gc.collect()
    queue.put("one\n")
    assert queue.flush(HOUR)
    assert (tmp_path / "log").read_text() == "one\n"


def test_stream_without_a_descriptor_gets_the_lines() -> None:
    stream = io.StringIO()
    queue = LogQueue(stream, collecting=0)
    queue.put("one\n")
    assert queue.flush(HOUR)
    assert stream.getvalue() == "one\n"


PROGRAM = """
import os, sys
import structlog
from timbra.web.server import log_output
log_output.configure("info", "json")
log = structlog.get_logger("test")
log.info("parent", number=1)
child = os.fork()
log.info("child" if child == 0 else "parent", number=2)
if child == 0:
    log_output.flush()
    os._exit(0)
os.waitpid(child, 0)
for number in range(3, 500):
    log.info("parent", number=number)
sys.exit(int(sys.argv[1]))
"""


@pytest.mark.parametrize("status", [0, 3])
def test_log_of_a_process_that_forks_and_exits_is_complete(status: int) -> None:
    command = [sys.executable, "-c", PROGRAM, str(status)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    lines = ended.stderr.splitlines()
    assert ended.returncode == status
    assert sum('"event":"child"' in line for line in lines) == 1
    parent = [line for line in lines if '"event":"parent"' in line]
    assert [f'"number":{number},' in line for number, line in enumerate(parent, 1)] == [True] * 499
