"""Location, opening and reading of a snapshot folder."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from timbra.core.errors import ServiceError
from timbra.snapshot.manifest import MANIFEST, SnapshotManifest, to_entry


@dataclass(frozen=True)
class Snapshot:
    """An opened snapshot. Only files of the manifest can be read."""

    root: Path
    manifest: SnapshotManifest = field(repr=False)

    @property
    def version(self) -> str:
        return self.manifest.version

    def path(self, name: str) -> Path:
        """Return the path of a file of the manifest; ServiceError("snapshot-damaged") for any other name."""
        if name not in self.manifest.files:
            raise ServiceError("snapshot-damaged", f"El manifiesto de {self.root} no nombra el archivo {name!r}.")
        return self.root / name

    def read(self, name: str) -> bytes:
        """Read a file and verify it with the manifest.

        Raises:
            ServiceError: "snapshot-damaged" when it is missing, unreadable or differs from the manifest.
        """
        try:
            content = self.path(name).read_bytes()
        except OSError as error:
            raise ServiceError("snapshot-damaged", f"No se pudo leer {name!r}: {error.strerror}.") from error
        if to_entry(content) != self.manifest.files[name]:
            raise ServiceError("snapshot-damaged", f"El contenido de {name!r} no es el que dice el manifiesto.")
        return content


PACKAGED = Path(__file__).parent.parent / "sat_data"
"""The snapshot inside the package: part of the wheel; `make setup` builds it in a clone."""


def locate(setting: Path | None) -> Path:
    """Return the folder that the setting names, else that of the package."""
    return PACKAGED if setting is None else setting


def open_snapshot(path: Path) -> Snapshot:
    """Open a snapshot; only the manifest is read. Raises ServiceError: "snapshot-missing" or "snapshot-damaged"."""
    try:
        data = (path / MANIFEST).read_bytes()
    except OSError as error:
        detail = f"No hay datos del SAT en {path}; créelos con: timbra data build --to {path}"
        raise ServiceError("snapshot-missing", detail) from error
    try:
        return Snapshot(path, SnapshotManifest.from_json(data))
    except ValueError as error:
        raise ServiceError("snapshot-damaged", f"El manifiesto de {path} no es legible: {error}.") from error
