"""Texts of catalog keys for display; rules use `SnapshotCatalogs` only."""

from __future__ import annotations

import csv
import io
import sqlite3
import threading
from functools import cached_property

from timbra.core.errors import ServiceError
from timbra.snapshot import Snapshot

LARGE_FILE = "labels/large.sqlite"
NEWEST = {
    "cfdi33": "cfdi40",
    "cartaporte10": "cartaporte31",
    "cartaporte20": "cartaporte31",
    "cartaporte30": "cartaporte31",
    "comercioexterior11": "comercioexterior20",
    "pagos10": "pagos20",
}
"""Standards whose keys have their texts in the newest version."""


class CatalogLabels:
    """The SAT's texts of catalogs: small catalogs are read at first use, large ones stay in their file."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._lock = threading.Lock()

    def get(self, catalog: str, key: str, standard: str = "cfdi40") -> str:
        """Return the text of a key; empty when SAT's table has none.

        Args:
            catalog: The catalog, such as "c_UsoCFDI".
            key: The key, such as "G03"; parts of a composed key are separated by "|".

        Raises:
            ServiceError: "snapshot-damaged" when the file of the large catalogs is not readable.
        """
        standard = NEWEST.get(standard, standard)
        text = self._texts.get((standard, catalog, key))
        return self._large_text(standard, catalog, key) if text is None else text

    def has(self, catalog: str, standard: str) -> bool:
        """Whether the texts of a catalog are known."""
        return (NEWEST.get(standard, standard), catalog) in self._catalogs

    def _large_text(self, standard: str, catalog: str, key: str) -> str:
        number = self._large_catalogs.get((standard, catalog))
        if self._large is None or number is None:
            return ""
        try:
            with self._lock:
                row = self._large.execute(
                    "SELECT text FROM label WHERE catalog_id = ? AND key = ?", (number, key)
                ).fetchone()
        except sqlite3.Error as error:
            raise _damaged(error) from error
        return "" if row is None else str(row[0])

    @cached_property
    def _catalogs(self) -> frozenset[tuple[str, str]]:
        return frozenset((standard, catalog) for standard, catalog, _ in self._texts) | self._large_catalogs.keys()

    @cached_property
    def _large_catalogs(self) -> dict[tuple[str, str], int]:
        """Number of each large catalog, by standard and name."""
        if self._large is None:
            return {}
        try:
            with self._lock:
                rows = self._large.execute("SELECT standard, name, id FROM catalog").fetchall()
        except sqlite3.Error as error:
            raise _damaged(error) from error
        return {(standard, name): number for standard, name, number in rows}

    @cached_property
    def _large(self) -> sqlite3.Connection | None:
        """The file of the large catalogs; None in a snapshot of an older version."""
        if LARGE_FILE not in self._snapshot.manifest.files:
            return None
        uri = f"{self._snapshot.path(LARGE_FILE).absolute().as_uri()}?mode=ro&immutable=1"
        try:
            return sqlite3.connect(uri, uri=True, check_same_thread=False)
        except sqlite3.Error as error:
            raise _damaged(error) from error

    @cached_property
    def _texts(self) -> dict[tuple[str, str, str], str]:
        texts: dict[tuple[str, str, str], str] = {}
        for name in self._snapshot.manifest.files:
            if name.startswith("labels/") and name.endswith(".csv"):
                standard = name.removeprefix("labels/").removesuffix(".csv")
                rows = csv.reader(io.StringIO(self._snapshot.read(name).decode(), newline=""))
                texts |= {(standard, catalog, key): text for catalog, key, text in rows}
        return texts


def _damaged(error: sqlite3.Error) -> ServiceError:
    return ServiceError("snapshot-damaged", f"No se pudo leer {LARGE_FILE}: {error}.")
