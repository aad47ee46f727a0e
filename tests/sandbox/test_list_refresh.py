"""The nightly refresh as a periodic job."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from tests.support.sandbox_support import NOON, MovableClock, new_database

from timbra.sandbox.authority.taxpayers.models import TaxpayerChange
from timbra.sandbox.authority.taxpayers.registry import SandboxRegistry
from timbra.sandbox.bindings import refresh_lists
from timbra.sandbox.faults import Faults
from timbra.sandbox.store.transactions import SandboxStore


def test_refresh_lists_publishes_once_per_fiscal_night(tmp_path: Path) -> None:
    database = new_database(tmp_path)
    clock = MovableClock()
    registry = SandboxRegistry(SandboxStore(database), clock, Faults(SandboxStore(database)))
    registry.change("EKU9003173C9", TaxpayerChange(postal_code="06300"))
    assert refresh_lists(registry) is False
    clock.instant = NOON + timedelta(hours=12)
    assert refresh_lists(registry) is True
    assert refresh_lists(registry) is False
    assert registry.entry("EKU9003173C9").taxpayer.postal_code == "06300"
    database.close()
