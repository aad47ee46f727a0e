"""Fault injection, re-exported because import contracts keep the edges from importing `timbra.authority`."""

from __future__ import annotations

from timbra.authority.sandbox.controls.fault_selection import EVERY_REQUEST, FaultSelection
from timbra.authority.sandbox.controls.faults import (
    DEFAULT_SECONDS,
    FAULTS,
    MAX_SECONDS,
    REQUEST_FAULTS,
    TIMED_FAULTS,
    Fault,
    FaultName,
    Faults,
    make_fault,
)

__all__ = [
    "DEFAULT_SECONDS",
    "EVERY_REQUEST",
    "FAULTS",
    "MAX_SECONDS",
    "REQUEST_FAULTS",
    "TIMED_FAULTS",
    "Fault",
    "FaultName",
    "FaultSelection",
    "Faults",
    "make_fault",
]
