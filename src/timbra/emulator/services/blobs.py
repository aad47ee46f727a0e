"""The storage to which providers upload documents: containers with write-only access signatures, in files.

Only writing is possible: a blob with its metadata, or its metadata alone, in any order.
"""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from timbra.emulator.credentials import write_atomically
from timbra.emulator.providers import EmulatedProviders

MAX_BLOB_BYTES = 64 * 1024 * 1024
METADATA_PREFIX = "x-ms-meta-"
VERSION_METADATA = "versioncfdi"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,199}\Z")


@dataclass(frozen=True, slots=True)
class StorageError(Exception):
    """The storage rejected a request.

    Attributes:
        status: The HTTP status.
        text: In Spanish.
    """

    status: int
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class StoredBlob:
    """An uploaded document.

    Attributes:
        content: The bytes as uploaded.
        metadata: Names in lower case, without prefix.
    """

    content: bytes = field(repr=False)
    metadata: Mapping[str, str]


class BlobStorage:
    """The containers of the registered providers."""

    def __init__(self, folder: Path, providers: EmulatedProviders) -> None:
        self._folder = folder
        self._providers = providers

    def put(self, container: str, name: str, query: str, headers: Mapping[str, str], content: bytes) -> str:
        """Store a blob and the metadata of the request; return its Content-MD5.

        Args:
            query: The query string, with the access signature.
            headers: The HTTP headers, names in lower case.

        Raises:
            StorageError: The request is rejected.
        """
        self._authorize(container, name, query)
        if headers.get("x-ms-blob-type", "").lower() != "blockblob":
            raise StorageError(400, "MissingRequiredHeader", "Falta x-ms-blob-type: BlockBlob.")
        digest = b64encode(hashlib.md5(content, usedforsecurity=False).digest()).decode()
        if headers.get("content-md5", digest) != digest:
            raise StorageError(400, "Md5Mismatch", "Content-MD5 no es el de lo recibido.")
        given = _metadata(headers)
        if given:
            self._write_metadata(container, name, given)
        write_atomically(self._folder / container / name, content)
        return digest

    def put_metadata(self, container: str, name: str, query: str, headers: Mapping[str, str]) -> None:
        """Store the metadata of a blob, which may be uploaded later; raises what `put` raises."""
        self._authorize(container, name, query)
        self._write_metadata(container, name, _metadata(headers))

    def reject_reading(self, container: str, query: str) -> StorageError:
        """Return the error of any request but writing."""
        provider = self._providers.of_container(container)
        if provider is None or not provider.permits(query):
            return StorageError(403, "AuthenticationFailed", "La firma de acceso no es la de este contenedor.")
        return StorageError(403, "AuthorizationPermissionMismatch", "La firma de acceso solo permite escribir.")

    def read(self, container: str, name: str) -> StoredBlob | None:
        """Return a blob for the reception service; None when there is none."""
        if not _NAME.match(name):
            return None
        try:
            content = (self._folder / container / name).read_bytes()
        except FileNotFoundError:
            return None
        path = self._metadata_path(container, name)
        return StoredBlob(content, json.loads(path.read_text()) if path.is_file() else {})

    def _authorize(self, container: str, name: str, query: str) -> None:
        provider = self._providers.of_container(container)
        if provider is None or not provider.permits(query):
            raise StorageError(403, "AuthenticationFailed", "La firma de acceso no es la de este contenedor.")
        if not _NAME.match(name):
            raise StorageError(400, "InvalidUri", "El nombre del archivo debe ser el UUID con .xml.")

    def _write_metadata(self, container: str, name: str, metadata: Mapping[str, str]) -> None:
        write_atomically(self._metadata_path(container, name), json.dumps(metadata).encode())

    def _metadata_path(self, container: str, name: str) -> Path:
        return self._folder / container / ".metadata" / f"{name}.json"


def _metadata(headers: Mapping[str, str]) -> dict[str, str]:
    return {
        name.removeprefix(METADATA_PREFIX): value for name, value in headers.items() if name.startswith(METADATA_PREFIX)
    }
