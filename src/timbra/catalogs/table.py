"""The interface of every kind of catalog."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Protocol


class CatalogTable(Protocol):
    """One catalog.

    Attributes:
        columns: The names of its columns, `clave` first.
    """

    columns: tuple[str, ...]

    def contains(self, key: str, on: date) -> bool:
        """Whether the key is valid on the date."""
        ...

    def row(self, key: str, on: date) -> Mapping[str, str] | None:
        """Return the columns of a key that is valid on the date; None otherwise."""
        ...
