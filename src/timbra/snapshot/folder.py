"""Location, opening and reading of a snapshot folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from timbra.core.errors import ServiceError
from timbra.snapshot.manifest import MANIFEST, SnapshotManifest, content_version, to_entry


def _nothing() -> Mapping[str, bytes]:
    return MappingProxyType({})


@dataclass(frozen=True)
class Snapshot:
    """An opened snapshot. Only files of the manifest can be read.

    Attributes:
        contents: Content of files that are not in the folder, by name.
    """

    root: Path
    manifest: SnapshotManifest = field(repr=False)
    contents: Mapping[str, bytes] = field(default_factory=_nothing, repr=False)

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
        if name in self.contents:
            return self.contents[name]
        try:
            content = self.path(name).read_bytes()
        except OSError as error:
            raise ServiceError("snapshot-damaged", f"No se pudo leer {name!r}: {error.strerror}.") from error
        if to_entry(content) != self.manifest.files[name]:
            raise ServiceError("snapshot-damaged", f"El contenido de {name!r} no es el que dice el manifiesto.")
        return content

    def with_files(self, contents: Mapping[str, bytes]) -> Snapshot:
        """Return this snapshot with other files, whose version is that of its content.

        Args:
            contents: Content by name. A file replaces those of its name with any suffix: a catalog has one file.
        """
        replaced = {PurePosixPath(name).with_suffix("") for name in contents}
        files = {
            name: entry
            for name, entry in self.manifest.files.items()
            if PurePosixPath(name).with_suffix("") not in replaced
        }
        files |= {name: to_entry(content) for name, content in contents.items()}
        source = self.manifest.source
        manifest = SnapshotManifest(content_version(source, files), source, files)
        return Snapshot(self.root, manifest, {**self.contents, **contents})


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
