"""Supervisor of worker processes that share one listening socket; a worker that dies is replaced."""

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
MIN_LIFETIME_SECONDS = 5.0
"""A worker that dies earlier delays its replacement by `RESTART_DELAY_SECONDS`."""
RESTART_DELAY_SECONDS = 1.0
GRACE_SECONDS = 30.0
"""Time for workers to end by themselves after SIGTERM."""
POLL_SECONDS = 0.5

WorkerMain = Callable[[socket.socket, Callable[[], None], int | None], None]
"""Main function of a worker: listening socket, callback once it accepts requests, descriptor of the parent process."""


@dataclass(slots=True)
class _Worker:
    """A worker process, its start by the monotonic clock, and the pipe on which it reports that it is ready."""

    process: BaseProcess
    started_at: float
    ready_pipe: Connection

    def wait_until_ready(self) -> bool:
        """Wait until the worker accepts requests; return False when it ends before."""
        while not self.ready_pipe.poll(POLL_SECONDS):
            if not self.process.is_alive():
                return False
        try:
            return bool(self.ready_pipe.recv_bytes())
        except EOFError:
            return False


class Supervisor:
    """Keeps a number of worker processes running.

    The first worker starts alone, because it may have to create the state that all of them share. On Linux the
    processes are forked, so that they share the memory of modules imported before; elsewhere `main` is pickled.
    """

    def __init__(
        self, main: WorkerMain, listener: socket.socket, count: int, *, grace_seconds: float = GRACE_SECONDS
    ) -> None:
        """Start no process yet.

        Args:
            main: Main function of a worker.
            listener: Listening socket, shared by all workers.
            count: Number of workers.
            grace_seconds: Time for workers to end by themselves; then they are killed.
        """
        self._main = main
        self._grace_seconds = grace_seconds
        self._listener = listener
        self._count = count
        self._context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        self._running: list[_Worker] = []
        self._stopping = False

    def run(self, on_ready: Callable[[], None]) -> bool:
        """Run the workers until SIGTERM or SIGINT.

        Args:
            on_ready: Called when the first worker accepts requests.

        Returns:
            False when the first worker ended before it was ready.
        """
        for number in SIGNALS:
            signal.signal(number, self._stop)
        ready = self._start().wait_until_ready()
        if ready:
            on_ready()
            self._supervise()
        self._shut_down()
        return ready or self._stopping

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        """Forward the signal to all workers; a second signal ends their drain time."""
        self._stopping = True
        self._terminate()

    def _supervise(self) -> None:
        while not self._stopping:
            while len(self._running) < self._count and not self._stopping:
                self._start()
            wait([worker.process.sentinel for worker in self._running], POLL_SECONDS)
            self._reap()

    def _reap(self) -> None:
        """Remove dead workers; pause after one that died early, so that it is not restarted in a tight loop."""
        for worker in [worker for worker in self._running if not worker.process.is_alive()]:
            self._running.remove(worker)
            if self._stopping:
                continue
            log.error("worker died", pid=worker.process.pid, exit_code=worker.process.exitcode)
            if time.monotonic() - worker.started_at < MIN_LIFETIME_SECONDS:
                time.sleep(RESTART_DELAY_SECONDS)

    def _start(self) -> _Worker:
        ready_pipe, child_pipe = self._context.Pipe(duplex=False)
        process = self._context.Process(target=_run_worker, args=(self._main, self._listener, child_pipe))  # type: ignore[attr-defined]
        worker = _Worker(process, time.monotonic(), ready_pipe)
        # A signal between the fork and the child's own handlers would be lost: it is blocked until both sides are
        # ready for it.
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            process.start()
            self._running.append(worker)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        child_pipe.close()
        if self._stopping:
            process.terminate()
        return worker

    def _terminate(self) -> None:
        for worker in self._running:
            worker.process.terminate()

    def _shut_down(self) -> None:
        """Wait until all workers end, and kill those that are left after the grace time."""
        if not self._stopping:
            self._terminate()
        deadline = time.monotonic() + self._grace_seconds
        for worker in self._running:
            worker.process.join(max(0.0, deadline - time.monotonic()))
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()


def _run_worker(main: WorkerMain, listener: socket.socket, child_pipe: Connection) -> None:
    """Run the main function in a worker process, with the default signal handlers."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    parent = parent_process()
    main(listener, lambda: child_pipe.send_bytes(b"ready"), parent.sentinel if parent is not None else None)
