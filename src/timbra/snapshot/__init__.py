"""The SAT data snapshot: one folder, made once by `timbra data build`, read and never written by everything else.

- `manifest.json`: version, source, and SHA-256 and size of every file
- `xsd/`: slim schemas, `index.json` (what each validates), `catalogs.json` (which attribute has which catalog)
- `xslt/`: stylesheets of the cadena original
- `catalogs/`: SAT's catalogs, compact; `editions.json`: the edition of each
- `labels/`: texts of the keys of small catalogs
- `qr/`: tables for drawing QR codes
"""

from __future__ import annotations

from timbra.snapshot.editions import CatalogEdition, Edition, catalog_editions
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
    "verify",
]
