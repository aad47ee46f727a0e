"""An edition of catalogs as a whole: what it replaces in the snapshot of a release."""

from __future__ import annotations

import csv
import io
import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any

from timbra.snapshot import Edition, Snapshot, read_editions
from timbra.snapshot.editions import CATALOGS, EDITIONS, editions_json, parse_editions

HASH_DIGITS = 12
_LABELS = "labels.json"
MAX_BYTES = 256 * 1024 * 1024
"""Largest size of an edition that is not compressed; all catalogs of the SAT have a tenth."""


def _empty() -> Mapping[Any, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class CatalogOverlay:
    """Catalogs that replace those of a snapshot; empty for the snapshot itself.

    Attributes:
        files: content of the files, by the name in the snapshot.
        editions: the edition of each catalog, by its name without suffix, `cfdi40/c_Moneda`.
        labels: texts of keys by the names of standard, catalog and key, besides those of the snapshot.
    """

    files: Mapping[str, bytes] = field(default_factory=_empty)
    editions: Mapping[str, Edition] = field(default_factory=_empty)
    labels: Mapping[tuple[str, str, str], str] = field(default_factory=_empty)

    def merged(self, other: CatalogOverlay) -> CatalogOverlay:
        """Return this one with the catalogs of another one, which replace those of the same name."""
        replaced = {PurePosixPath(name).with_suffix("") for name in other.files}
        kept = {name: body for name, body in self.files.items() if PurePosixPath(name).with_suffix("") not in replaced}
        return CatalogOverlay(
            {**kept, **other.files}, {**self.editions, **other.editions}, {**self.labels, **other.labels}
        )

    def apply(self, snapshot: Snapshot) -> Snapshot:
        """Return the snapshot with these catalogs, except those that a later release has in a newer edition."""
        own = read_editions(snapshot)
        newer = {name for name, each in self.editions.items() if name in own and own[name].published > each.published}
        files = {name: content for name, content in self.files.items() if _catalog(name) not in newer}
        editions = {name: edition for name, edition in self.editions.items() if name not in newer}
        if not editions:
            return snapshot
        contents = {**files, EDITIONS: editions_json({**own, **editions})}
        for standard in sorted({standard for standard, _, _ in self.labels}):
            file = f"labels/{standard}.csv"
            before = snapshot.read(file) if file in snapshot.manifest.files else b""
            contents[file] = before + self._label_rows(standard)
        return snapshot.with_files(contents)

    def _label_rows(self, standard: str) -> bytes:
        rows = [(catalog, key, text) for (of, catalog, key), text in sorted(self.labels.items()) if of == standard]
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        return text.getvalue().encode()

    @property
    def digest(self) -> str:
        """The first digits of a hash of the content."""
        digest = sha256()
        for name, content in sorted(self._members().items()):
            digest.update(f"{name} {sha256(content).hexdigest()}\n".encode())
        return digest.hexdigest()[:HASH_DIGITS]

    def to_bytes(self) -> bytes:
        """Return the overlay as compressed JSON; the same for the same content."""
        members = {name: b64encode(content).decode("ascii") for name, content in sorted(self._members().items())}
        return zlib.compress(json.dumps(members, separators=(",", ":")).encode(), 9)

    @classmethod
    def from_bytes(cls, data: bytes) -> CatalogOverlay:
        """Read what `to_bytes` returns; ValueError for anything else."""
        try:
            text = _decompressed(data)
            members = {str(name): b64decode(content, validate=True) for name, content in json.loads(text).items()}
            labels = {(standard, name, key): text for standard, name, key, text in json.loads(members.pop(_LABELS))}
            return cls(members, parse_editions(members.pop(EDITIONS)), labels)
        except (zlib.error, KeyError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"no edition of catalogs: {error!r}") from error

    def _members(self) -> dict[str, bytes]:
        labels = [[*names, text] for names, text in sorted(self.labels.items())]
        texts = json.dumps(labels, ensure_ascii=False, separators=(",", ":")).encode()
        return {**self.files, EDITIONS: editions_json(self.editions), _LABELS: texts}


def _decompressed(data: bytes) -> bytes:
    reader = zlib.decompressobj()
    text = reader.decompress(data, MAX_BYTES)
    if not reader.eof:
        raise ValueError("truncated, or too large")
    return text


def _catalog(file: str) -> str:
    return PurePosixPath(file).relative_to(CATALOGS).with_suffix("").as_posix()
