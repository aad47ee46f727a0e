"""Commands run in the process of the tests, so that they must not configure its logging."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _unchanged_logging(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loggers would write to the standard error of one command, which is closed after it."""
    monkeypatch.setattr("timbra.api.server.log_output.configure", lambda *_: None)
