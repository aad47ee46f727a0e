"""The port of list sources: where the files of a list are published, and how they are downloaded."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from timbra.core.errors import ServiceError
from timbra.lists.sources.part_names import ListKind

UNAVAILABLE = "list-source"
"""The code of a source that cannot be read."""
PIECE = 1024 * 1024
WRONG_HASH = "list-hash"
"""The code of a file that is not the published one."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that a source publishes.

    Attributes:
        name: Its name, without folders.
        version: Changes with every change of the content; empty when only a download can tell.
        modified_at: When it was published; None when the source does not say so.
        digests: Hexadecimal hashes of its bytes, by the name of the algorithm as `hashlib` writes it.
    """

    name: str
    version: str
    modified_at: datetime | None = None
    digests: Mapping[str, str] = field(default_factory=dict)


class FileSource(Protocol):
    """Publishes the files of one or more lists. Every method raises ServiceError when the source cannot be read."""

    def files(self, kind: ListKind) -> Sequence[SourceFile]:
        """Return the files of a list, of all days that the source has, and its control files."""
        ...

    def download(self, file: SourceFile, known_version: str, path: Path) -> SourceFile | None:
        """Download a file.

        Args:
            file: One of `files`.
            known_version: The version that the caller has; empty for none.
            path: Where to write it.

        Returns:
            The file as it was downloaded; None when the source says that it still has the known version.

        Raises:
            ServiceError: "list-hash" when it is not the published file.
        """
        ...


def require_digests(path: Path, digests: Mapping[str, str]) -> None:
    """Compare a file with its published hashes. Raises ServiceError: "list-hash" when one differs."""
    for algorithm, expected in digests.items():
        with path.open("rb") as file:
            digest = hashlib.new(algorithm, usedforsecurity=False)
            while piece := file.read(PIECE):
                digest.update(piece)
        found = digest.hexdigest()
        if found != expected.lower():
            raise ServiceError(
                WRONG_HASH, f"{path.name}: el {algorithm.upper()} publicado es {expected}; el de lo recibido, {found}."
            )
