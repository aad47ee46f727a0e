from __future__ import annotations

import pytest
from tests.catalogs.wheels import catalogs_snapshot, real_wheel

from timbra.catalogs import SnapshotCatalogs
from timbra.snapshot import Snapshot


@pytest.fixture(scope="session")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """Return the catalogs of the pinned package, as `timbra data build` makes them."""
    return catalogs_snapshot(real_wheel(), tmp_path_factory.mktemp("catalogs"))


@pytest.fixture(scope="session")
def catalogs(snapshot: Snapshot) -> SnapshotCatalogs:
    return SnapshotCatalogs(snapshot)
