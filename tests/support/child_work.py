"""Functions that tests call in child processes; a child imports them by name."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from timbra.container.child import ProcessOutcome
from timbra.core.metrics import STAMP_CLAIMS, MetricsRegistry
from timbra.pools.parent import ask

Groups = Mapping[type[Any], Callable[[], Any]]


def ask_twice(question: object) -> list[object]:
    return [ask(question), ask(question)]


def ask_and_report(question: object) -> str:
    """Return the name of the exception that the answer raises."""
    try:
        return str(ask(question))
    except LookupError as error:
        return type(error).__name__


def setting_names() -> list[str]:
    return sorted(name for name in os.environ if name.startswith("TIMBRA_"))


def variable(name: str) -> str | None:
    return os.environ.get(name)


def niceness() -> int:
    return os.nice(0)


def run_without_container(work: Callable[..., Any], *args: Any) -> ProcessOutcome:
    """Run work as the children of a server do, without a container; each call counts one stored stamp."""
    metrics = MetricsRegistry()
    metrics.count(STAMP_CLAIMS, ("stored",))
    try:
        value, error = work({}, *args), None
    except Exception as caught:  # what the children of a server do
        value, error = None, caught
    return ProcessOutcome(value, error, metrics.state())


def take_memory(_groups: Groups, size: int) -> int:
    return len(bytes(size))


def die(_groups: Groups) -> None:
    os._exit(3)


def hang(_groups: Groups) -> None:
    time.sleep(600)


def variable_in_group(_groups: Groups, name: str) -> str | None:
    return variable(name)


def process_id(_groups: Groups) -> int:
    return os.getpid()


def fail(_groups: Groups, error: Exception) -> None:
    raise error


def envelope_of(groups: Groups) -> str:
    """Return why the container of the child does not give its envelope encryption."""
    from timbra.accounts.build import envelope_encryption  # here: a child starts with the imports of this module

    build: Any = next(iter(groups.values()))
    try:
        return str(build.func(envelope_encryption))
    except RuntimeError as error:
        return str(error)


def compute(_groups: Groups) -> None:
    """Use processor time without end, as native code may."""
    while True:
        sum(range(100_000))


def derive_each(data: bytes) -> None:
    """Derive a key for each number of iterations in `data`, as OpenSSL does for the bags of a file."""
    for start in range(0, len(data), 4):
        hashlib.pbkdf2_hmac("sha256", b"x", b"salt", int.from_bytes(data[start : start + 4], "big"))
