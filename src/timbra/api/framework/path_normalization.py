"""Paths as clients write them, brought to one form."""

from __future__ import annotations

import re

_SLASHES = re.compile(r"/{2,}")


def normal_path(path: str) -> str:
    """The path with runs of `/` collapsed and one trailing `/` dropped; letters keep their case, the root stays `/`."""
    if "//" in path:
        path = _SLASHES.sub("/", path)
    if len(path) > 1 and path.endswith("/"):
        path = path[:-1]
    return path
