"""The wheel that the SAT's schemas, stylesheets and large catalogs come from: pinned by hash, read as a zip file."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

from timbra.core.errors import ServiceError
from timbra.snapshot.manifest import SnapshotSource

PINNED = SnapshotSource("satcfdi", "26.10.1", "119a59502dde9e3126750417ddf412c82ae6143e8509b4b148da513d98c7d112")


def check(wheel: Path, source: SnapshotSource) -> None:
    """Verify the SHA-256 of the wheel.

    Raises:
        ServiceError: "snapshot-source" when it is another one or the file cannot be read.
    """
    try:
        with wheel.open("rb") as file:
            actual = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ServiceError("snapshot-source", f"No se pudo leer {wheel}: {error.strerror}.") from error
    if actual != source.sha256:
        detail = (
            f"{wheel.name} tiene SHA-256 {actual}; se esperaba {source.sha256} ({source.package} {source.version})."
        )
        raise ServiceError("snapshot-source", detail)


def download(source: SnapshotSource, folder: Path) -> Path:
    """Download the wheel into the folder with pip, which verifies the hash.

    Returns:
        Path of the wheel.

    Raises:
        ServiceError: "snapshot-source" with the last line of pip's output.
    """
    with tempfile.TemporaryDirectory() as scratch:
        requirements = Path(scratch) / "source.txt"
        requirements.write_text(f"{source.package}=={source.version} --hash=sha256:{source.sha256}\n")
        finished = subprocess.run(_pip_command(requirements, folder), capture_output=True, text=True, check=False)  # noqa: S603
    if finished.returncode != 0:
        reason = (finished.stderr.strip().splitlines() or ["pip no dijo por qué"])[-1]
        detail = f"pip no obtuvo {source.package} {source.version}: {reason}. Sin red: use --wheel ARCHIVO."
        raise ServiceError("snapshot-source", detail)
    return next(folder.glob("*.whl"))


def _pip_command(requirements: Path, folder: Path) -> list[str]:
    options = ["--quiet", "--disable-pip-version-check", "--no-input"]
    pinned = ["--no-deps", "--only-binary=:all:", "--require-hashes", "-r", str(requirements)]
    return [sys.executable, "-m", "pip", "download", *options, *pinned, "--dest", str(folder)]
