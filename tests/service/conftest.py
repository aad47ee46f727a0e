"""A sandbox application for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.sandbox_app import SandboxApp


@pytest.fixture
def sandbox_app(tmp_path: Path) -> Iterator[SandboxApp]:
    sandbox_app = SandboxApp(tmp_path / "data")
    yield sandbox_app
    sandbox_app.container.close()
