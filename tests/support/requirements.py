"""Components that tests need: without one a test is skipped with a reason, or fails where the component is required."""

from __future__ import annotations

import os

import pytest


def need(component: str, condition: object, reason: str) -> None:
    """Skip the test without `condition`, or fail it when the comma list TIMBRA_TEST_REQUIRE names the component."""
    if condition:
        return
    if component in {name.strip() for name in os.environ.get("TIMBRA_TEST_REQUIRE", "").split(",")}:
        pytest.fail(f"{component} is required here: {reason}")
    pytest.skip(f"{component}: {reason}")
