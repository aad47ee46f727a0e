"""Settings to objects: the only place that knows which implementation stands behind a port."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from timbra.clock import Clock
from timbra.settings import Settings
from timbra.wiring.house import House
from timbra.wiring.production import ProductionHouse
from timbra.wiring.sandbox import SandboxHouse

__all__ = ["House", "ProductionHouse", "SandboxHouse", "house_of", "open_house"]


def house_of(settings: Settings, wall: Clock | None = None) -> House:
    """The house of these settings, for the caller to close."""
    make = SandboxHouse if settings.environment == "sandbox" else ProductionHouse
    return make(settings, wall)


@contextmanager
def open_house(settings: Settings, wall: Clock | None = None) -> Iterator[House]:
    """The house of these settings, closed at the end of the block."""
    house = house_of(settings, wall)
    try:
        yield house
    finally:
        house.close()
