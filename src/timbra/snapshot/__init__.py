"""The SAT data snapshot: one folder that `timbra data build` writes and that all other code only reads.

- `manifest.json`: version, source, and SHA-256 and size of every file
- `xsd/`: reduced schemas, `index.json` (the standard of each), `catalogs.json` (the catalog of each attribute)
- `cadena/`: programs of the cadena original, `index.json` (program and complements of each version)
- `catalogs/`: the SAT's catalogs, packed; `editions.json`: the edition of each
- `labels/`: names of the keys of small catalogs
- `qr/`: tables for drawing QR codes
"""

from __future__ import annotations

from timbra.snapshot.editions import CatalogEdition, Edition, catalog_editions, read_editions
from timbra.snapshot.folder import Snapshot, locate, open_snapshot
from timbra.snapshot.manifest import MANIFEST, SnapshotEntry, SnapshotManifest, SnapshotSource
from timbra.snapshot.verify import SnapshotDifference, verify

__all__ = [
    "MANIFEST",
    "CatalogEdition",
    "Edition",
    "Snapshot",
    "SnapshotDifference",
    "SnapshotEntry",
    "SnapshotManifest",
    "SnapshotSource",
    "catalog_editions",
    "locate",
    "open_snapshot",
    "read_editions",
    "verify",
]
