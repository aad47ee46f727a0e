"""One simulator of the SAT's services for all tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.support.sat_services import SatServices, sat_services


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SatServices]:
    with sat_services(tmp_path_factory.mktemp("files")) as running:
        yield running
