"""Log lines are queued, and written in batches by a thread: a request never waits for the reader of the log."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable
from io import UnsupportedOperation
from typing import Final, TextIO

from timbra.core.bounds import Bound, BoundKind

LARGEST_QUEUE: Final = 65_536
"""Lines that wait at most; further ones are dropped and counted."""
COLLECTING_SECONDS: Final = 0.05
"""Time for which lines are collected into one write; a line of an error is written at once."""
EXIT_SECONDS: Final = 5.0
"""Time for the last lines at the end of the process, when the reader of the log is slow."""
RETRY_SECONDS: Final = 0.01


class LogQueue:
    """The lines of one output, written in their order by a thread that starts with the first one.

    A forked child begins with an empty queue and a thread of its own; the parent writes what was queued before.
    """

    def __init__(self, stream: TextIO, largest: int = LARGEST_QUEUE, collecting: float = COLLECTING_SECONDS) -> None:
        """Queue nothing yet.

        Args:
            stream: The output. Its file descriptor is written to, if it has one.
            largest: Lines that wait at most.
            collecting: Seconds for which lines are collected into one write.
        """
        self._write = _writer(stream)
        self._largest = largest
        self._collecting = collecting
        self._reset()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        self._lines: deque[str] = deque()
        self._dropped = 0
        self._reported = 0
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._queued, self._urgent, self._idle = threading.Event(), threading.Event(), threading.Event()
        self._idle.set()

    def put(self, line: str) -> None:
        """Queue a line, with its line break."""
        if len(self._lines) >= self._largest:
            self._dropped += 1
            return
        self._lines.append(line)
        if not self._queued.is_set():
            self._wake()

    def put_urgent(self, line: str) -> None:
        """Queue a line that is written at once, with all lines before it."""
        self.put(line)
        self._urgent.set()

    def flush(self, seconds: float = EXIT_SECONDS) -> bool:
        """Wait until the lines that are queued now are written.

        Args:
            seconds: The longest wait.

        Returns:
            Whether they are written.
        """
        deadline = time.monotonic() + seconds
        while self._lines or not self._idle.is_set():
            if time.monotonic() > deadline:
                return False
            self._wake()
            self._urgent.set()
            self._idle.wait(RETRY_SECONDS)
        return True

    def _wake(self) -> None:
        self._queued.set()
        if self._thread is None:
            with self._starting:
                if self._thread is None:
                    self._start()

    def _start(self) -> None:
        thread = threading.Thread(target=self._run, name="log", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            # At the end of the interpreter no thread starts any more.
            self._write_all()
        else:
            self._thread = thread

    def _run(self) -> None:
        while True:
            self._queued.wait()
            self._urgent.wait(self._collecting)
            self._idle.clear()
            # Cleared before the lines are taken: a line that comes later sets it again.
            self._queued.clear()
            self._urgent.clear()
            self._write_all()
            self._idle.set()

    def _write_all(self) -> None:
        if count := len(self._lines):
            take: Callable[[], str] = self._lines.popleft
            self._write("".join([take() for _ in range(count)]))
        if (lost := self._dropped) != self._reported:
            self._write(f'{{"level":"error","event":"log lines dropped","lines":{lost - self._reported}}}\n')
            self._reported = lost


def _writer(stream: TextIO) -> Callable[[str], None]:
    """Return a function that writes a text to the end; a broken output, such as a closed pipe, loses the text."""
    try:
        descriptor = stream.fileno()
    except (UnsupportedOperation, AttributeError):

        def write_to_stream(text: str) -> None:
            stream.write(text)
            stream.flush()

        return write_to_stream

    def write(text: str) -> None:
        # The stream is kept and asked: the number of a closed descriptor may be that of another file by now.
        if stream.closed:
            return
        rest = memoryview(text.encode("utf-8", "backslashreplace"))
        while rest:
            try:
                rest = rest[os.write(descriptor, rest) :]
            except BlockingIOError:
                time.sleep(RETRY_SECONDS)
            except OSError:
                return

    return write


BOUNDS = (
    Bound("LogQueue", BoundKind.BUFFER, f"{LARGEST_QUEUE:,} lines", "Further lines are dropped, counted and told."),
)
