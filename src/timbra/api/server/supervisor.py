"""Several workers as processes that share one listening socket; one that dies is replaced."""

from __future__ import annotations

import multiprocessing
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess, parent_process
from types import FrameType

import structlog

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.workers")

SIGNALS = (signal.SIGTERM, signal.SIGINT)
SHORT_LIFE_SECONDS = 5.0
PAUSE_SECONDS = 1.0
GRACE_SECONDS = 30.0
TICK_SECONDS = 0.5

Work = Callable[[socket.socket, Callable[[], None], int | None], None]


@dataclass(slots=True)
class _Worker:
    """A process, when it began, and the pipe on which it says that it takes requests."""

    process: BaseProcess
    begun: float
    word: Connection

    def becomes_ready(self) -> bool:
        """Waits until the worker takes requests; False when it ends before."""
        while not self.word.poll(TICK_SECONDS):
            if not self.process.is_alive():
                return False
        try:
            return bool(self.word.recv_bytes())
        except EOFError:
            return False


class Workers:
    """Keeps `count` processes running `work(listener, ready, parent_pipe)`.

    The first one starts alone, because it may have to make the state that all of them share. Processes are forked where
    that is safe, so that they share the memory of what was imported before; elsewhere `work` is pickled.
    grace: seconds that they get to end by themselves.
    """

    def __init__(self, work: Work, listener: socket.socket, count: int, *, grace: float = GRACE_SECONDS) -> None:
        self._work = work
        self._grace = grace
        self._listener = listener
        self._count = count
        self._context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        self._running: list[_Worker] = []
        self._stopping = False

    def run(self, ready: Callable[[], None]) -> bool:
        """Until SIGTERM or SIGINT. ready: called when the first worker takes requests. False when it never did."""
        for number in SIGNALS:
            signal.signal(number, self._stop)
        started = self._start().becomes_ready()
        if started:
            ready()
            self._watch()
        self._finish()
        return started or self._stopping

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        """Passes the wish on; a second one ends the leave-taking of those who take their time."""
        self._stopping = True
        self._terminate()

    def _watch(self) -> None:
        while not self._stopping:
            while len(self._running) < self._count and not self._stopping:
                self._start()
            wait([worker.process.sentinel for worker in self._running], TICK_SECONDS)
            self._reap()

    def _reap(self) -> None:
        """Forgets the dead; one that lived very short is followed by a pause, not by a storm."""
        for worker in [worker for worker in self._running if not worker.process.is_alive()]:
            self._running.remove(worker)
            if self._stopping:
                continue
            log.error("worker died", pid=worker.process.pid, exit_code=worker.process.exitcode)
            if time.monotonic() - worker.begun < SHORT_LIFE_SECONDS:
                time.sleep(PAUSE_SECONDS)

    def _start(self) -> _Worker:
        word, said = self._context.Pipe(duplex=False)
        process = self._context.Process(target=_work, args=(self._work, self._listener, said))  # type: ignore[attr-defined]
        worker = _Worker(process, time.monotonic(), word)
        # A signal between fork and the child's own handlers would be lost: it waits until both sides are ready for it.
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            process.start()
            self._running.append(worker)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        said.close()
        if self._stopping:
            process.terminate()
        return worker

    def _terminate(self) -> None:
        for worker in self._running:
            worker.process.terminate()

    def _finish(self) -> None:
        """Waits for all to end, then ends the rest."""
        if not self._stopping:
            self._terminate()
        deadline = time.monotonic() + self._grace
        for worker in self._running:
            worker.process.join(max(0.0, deadline - time.monotonic()))
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()


def _work(work: Work, listener: socket.socket, said: Connection) -> None:
    """The life of a worker process, which ends with its parent's."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    parent = parent_process()
    work(listener, lambda: said.send_bytes(b"ready"), parent.sentinel if parent is not None else None)
