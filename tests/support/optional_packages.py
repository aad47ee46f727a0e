"""The packages that the rest of Timbra works without."""

from __future__ import annotations

OPTIONAL = (
    *("archive", "backup", "batches", "bulk", "emulator", "home", "inspector", "manifests", "received", "reports"),
    "webhooks",
)
