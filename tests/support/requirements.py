"""Components that a test wants: absent ones skip it visibly, or fail it where they were promised."""

from __future__ import annotations

import os

import pytest


def need(component: str, condition: object, reason: str) -> None:
    """Go on when `condition` holds; otherwise skip, or fail when the comma list TIMBRA_TEST_REQUIRE names it."""
    if condition:
        return
    if component in {name.strip() for name in os.environ.get("TIMBRA_TEST_REQUIRE", "").split(",")}:
        pytest.fail(f"{component} is required here: {reason}")
    pytest.skip(f"{component}: {reason}")
