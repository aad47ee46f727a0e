"""Imports of libraries without the parts that Timbra does not use, so that a process starts in less time."""

from __future__ import annotations

import os
import sys


def skip_pydantic_plugins() -> None:
    """Let pydantic search for no plugins in the metadata of every installed distribution."""
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def import_structlog() -> None:
    """Import structlog without rich, attrs and pygments, which it imports for tracebacks on terminals.

    The log has plain tracebacks. Without effect when structlog or rich is imported already.
    """
    if "structlog" in sys.modules or "rich" in sys.modules:
        return
    sys.modules["rich"] = None  # type: ignore[assignment]
    try:
        __import__("structlog")
    finally:
        del sys.modules["rich"]
