"""The corpus of public documents and certificates beside the repository; tests that need it are skipped without it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.support.requirements import need

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not beside the repository")


@dataclass(frozen=True)
class Entry:
    """A certificate or PFX of an index; `key` and `password` are set where the key is public."""

    path: Path
    number: str
    rfc: str
    kind: str
    valid_from: datetime
    valid_to: datetime
    issuer_name: str | None
    issuer_number: str | None
    digest: str | None
    representative_rfc: str | None
    branch: str | None
    key: Path | None
    password: str | None = field(repr=False)

    def read(self) -> bytes:
        return self.path.read_bytes()

    def __str__(self) -> str:
        return self.path.name


def corpus_path() -> Path:
    """Return the folder of the corpus; skip the test without it."""
    need("corpus", CORPUS.is_dir(), "the corpus is not beside the repository")
    return CORPUS


def credentials() -> list[Entry]:
    """Test certificates of taxpayers (kinds CSD, FIEL, OTHER), with their keys; empty without a corpus."""
    return [entry for entry in _entries("credentials") if entry.kind != "PFX"]


def pfx_files() -> list[Entry]:
    return [entry for entry in _entries("credentials") if entry.kind == "PFX"]


def certificates() -> list[Entry]:
    """Certificates of authorities, providers and OCSP responders (kinds CA, PAC, OCSP); empty without a corpus."""
    return list(_entries("certificates"))


def credential(rfc: str, kind: str = "CSD") -> Entry:
    """Return the taxpayer's newest credential with a public key."""
    corpus_path()
    found = [entry for entry in credentials() if (entry.rfc, entry.kind) == (rfc, kind) and entry.key]
    return max(found, key=lambda entry: entry.valid_from)


@cache
def _entries(name: str) -> tuple[Entry, ...]:
    index = CORPUS / name / "index.json"
    if not index.is_file():
        return ()
    return tuple(_entry(index.parent, row) for row in json.loads(index.read_text("utf-8")))


def _entry(folder: Path, row: dict[str, Any]) -> Entry:
    return Entry(
        path=folder / row["file"],
        number=row["serial"],
        rfc=row["rfc"],
        kind=row["kind"],
        valid_from=datetime.fromisoformat(row["valid_from"]),
        valid_to=datetime.fromisoformat(row["valid_to"]),
        issuer_name=row.get("issuer_cn"),
        issuer_number=row.get("issuer_serial"),
        digest=row.get("sig"),
        representative_rfc=row.get("legal_rep_rfc"),
        branch=row.get("ou"),
        key=folder / row["key"] if row.get("key") else None,
        password=row.get("password"),
    )
