"""The questions of a child process to its parent, while a function of a `ProcessPool` runs in the child."""

from __future__ import annotations

from multiprocessing.connection import Connection

_connection: Connection | None = None


def connect(connection: Connection) -> None:
    """Set the connection to the parent; the main function of the child calls it once."""
    global _connection
    _connection = connection


def ask(question: object) -> object:
    """Send a question to the parent and wait for its answer.

    Args:
        question: A value that can be pickled; `ProcessPool.call_answering` passes it to its `answer`.

    Raises:
        RuntimeError: This process is not the child of a pool.
        Exception: What `answer` raised in the parent.
    """
    if _connection is None:
        raise RuntimeError("only the child of a process pool has a parent to ask")
    _connection.send(("question", question))
    succeeded, value = _connection.recv()
    if not succeeded:
        raise value
    return value
