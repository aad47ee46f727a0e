"""Normalization of request paths."""

from __future__ import annotations

import re

_SLASHES = re.compile(r"/{2,}")


def normalize_path(path: str) -> str:
    """Collapse runs of `/` and drop one trailing `/`; the root stays `/`, and letters keep their case."""
    if "//" in path:
        path = _SLASHES.sub("/", path)
    if len(path) > 1 and path.endswith("/"):
        path = path[:-1]
    return path
