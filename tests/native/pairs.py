"""The native modules beside their equals in Python."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

import pytest
from tests.support.requirements import need


def native_module(name: str) -> ModuleType:
    """Return `timbra._native.NAME` as compiled; skip the test without a compiled extension."""
    try:
        return import_module(f"timbra._native.{name}")
    except ImportError:
        need("native", False, "the native extension is not compiled")
        pytest.fail("unreachable")
