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
        """Return the text of a key, such as `get("c_UsoCFDI", "G03")`; empty where SAT's table has none."""
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
