"""Texts of catalog keys for display; rules use `SnapshotCatalogs` only."""

from __future__ import annotations

import csv
import io
from functools import cached_property

from timbra.snapshot import Snapshot


class CatalogLabels:
    """The SAT's texts of the small catalogs, read at first use."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def get(self, catalog: str, key: str, standard: str = "cfdi40") -> str:
        """Return the text of a key; empty when SAT's table has none.

        Args:
            catalog: The catalog, such as "c_UsoCFDI".
            key: The key, such as "G03".
            standard: The standard of the catalog.
        """
        return self._texts.get((standard, catalog, key), "")

    @cached_property
    def _texts(self) -> dict[tuple[str, str, str], str]:
        texts: dict[tuple[str, str, str], str] = {}
        for name in self._snapshot.manifest.files:
            if name.startswith("labels/"):
                standard = name.removeprefix("labels/").removesuffix(".csv")
                rows = csv.reader(io.StringIO(self._snapshot.read(name).decode(), newline=""))
                texts |= {(standard, catalog, key): text for catalog, key, text in rows}
        return texts
