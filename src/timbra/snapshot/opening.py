"""Construction of the snapshot."""

from __future__ import annotations

from timbra.container import Container
from timbra.snapshot.folder import Snapshot, locate, open_snapshot


def opened_snapshot(container: Container) -> Snapshot:
    """Open the snapshot of the settings."""
    return open_snapshot(locate(container.settings.snapshot))
