"""A `timbra dev` process, started and stopped by the test that needs it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from httpx2 import Client
from tests.support.forked_program import Program, start

from timbra import examples
from timbra.core.clock import to_central_mexico
from timbra.testing import server

AGE = timedelta(minutes=5)
"""Age of an invoice."""


@dataclass(frozen=True)
class DevServer:
    """A running server.

    printed: what it printed when it accepted requests, by name.
    notes: its remarks.
    """

    process: Program
    printed: Mapping[str, str]
    notes: tuple[str, ...]


@contextmanager
def sandbox_with_cached_keys() -> Iterator[None]:
    """Within the block `timbra.testing` starts servers with the cached keys of the tests."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(server, "PROGRAM", "tests.support.guarded")
        yield


@contextmanager
def running_dev(
    *arguments: str, program: str = "tests.support.guarded", variables: Mapping[str, str] | None = None
) -> Iterator[DevServer]:
    """Starts `timbra dev` on a free port, reads what it prints, and ends it with SIGTERM.

    variables: environment variables besides those of the test.
    """
    environment = {**os.environ, "TIMBRA_LOG_LEVEL": "warning", **(variables or {})}
    command = (program, "dev", "--port", "0", *arguments)
    with start(*command, environment=environment, stdout=subprocess.PIPE) as process:
        try:
            yield DevServer(process, *_read(process))
        finally:
            process.terminate()
            process.wait(30)


def issue_example(url: str, token: str) -> dict[str, object]:
    """Issue an example invoice; return the answer."""
    invoice = examples.ingreso(fecha=to_central_mexico(datetime.now(UTC) - AGE)).encode()
    with Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=30) as client:
        return dict(client.post("/cfdi33/issue/v4", files={"xml": ("invoice.xml", invoice)}).json())


def _read(process: Program) -> tuple[dict[str, str], tuple[str, ...]]:
    """Read the lines up to the last one."""
    printed: dict[str, str] = {}
    notes: list[str] = []
    for line in process.stdout or ():
        name, _, value = line.rstrip("\n").partition("\t")
        if name == "ready":
            return printed, tuple(notes)
        if name == "note":
            notes.append(value)
        else:
            printed[name] = value
    raise RuntimeError(f"the server ended with exit code {process.wait()} before it listened")
