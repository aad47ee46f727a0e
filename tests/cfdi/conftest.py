"""Shared fixtures: the structure check and the cadena original over a newly built snapshot."""

from __future__ import annotations

import pytest
from tests.support.sat import make_snapshot

from timbra.cfdi.cadena import CadenaOriginal
from timbra.cfdi.structure import Structure
from timbra.snapshot import Snapshot


@pytest.fixture(scope="session")
def sat_snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return make_snapshot(tmp_path_factory.mktemp("sat"))


@pytest.fixture(scope="session")
def structure(sat_snapshot: Snapshot) -> Structure:
    return Structure(sat_snapshot)


@pytest.fixture(scope="session")
def original_string(sat_snapshot: Snapshot) -> CadenaOriginal:
    return CadenaOriginal(sat_snapshot)
