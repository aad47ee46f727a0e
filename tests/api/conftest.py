"""One fake server for all tests that use a socket."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.api.server_fixtures import Server, serving


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with serving() as running:
        yield running
