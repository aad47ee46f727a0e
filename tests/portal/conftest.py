"""A desk and visitors of its portal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.portal.browser import Visitor
from tests.support.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.house.close()


@pytest.fixture
def visitor(desk: Desk) -> Visitor:
    return Visitor(desk)
