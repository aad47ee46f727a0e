"""The interface of every kind of catalog."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Protocol


class CatalogTable(Protocol):
    """One catalog. columns: names of its columns, `clave` first."""

    columns: tuple[str, ...]

    def contains(self, key: str, on: date) -> bool: ...

    def row(self, key: str, on: date) -> Mapping[str, str] | None: ...
