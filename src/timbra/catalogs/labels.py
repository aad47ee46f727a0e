"""What keys are called, for people; rules judge by `SnapshotCatalogs` alone."""

from __future__ import annotations

import csv
import io
from functools import cached_property

from timbra.snapshot import Snapshot


class Labels:
    """SAT's texts of the small catalogs, read at the first question."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def of(self, catalog: str, key: str, standard: str = "cfdi40") -> str:
        """The text of a key, such as `of("c_UsoCFDI", "G03")`; empty where SAT's table has none."""
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
