"""The names of the faults, which the command line knows without the rest."""

from __future__ import annotations

from enum import StrEnum


class FaultName(StrEnum):
    """What a drill takes away, in its order."""

    AUTHORITY = "authority"
    DEVICE = "device"
    DATABASE = "database"
    NODE = "node"
    DISK = "disk"
    CLOCK = "clock"
