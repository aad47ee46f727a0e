"""Checks of a server, its settings and the services around it: each condition with its state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from timbra.core.errors import ServiceError


class CheckState(StrEnum):
    """The state of a condition."""

    OK = "ok"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What checks may do.

    Attributes:
        online: Query services outside of the machine, and log in there.
        deliver: Stamp a test document, deliver and cancel it; in a rehearsal only.
    """

    online: bool = False
    deliver: bool = False


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A condition.

    Attributes:
        name: What was checked, in Spanish.
        detail: What was found, in Spanish.
    """

    name: str
    state: CheckState
    detail: str


def run_check(name: str, check: Callable[[], str]) -> CheckResult:
    """Return the result of a check that returns what it found, or raises ServiceError."""
    try:
        return CheckResult(name, CheckState.OK, check())
    except ServiceError as error:
        return CheckResult(name, CheckState.ERROR, error.detail or error.code)
