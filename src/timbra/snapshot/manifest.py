"""The manifest of a snapshot: its version, where it came from, what it holds."""

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
    """The package a snapshot was built from; sha256 in hex, of the wheel file."""

    package: str
    version: str
    sha256: str


@dataclass(frozen=True, slots=True)
class SnapshotEntry:
    """A file of the snapshot; sha256 in hex, size in bytes."""

    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class SnapshotManifest:
    """files: relative POSIX path -> entry."""

    version: str
    source: SnapshotSource
    files: Mapping[str, SnapshotEntry]

    def to_json(self) -> bytes:
        """Bytes that depend on the content alone: keys sorted, final newline."""
        content = {
            "format": FORMAT,
            "version": self.version,
            "source": asdict(self.source),
            "files": {name: asdict(entry) for name, entry in self.files.items()},
        }
        return json.dumps(content, indent=1, sort_keys=True).encode() + b"\n"

    @classmethod
    def from_json(cls, data: bytes) -> SnapshotManifest:
        """ValueError for anything that `to_json` does not write."""
        try:
            content = json.loads(data)
            if content["format"] != FORMAT:
                raise ValueError(f"manifest format {content['format']!r}, expected {FORMAT}")
            files = {str(name): SnapshotEntry(**entry) for name, entry in content["files"].items()}
            return cls(str(content["version"]), SnapshotSource(**content["source"]), files)
        except (KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"manifest not understood: {error!r}") from error


def to_entry(content: bytes) -> SnapshotEntry:
    return SnapshotEntry(hashlib.sha256(content).hexdigest(), len(content))


def content_version(source: SnapshotSource, files: Mapping[str, SnapshotEntry]) -> str:
    """Such as `2026.10.1-0123456789ab`: the source's version and the start of the hash over names and checksums."""
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(f"{name} {files[name].sha256}\n".encode())
    return f"20{source.version}-{digest.hexdigest()[:HASH_DIGITS]}"
