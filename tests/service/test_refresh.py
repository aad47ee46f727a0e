"""The nightly refresh as a periodic job."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from tests.authority.sandbox_support import NOON, MovableClock, new_database

from timbra.authority.sandbox.faults import Faults
from timbra.authority.sandbox.listing import Change
from timbra.authority.sandbox.registry import SandboxRegistry
from timbra.service.refresh import refresh_lists


def test_it_publishes_once_a_fiscal_night(tmp_path: Path) -> None:
    database = new_database(tmp_path)
    clock = MovableClock()
    registry = SandboxRegistry(database, clock, Faults(database))
    registry.change("EKU9003173C9", Change(postal_code="06300"))
    assert refresh_lists(registry) is False
    clock.instant = NOON + timedelta(hours=12)
    assert refresh_lists(registry) is True
    assert refresh_lists(registry) is False
    assert registry.entry("EKU9003173C9").taxpayer.postal_code == "06300"
    database.close()
