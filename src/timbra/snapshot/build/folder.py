"""Atomic replacement of a snapshot folder: the new content is written to a sibling folder first."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from timbra.core.errors import ServiceError
from timbra.snapshot.folder import Snapshot, open_snapshot
from timbra.snapshot.manifest import MANIFEST
from timbra.snapshot.verify import verify

CURE = "Use --to CARPETA, y TIMBRA_SNAPSHOT=CARPETA para el servidor."
MAX_NAMES = 5
"""Names of files in an error."""


@contextmanager
def replace_folder(destination: Path) -> Iterator[Path]:
    """Yield a new empty folder that replaces the destination after the block, or is removed when the block fails.

    Raises:
        ServiceError: "snapshot-source" when the parent of the destination, or the disk, takes no files.
    """
    fresh = None
    try:
        destination.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{destination.name}-", dir=destination.parent))
        fresh.chmod(0o755)
        yield fresh
        _swap(fresh, destination)
    except OSError as error:
        detail = f"No se pudo escribir en {destination.parent}: {error.strerror}. {CURE}"
        raise ServiceError("snapshot-source", detail) from error
    finally:
        if fresh is not None:
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


def copy_snapshot(snapshot: Snapshot, destination: Path, sha256: str | None) -> Snapshot:
    """Replace the snapshot at `destination` by a copy of another one.

    Args:
        sha256: Expected SHA-256 of its manifest, 64 lower-case hex digits; None to accept any.

    Raises:
        ServiceError: "snapshot-source" for another manifest, or when a file is not as the manifest describes it.
    """
    manifest = (snapshot.root / MANIFEST).read_bytes()
    actual = hashlib.sha256(manifest).hexdigest()
    if sha256 is not None and actual != sha256:
        raise ServiceError("snapshot-source", f"{MANIFEST} tiene SHA-256 {actual}; se esperaba {sha256}.")
    if differences := verify(snapshot):
        names = ", ".join(difference.name for difference in differences[:MAX_NAMES])
        detail = f"{len(differences)} archivos de {snapshot.root} no son los de su manifiesto: {names}."
        raise ServiceError("snapshot-source", detail)
    with replace_folder(destination) as fresh:
        write_files(fresh, {name: snapshot.read(name) for name in snapshot.manifest.files})
        (fresh / MANIFEST).write_bytes(manifest)
    return open_snapshot(destination)


def write_files(root: Path, files: Mapping[str, bytes]) -> None:
    """Write files below a folder, by relative path."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
