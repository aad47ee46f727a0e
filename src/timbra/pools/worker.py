"""The child process of a `ProcessPool`: serves one call after another until its parent closes the connection."""

from __future__ import annotations

import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from timbra.core import lean_imports
from timbra.core.posix import (
    end_with_writer,
    limit_memory,
    lower_priority,
    resident_bytes,
    set_alarm,
    set_processor_alarm,
)
from timbra.pools import parent

RETIREMENT_SHARE = 4
"""A process that uses more than 1/RETIREMENT_SHARE of its memory limit is replaced, because native caches only grow."""


def serve(connection: Any, memory_bytes: int, niceness: int = 0) -> None:
    """Serve calls until the connection closes.

    Args:
        connection: connection to the parent.
        memory_bytes: limit of the address space.
        niceness: by how much the priority of the process is lowered.
    """
    limit_memory(memory_bytes)
    lower_priority(niceness)
    parent.connect(connection)
    with connection:
        while True:
            try:
                seconds, processor_seconds, work = connection.recv()
            except EOFError:
                return
            set_alarm(seconds)
            set_processor_alarm(processor_seconds)
            succeeded, value = _outcome(work)
            set_processor_alarm(0)
            del work
            connection.send(("result", (succeeded, value, resident_bytes() > memory_bytes // RETIREMENT_SHARE)))
            del value
            set_alarm(0)


def _outcome(work: Callable[[], object]) -> tuple[bool, object]:
    try:
        return True, work()
    except Exception as error:  # raised again in the parent
        return False, error


if __name__ == "__main__":
    end_with_writer(int(sys.argv[2]))
    lean_imports.skip_pydantic_plugins()
    lean_imports.import_structlog()
    serve(Connection(int(sys.argv[1])), int(sys.argv[3]), int(sys.argv[4]))
