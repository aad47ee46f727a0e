"""Control of fiscal time, re-exported because import contracts keep the edges from importing `timbra.authority`."""

from __future__ import annotations

from timbra.authority.sandbox.controls.clock import ClockControl, initial_reading

__all__ = ["ClockControl", "initial_reading"]
