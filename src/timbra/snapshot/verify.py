"""Comparison of a snapshot folder with its manifest."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from timbra.snapshot.folder import Snapshot
from timbra.snapshot.manifest import MANIFEST, content_version, to_entry


@dataclass(frozen=True, slots=True)
class SnapshotDifference:
    """A file that differs from the manifest.

    Attributes:
        kind: `version` means that the version of the manifest does not match its content.
    """

    name: str
    kind: Literal["missing", "changed", "unknown", "version"]


def verify(snapshot: Snapshot) -> list[SnapshotDifference]:
    """Return every difference, sorted by name; empty when the folder is exactly as built."""
    files = snapshot.manifest.files
    found = {name: path for name, path in _files_below(snapshot.root).items() if name != MANIFEST}
    differences = [SnapshotDifference(name, "missing") for name in files.keys() - found.keys()]
    differences += [SnapshotDifference(name, "unknown") for name in found.keys() - files.keys()]
    differences += [
        SnapshotDifference(name, "changed")
        for name in files.keys() & found.keys()
        if to_entry(found[name].read_bytes()) != files[name]
    ]
    if content_version(snapshot.manifest.source, files) != snapshot.version:
        differences.append(SnapshotDifference(MANIFEST, "version"))
    return sorted(differences, key=lambda difference: difference.name)


def _files_below(root: Path) -> dict[str, Path]:
    return {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
