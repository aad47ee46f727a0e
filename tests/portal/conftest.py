"""A sandbox and a client of its portal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.portal.browser import Visitor
from tests.support.sandbox_app import SandboxApp


@pytest.fixture
def sandbox_app(tmp_path: Path) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path)
    yield made
    made.container.close()


@pytest.fixture
def visitor(sandbox_app: SandboxApp) -> Visitor:
    return Visitor(sandbox_app)
