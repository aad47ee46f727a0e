"""Supervisor of the processes of a server: workers that share one listening socket, and one for deliveries.

A process that dies is replaced. SIGHUP replaces all of them, one after another, by processes with the settings of now:
an old one ends when its successor is ready. When the supervisor dies, the kernel ends its processes at once (Linux;
elsewhere each process notices it), so that a restarted server finds the address free.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess, parent_process
from types import FrameType

import structlog

from timbra.core.errors import ServiceError
from timbra.core.posix import end_with_writer
from timbra.web.server import log_output
from timbra.web.server.worker import RETIRE

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
ProcessMain = Callable[[Callable[[], None], int | None], None]
"""Main function of any process: callback once it is ready, descriptor of the parent process."""
Reload = Callable[[], tuple[WorkerMain, ProcessMain]]
"""Returns the main functions of a worker and of the process for deliveries, with the settings of now."""


@dataclass(eq=False, slots=True)
class _Role:
    """A kind of process: its name in the log, its main function, and how many of them run."""

    name: str
    main: ProcessMain
    count: int


@dataclass(slots=True)
class _Child:
    """A process, its number in its role, its start by the monotonic clock, and the pipe of its readiness."""

    role: _Role
    number: int
    process: BaseProcess
    started_at: float
    ready_pipe: Connection
    kill_at: float | None = None
    """When it is killed, if it does not end before; None for one that is not replaced."""

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
    """Keeps a number of worker processes running, and a process for deliveries beside them.

    The first worker starts alone, because it may have to create the state that all processes share. On Linux the
    processes are forked, so that they share the memory of modules imported before; elsewhere `main` is pickled.
    """

    def __init__(
        self,
        main: WorkerMain,
        listener: socket.socket,
        count: int,
        *,
        delivery: ProcessMain | None = None,
        reload: Reload | None = None,
        grace_seconds: float = GRACE_SECONDS,
    ) -> None:
        """Start no process yet.

        Args:
            main: Main function of a worker.
            listener: Listening socket, shared by all workers.
            count: Number of workers.
            delivery: Main function of the process for deliveries; None without one.
            reload: Called on SIGHUP; what it raises leaves the processes as they are. None: SIGHUP ends the server.
            grace_seconds: Time for processes to end by themselves; then they are killed.
        """
        self._grace_seconds = grace_seconds
        self._listener = listener
        self._reload = reload
        self._reloads = False
        self._roles = [_Role("worker", partial(main, listener), count)]
        if delivery is not None:
            self._roles.append(_Role("delivery process", delivery, 1))
        self._context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        # Nothing is ever written: the end of the supervisor closes the writing end.
        self._end_pipe = self._context.Pipe(duplex=False) if sys.platform == "linux" else None
        self._running: list[_Child] = []
        self._stopping = False

    def run(self, on_ready: Callable[[], None]) -> bool:
        """Run the processes until SIGTERM or SIGINT.

        Args:
            on_ready: Called when the first worker accepts requests.

        Returns:
            False when the first worker ended before it was ready.
        """
        for number in SIGNALS:
            signal.signal(number, self._stop)
        if self._reload is not None:
            signal.signal(signal.SIGHUP, self._request_reload)
        ready = self._start(self._roles[0]).wait_until_ready()
        if ready:
            on_ready()
            self._supervise()
        self._shut_down()
        return ready or self._stopping

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        """Forward the signal to all processes; a second signal ends the drain time of workers."""
        self._stopping = True
        self._terminate()

    def _request_reload(self, _number: int, _frame: FrameType | None) -> None:
        self._reloads = True

    def _supervise(self) -> None:
        while not self._stopping:
            if self._reloads and self._reload is not None:
                self._reloads = False
                self._replace_all(self._reload)
            for role in self._roles:
                while self._count(role) < role.count and not self._stopping:
                    self._start(role)
            wait([child.process.sentinel for child in self._running], POLL_SECONDS)
            self._reap()

    def _count(self, role: _Role) -> int:
        return len(self._present(role))

    def _present(self, role: _Role) -> list[_Child]:
        """Return the processes of a role, without those that are replaced."""
        return [child for child in self._running if child.role is role and child.kill_at is None]

    def _replace_all(self, reload: Reload) -> None:
        """Start a successor of each process, and end the process when it is ready."""
        try:
            worker, delivery = reload()
        except Exception as error:
            log.error("settings not reloaded", reason=f"{type(error).__name__}: {error}")  # noqa: TRY400 -- its cause
            return
        mains: tuple[ProcessMain, ProcessMain] = (partial(worker, self._listener), delivery)
        for role, main in zip(self._roles, mains, strict=False):
            before, role.main = role.main, main
            for child in self._present(role):
                if not self._start(role, child.number).wait_until_ready():
                    role.main = before
                    log.error("settings not reloaded", reason=f"{role.name} does not start")
                    return
                self._retire(child)
        log.info("settings reloaded")

    def _retire(self, child: _Child) -> None:
        """Ask a process to end; it is killed after the grace time."""
        child.kill_at = time.monotonic() + self._grace_seconds
        if child.process.pid is not None and child.role is self._roles[0]:
            os.kill(child.process.pid, RETIRE)
        else:
            child.process.terminate()

    def _reap(self) -> None:
        """Remove dead processes; pause after one that died early, so that it is not restarted in a tight loop."""
        for child in [child for child in self._running if not child.process.is_alive()]:
            self._running.remove(child)
            if self._stopping or child.kill_at is not None:
                continue
            log.error(f"{child.role.name} died", pid=child.process.pid, exit_code=child.process.exitcode)
            if time.monotonic() - child.started_at < MIN_LIFETIME_SECONDS:
                time.sleep(RESTART_DELAY_SECONDS)

        for child in self._running:
            if child.kill_at is not None and child.kill_at < time.monotonic():
                child.process.kill()

    def _start(self, role: _Role, number: int | None = None) -> _Child:
        """Start a process with the number of the one that it replaces, or else with a free one."""
        ready_pipe, child_pipe = self._context.Pipe(duplex=False)
        if number is None:
            taken = {child.number for child in self._present(role)}
            number = next(number for number in range(1, role.count + 1) if number not in taken)
        name = f"{role.name} {number}" if role.count > 1 else role.name
        arguments = (role.main, child_pipe, self._end_pipe, name)
        process = self._context.Process(target=_run_child, args=arguments)  # type: ignore[attr-defined]
        child = _Child(role, number, process, time.monotonic(), ready_pipe)
        # A signal between the fork and the child's own handlers would be lost: it is blocked until both sides are
        # ready for it.
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            process.start()
            self._running.append(child)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        child_pipe.close()
        if self._stopping:
            process.terminate()
        return child

    def _terminate(self) -> None:
        for child in self._running:
            child.process.terminate()

    def _shut_down(self) -> None:
        """Wait until all processes end, and kill those that are left after the grace time."""
        if not self._stopping:
            self._terminate()
        # Otherwise the system would go on to take connections that no worker serves.
        self._listener.close()
        deadline = time.monotonic() + self._grace_seconds
        for child in self._running:
            child.process.join(max(0.0, deadline - time.monotonic()))
            if child.process.is_alive():
                child.process.kill()
                child.process.join()


def _run_child(
    main: ProcessMain, child_pipe: Connection, end_pipe: tuple[Connection, Connection] | None, name: str
) -> None:
    """Run the main function in a child process, with the default signal handlers; log lines have its name."""
    log_output.name_process(name)
    if end_pipe is not None:
        reader, writer = end_pipe
        writer.close()
        end_with_writer(reader.fileno())
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # it is for the supervisor
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    parent = parent_process()
    # A forked child runs no functions of `atexit`.
    try:
        main(lambda: child_pipe.send_bytes(b"ready"), parent.sentinel if parent is not None else None)
    except ServiceError as error:
        # While the database is away, each successor ends so, once a second: a line says as much as a traceback.
        log.error("process ends", code=error.code, detail=error.detail)  # noqa: TRY400
        sys.exit(1)
    finally:
        log_output.flush()
