"""The manifest of a snapshot: its version, its source, its files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

MANIFEST = "manifest.json"
FORMAT = 1
HASH_DIGITS = 12


@dataclass(frozen=True, slots=True)
class SnapshotSource:
    """The package from which a snapshot was built.

    Attributes:
        sha256: hexadecimal digest of the wheel file.
    """

    package: str
    version: str
    sha256: str


@dataclass(frozen=True, slots=True)
class SnapshotEntry:
    """A file of the snapshot.

    Attributes:
        sha256: hexadecimal digest.
        size: bytes.
    """

    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class SnapshotManifest:
    """The manifest.

    Attributes:
        files: entry by relative POSIX path.
    """

    version: str
    source: SnapshotSource
    files: Mapping[str, SnapshotEntry]

    def to_json(self) -> bytes:
        """Serialize the manifest: keys sorted, final newline; the bytes depend only on the content."""
        content = {
            "format": FORMAT,
            "version": self.version,
            "source": asdict(self.source),
            "files": {name: asdict(entry) for name, entry in self.files.items()},
        }
        return json.dumps(content, indent=1, sort_keys=True).encode() + b"\n"

    @classmethod
    def from_json(cls, data: bytes) -> SnapshotManifest:
        """Parse a manifest; ValueError for anything that `to_json` does not write."""
        try:
            content = json.loads(data)
            if content["format"] != FORMAT:
                raise ValueError(f"manifest format {content['format']!r}, expected {FORMAT}")
            files = {str(name): SnapshotEntry(**entry) for name, entry in content["files"].items()}
            return cls(str(content["version"]), SnapshotSource(**content["source"]), files)
        except (KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"manifest not understood: {error!r}") from error


def to_entry(content: bytes) -> SnapshotEntry:
    """Return the entry of a file with this content."""
    return SnapshotEntry(hashlib.sha256(content).hexdigest(), len(content))


def content_version(source: SnapshotSource, files: Mapping[str, SnapshotEntry]) -> str:
    """Return a version such as `2026.10.1-0123456789ab`: that of the source, and a hash of file names and hashes."""
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(f"{name} {files[name].sha256}\n".encode())
    return f"20{source.version}-{digest.hexdigest()[:HASH_DIGITS]}"
