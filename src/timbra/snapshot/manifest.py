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
class Source:
    """The package a snapshot was built from; sha256 in hex, of the wheel file."""

    package: str
    version: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of the snapshot; sha256 in hex, size in bytes."""

    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """files: relative POSIX path -> entry."""

    version: str
    source: Source
    files: Mapping[str, Entry]

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
    def from_json(cls, data: bytes) -> Manifest:
        """ValueError for anything that `to_json` does not write."""
        try:
            content = json.loads(data)
            if content["format"] != FORMAT:
                raise ValueError(f"manifest format {content['format']!r}, expected {FORMAT}")
            files = {str(name): Entry(**entry) for name, entry in content["files"].items()}
            return cls(str(content["version"]), Source(**content["source"]), files)
        except (KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"manifest not understood: {error!r}") from error


def entry_of(content: bytes) -> Entry:
    return Entry(hashlib.sha256(content).hexdigest(), len(content))


def content_version(source: Source, files: Mapping[str, Entry]) -> str:
    """Such as `2026.10.1-0123456789ab`: the source's version and the start of the hash over names and checksums."""
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(f"{name} {files[name].sha256}\n".encode())
    return f"20{source.version}-{digest.hexdigest()[:HASH_DIGITS]}"
