"""Programs that tests start as `python -m`, forked from a process that has imported Timbra.

Imports take most of the time of a start. A forked program has the arguments, the environment, the folder and the open
files of a new interpreter, runs its module as `__main__` and ends as an interpreter does; what differs is that modules
of Timbra are imported already.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import astuple
from functools import cache
from importlib import import_module
from io import TextIOWrapper
from multiprocessing.connection import wait
from pathlib import Path
from tempfile import TemporaryFile
from types import TracebackType
from typing import IO

ROOT = Path(__file__).parents[2]
READ_AT_START = ("LANG", "LC_", "LD_", "MALLOC_", "OPENSSL_", "PYTHON", "TIMBRA_NATIVE", "TZ")
"""Beginnings of environment variables that the interpreter, the C library and modules read when they are loaded."""
SERVER_MODULES = (
    "alembic.command",
    "timbra.cli.main",
    "timbra.app.api_factory",
    "timbra.app.front_controller",
    "timbra.app.portal_factory",
    "timbra.app.request_environment",
    "timbra.cli.jobs",
    "timbra.sandbox.bindings",
    "timbra.web.server.job_process",
    "timbra.web.server.supervisor",
    "timbra.web.server.worker",
)
"""What servers and commands import, besides the modules of the features; alembic, where they create a database."""
RUN_SECONDS = 300
_LONGEST_REQUEST = 1 << 18
_NUMBER = struct.Struct("q")

Stream = int | IO[str] | IO[bytes] | None


class ForkedProgram:
    """A forked program, with the members of `subprocess.Popen` that tests use."""

    def __init__(
        self, module: str, arguments: tuple[str, ...], environment: Mapping[str, str], streams: tuple[Stream, ...]
    ) -> None:
        self.args = [sys.executable, "-m", module, *arguments]
        self.returncode: int | None = None
        self.stdout: IO[str] | None = None
        self._receiving = threading.Lock()
        request = json.dumps([module, arguments, dict(environment), os.getcwd()]).encode()
        forking = _forking_process()[0]
        self._status, status = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ExitStack() as sent, status:
            descriptors = [self._opened(stream, number, sent) for number, stream in enumerate(streams)]
            socket.send_fds(forking, [request], [status.fileno(), *descriptors])
        self.pid = self._receive()

    def _opened(self, stream: Stream, number: int, sent: ExitStack) -> int:
        """Return the descriptor to send; those that are opened for it are closed with `sent`."""
        if stream is None:
            return number
        if not isinstance(stream, int):
            return stream.fileno()
        if stream == subprocess.PIPE and number == 1:
            reader, writer = os.pipe()
            self.stdout = os.fdopen(reader, encoding="utf-8")
        elif stream == subprocess.DEVNULL:
            writer = os.open(os.devnull, os.O_RDWR)
        else:
            raise ValueError(f"stream {number}: {stream}")
        sent.callback(os.close, writer)
        return writer

    def __enter__(self) -> ForkedProgram:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.stdout is not None:
            self.stdout.close()
        self.wait()
        self._status.close()

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None and not wait([self._status], timeout):
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        with self._receiving:
            if self.returncode is None:
                self.returncode = os.waitstatus_to_exitcode(self._receive())
            return self.returncode

    def poll(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _receive(self) -> int:
        received = self._status.recv(_NUMBER.size)
        if not received:
            raise RuntimeError(f"the process that watches {self.args} has ended")
        return int(_NUMBER.unpack(received)[0])


Program = subprocess.Popen[str] | ForkedProgram


def start(
    module: str,
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    stdin: Stream = None,
    stdout: Stream = None,
    stderr: Stream = None,
    fresh: bool = False,
) -> Program:
    """Start `python -m module arguments`.

    environment: None for the one of this process. stdin, stdout, stderr: as of `subprocess.Popen`. fresh: a new
    interpreter, where the test is about imports or the start; always, when a variable of `READ_AT_START` differs.
    """
    variables = dict(os.environ if environment is None else environment)
    if fresh or _read_at_start(variables) != _forking_process()[1]:
        command = [sys.executable, "-m", module, *arguments]
        return subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=stderr, text=True, env=variables)
    return ForkedProgram(module, arguments, variables, (stdin, stdout, stderr))


def run(
    module: str,
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    stdin: Stream = None,
    fresh: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run `python -m module arguments` to its end, and return what it printed."""
    with TemporaryFile("w+") as stdout, TemporaryFile("w+") as stderr:
        streams = {"stdin": stdin, "stdout": stdout, "stderr": stderr}
        with start(module, *arguments, environment=environment, **streams, fresh=fresh) as program:
            try:
                code = program.wait(RUN_SECONDS)
            finally:
                program.kill()
        for printed in (stdout, stderr):
            printed.seek(0)
        return subprocess.CompletedProcess(program.args, code, stdout.read(), stderr.read())


def _read_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(READ_AT_START)}


@cache
def _forking_process() -> tuple[socket.socket, dict[str, str], subprocess.Popen[bytes]]:
    """Start the process that forks, which ends with this one; return a socket to it, and what it read at its start."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        command = [sys.executable, "-m", __name__, str(theirs.fileno())]
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()])
    return ours, _read_at_start(os.environ), process


def _import_timbra() -> None:
    """Import what servers and commands import, as they do; no thread, database or logging may start by that."""
    lean_imports = import_module("timbra.core.lean_imports")
    lean_imports.skip_pydantic_plugins()
    lean_imports.import_structlog()
    for name in SERVER_MODULES:
        import_module(name)
    for feature in import_module("timbra.core.features").features():
        for modules in astuple(feature):
            for name in modules if isinstance(modules, tuple) else ():
                import_module(f"timbra.{feature.package}.{name}")


def _forked(requests: socket.socket) -> tuple[str, list[str]]:
    """Fork a program for each request; return in its process, with the module to run and its arguments.

    A process between the two waits for the program, and sends its number and its status.
    """
    of_interpreter = signal.signal(signal.SIGINT, signal.SIG_IGN)  # ignored in a job of the background
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        request, descriptors, _, _ = socket.recv_fds(requests, _LONGEST_REQUEST, 4)
        if not request:
            os._exit(0)
        if os.fork():
            for descriptor in descriptors:
                os.close(descriptor)
            continue
        requests.close()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        with socket.socket(fileno=descriptors[0]) as status:
            if number := os.fork():
                for descriptor in (*descriptors[1:], 0, 1, 2):
                    os.close(descriptor)
                status.send(_NUMBER.pack(number))
                status.send(_NUMBER.pack(os.waitpid(number, 0)[1]))
                os._exit(0)
        signal.signal(signal.SIGINT, of_interpreter)
        module, arguments, environment, folder = json.loads(request)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        sys.path[0] = folder
        for target, descriptor in enumerate(descriptors[1:]):
            os.dup2(descriptor, target)
            os.close(descriptor)
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(line_buffering=sys.stdout.isatty())
        return module, arguments


if __name__ == "__main__":
    gc.disable()
    _import_timbra()
    gc.freeze()
    _module, _arguments = _forked(socket.socket(fileno=int(sys.argv[1])))
    gc.enable()
    sys.argv[1:] = _arguments
    runpy.run_module(_module, run_name="__main__", alter_sys=True)
