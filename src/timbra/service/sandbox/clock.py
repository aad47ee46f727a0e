"""Control of fiscal time, as the edges use it."""

from __future__ import annotations

from timbra.authority.sandbox.controls.clock import ClockControl

__all__ = ["ClockControl"]
