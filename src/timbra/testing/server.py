"""`timbra dev` as a child process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from timbra.testing.connection import SandboxConnection
from timbra.testing.sandbox import Sandbox, SandboxAccount, SandboxError

START_SECONDS = 120
STOP_SECONDS = 30
END_SECONDS = 1
"""Time in which a process whose connection broke ends, if it ends."""
LAST_LINES = 5
PROGRAM = "timbra.cli"
READY = "ready"
"""Name of the last line of `timbra dev`."""


@contextmanager
def running_sandbox(seed: Path | None = None, *, port: int = 0) -> Iterator[Sandbox]:
    """Run a sandbox server on loopback with a temporary data folder, both removed at the end.

    The server ends with this process, however this process ends.

    Args:
        seed: Seed file, as for `timbra dev --seed`.
        port: Port; 0 takes a free one, so that several servers run at once.

    Yields:
        The server.

    Raises:
        SandboxError: The server does not start, with what it printed.
    """
    command = [sys.executable, "-m", PROGRAM, "dev", "--port", str(port), "--stop-with-stdin"]
    command += ["--seed", str(seed)] if seed is not None else []
    environment = {"TIMBRA_LOG_LEVEL": "warning"} | os.environ | {"PYTHONUNBUFFERED": "1"}
    with tempfile.TemporaryFile() as log, _process(command, environment, log) as process:
        values = _read_values(process, log)
        account = SandboxAccount(values["user"], values["password"], values["token"], tuple(values["rfc"].split()))
        connection = SandboxConnection(values["api"], account.token, lambda: _ending(process, log))
        try:
            yield Sandbox(values["api"], account, connection)
        finally:
            connection.close()


@contextmanager
def sandbox_at(url: str, token: str) -> Iterator[Sandbox]:
    """Use a sandbox server that runs already, such as a container.

    Args:
        url: Its base URL.
        token: An infinite token of an administrator.

    Yields:
        The server.

    Raises:
        SandboxError: The server does not answer, is no sandbox, or rejects the token.
    """
    address = url.rstrip("/")
    connection = SandboxConnection(address, token)
    try:
        connection.send("GET", "/sandbox/clock")
        yield Sandbox(address, SandboxAccount("", "", token), connection)
    finally:
        connection.close()


@contextmanager
def _process(command: list[str], environment: dict[str, str], log: IO[bytes]) -> Iterator[subprocess.Popen[str]]:
    """Start the command, and end it at the end of the block."""
    with subprocess.Popen(  # noqa: S603 - this interpreter, with fixed arguments
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env=environment
    ) as process:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


def _read_values(process: subprocess.Popen[str], log: IO[bytes]) -> dict[str, str]:
    """Read the lines of `timbra dev` until it accepts requests.

    Raises:
        SandboxError: It ended, or did not start within START_SECONDS.
    """
    late = threading.Timer(START_SECONDS, process.kill)
    late.start()
    values: dict[str, str] = {}
    try:
        for line in process.stdout or ():
            name, _, value = line.rstrip("\n").partition("\t")
            values[name] = value
            if name == READY:
                return values
    finally:
        late.cancel()
    process.wait(STOP_SECONDS)
    raise SandboxError(f"The Timbra server did not start. {_ending(process, log)}")


def _ending(process: subprocess.Popen[str], log: IO[bytes]) -> str:
    """Return a sentence with the last lines of the log when the process has ended, else an empty text.

    A connection breaks a moment before its process has ended.
    """
    try:
        code = process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        return ""
    log.seek(0)
    lines = log.read().decode(errors="replace").splitlines()[-LAST_LINES:]
    return f"The Timbra server ended with exit code {code}.{chr(10) if lines else ''}{chr(10).join(lines)}"
