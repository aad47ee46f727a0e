"""The tests of native code measure memory: a collection then visits only what the test has made."""

from __future__ import annotations

import gc

import pytest


@pytest.fixture(autouse=True, scope="module")
def _without_objects_of_other_tests() -> None:
    gc.collect()
    gc.freeze()
