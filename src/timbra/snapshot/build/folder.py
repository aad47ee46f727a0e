"""Atomic replacement of a snapshot folder: the new content is written to a sibling folder first."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def replace_folder(destination: Path) -> Iterator[Path]:
    """Create an empty folder that replaces the destination when the block succeeds, and is deleted when it fails."""
    destination.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{destination.name}-", dir=destination.parent))
    try:
        fresh.chmod(0o755)
        yield fresh
        _swap(fresh, destination)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _swap(fresh: Path, destination: Path) -> None:
    """Replace the folder with two renames. Readers verify the hash of each file, so they never mix two versions."""
    old = fresh.with_name(fresh.name + "-old")
    with suppress(FileNotFoundError):
        os.replace(destination, old)
    try:
        os.replace(fresh, destination)
    except OSError:
        if old.exists():
            os.replace(old, destination)
        raise
    shutil.rmtree(old, ignore_errors=True)


def write_files(root: Path, files: Mapping[str, bytes]) -> None:
    """Write files below a folder, by relative path."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
