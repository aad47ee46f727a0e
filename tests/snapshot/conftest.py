"""Shared fixture: a newly built snapshot with schemas and stylesheets."""

from __future__ import annotations

import pytest
from tests.support.sat import make_snapshot

from timbra.snapshot import Snapshot


@pytest.fixture(scope="session")
def sat_snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return make_snapshot(tmp_path_factory.mktemp("sat"))
