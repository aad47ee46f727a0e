from __future__ import annotations

import pytest

from timbra.catalogs import SnapshotCatalogs
from timbra.snapshot import Snapshot, locate, open_snapshot


@pytest.fixture(scope="session")
def snapshot() -> Snapshot:
    """Return the snapshot of the checkout, which tests/snapshot/test_build.py compares with a new build."""
    return open_snapshot(locate(None))


@pytest.fixture(scope="session")
def catalogs(snapshot: Snapshot) -> SnapshotCatalogs:
    return SnapshotCatalogs(snapshot)
