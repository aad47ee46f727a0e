"""Comparing a snapshot folder with its manifest."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from timbra.snapshot.folder import Snapshot
from timbra.snapshot.manifest import MANIFEST, content_version, entry_of


@dataclass(frozen=True, slots=True)
class Difference:
    """A file that is not as the manifest says; `version` means that the manifest contradicts itself."""

    name: str
    kind: Literal["missing", "changed", "unknown", "version"]


def verify(snapshot: Snapshot) -> list[Difference]:
    """Every difference, by name; empty when the folder is exactly what was built."""
    files = snapshot.manifest.files
    found = {name: path for name, path in _files_below(snapshot.root).items() if name != MANIFEST}
    differences = [Difference(name, "missing") for name in files.keys() - found.keys()]
    differences += [Difference(name, "unknown") for name in found.keys() - files.keys()]
    differences += [
        Difference(name, "changed")
        for name in files.keys() & found.keys()
        if entry_of(found[name].read_bytes()) != files[name]
    ]
    if content_version(snapshot.manifest.source, files) != snapshot.version:
        differences.append(Difference(MANIFEST, "version"))
    return sorted(differences, key=lambda difference: difference.name)


def _files_below(root: Path) -> dict[str, Path]:
    return {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
