"""Writing a snapshot folder whole: into a sibling first, then in the old one's place."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def replace_folder(destination: Path) -> Iterator[Path]:
    """A new empty folder that takes the destination's place if the block ends well, and vanishes if it does not."""
    destination.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{destination.name}-", dir=destination.parent))
    try:
        fresh.chmod(0o755)
        yield fresh
        _swap(fresh, destination)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _swap(fresh: Path, destination: Path) -> None:
    """Two renames; readers check each file's hash, so a reader between them fails loudly and never mixes versions."""
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
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
