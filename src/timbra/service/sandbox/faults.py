"""Fault injection, re-exported because import contracts keep the edges from importing `timbra.authority`."""

from __future__ import annotations

from timbra.authority.sandbox.controls.faults import DEFAULT_SECONDS, FAULTS, MAX_SECONDS, Fault, FaultName, Faults

__all__ = ["DEFAULT_SECONDS", "FAULTS", "MAX_SECONDS", "Fault", "FaultName", "Faults"]
