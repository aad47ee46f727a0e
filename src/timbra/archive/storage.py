"""Where archives are stored: a folder, or object storage (S3, Azure, Google) by the extra `object-storage`."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, cast

from timbra.core.errors import ServiceError

if TYPE_CHECKING:
    from obstore.store import ObjectStore

STORAGE = "archive-storage"
SLOW_SECONDS = 1.0
"""A request that fails after a longer time is one that was not answered."""
# Not `client_options`: they would replace those of the environment, such as AWS_ALLOW_HTTP and AWS_TIMEOUT.
_PROMPT: Any = {"retry_config": {"max_retries": 2, "retry_timeout": timedelta(seconds=5)}}


class ArchiveStorage(Protocol):
    """Files by path. Every method raises OSError or ServiceError("archive-storage") when storage cannot be used."""

    location: str

    def exists(self, path: str) -> bool:
        """Whether there is a file."""
        ...

    def put(self, path: str, source: Path) -> None:
        """Store a file; it is complete or absent."""
        ...

    def open(self, path: str) -> AbstractContextManager[BinaryIO]:
        """Open a file for reading; it can seek."""
        ...

    def read_range(self, path: str, start: int, length: int) -> bytes:
        """Return a part of a file, less at its end. Raises FileNotFoundError: There is no such file."""
        ...

    def list(self, prefix: str) -> Sequence[str]:
        """Return the files below a folder, whose path ends with a slash."""
        ...


class FolderStorage:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.location = str(folder)

    def exists(self, path: str) -> bool:
        return (self._folder / path).is_file()

    def put(self, path: str, source: Path) -> None:
        target = self._folder / path
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial = target.with_name(f".{target.name}.partial")
        shutil.copyfile(source, partial)
        partial.replace(target)

    def open(self, path: str) -> AbstractContextManager[BinaryIO]:
        return (self._folder / path).open("rb")

    def read_range(self, path: str, start: int, length: int) -> bytes:
        with (self._folder / path).open("rb") as file:
            file.seek(start)
            return file.read(length)

    def list(self, prefix: str) -> Sequence[str]:
        paths = (path for path in (self._folder / prefix).rglob("*") if path.is_file())
        return [path.relative_to(self._folder).as_posix() for path in paths]


class ObjectStorage:
    """Object storage; its credentials are those of the environment, as the providers' own tools read them."""

    def __init__(self, url: str, store: ObjectStore | None = None, *, is_prompt: bool = False) -> None:
        """Open a store.

        Args:
            url: `s3://BUCKET/PREFIX`, `az://CONTAINER/PREFIX` or `gs://BUCKET/PREFIX`.
            store: The store; None to open that of the address.
            is_prompt: Whether failed requests are repeated for seconds only, as somebody waits for them.

        Raises:
            ServiceError: "archive-storage" without the extra `object-storage`, or for another address.
        """
        self.location = url
        try:
            import obstore
            from obstore.exceptions import BaseError
            from obstore.store import from_url
        except ImportError as cause:
            raise ServiceError(STORAGE, "Instale timbra[object-storage] para guardar fuera de una carpeta.") from cause
        self._client: Any = obstore
        self._errors = BaseError
        with self._translated():
            self._store: Any = store or from_url(cast("Any", url), **_PROMPT if is_prompt else {})

    def exists(self, path: str) -> bool:
        try:
            with self._translated():
                self._client.head(self._store, path)
        except FileNotFoundError:
            return False
        return True

    def put(self, path: str, source: Path) -> None:
        with self._translated():
            self._client.put(self._store, path, source)

    @contextmanager
    def open(self, path: str) -> Iterator[BinaryIO]:
        """See `ArchiveStorage.open`: the file is downloaded first."""
        with tempfile.TemporaryFile() as file:
            with self._translated():
                for piece in self._client.get(self._store, path).stream():
                    file.write(piece)
            file.seek(0)
            yield cast(BinaryIO, file)

    def read_range(self, path: str, start: int, length: int) -> bytes:
        """See `ArchiveStorage.read_range`: nothing else is downloaded."""
        begun = monotonic()
        try:
            with self._translated():
                return bytes(self._client.get_range(self._store, path, start=start, length=length))
        except ServiceError:
            if monotonic() - begun > SLOW_SECONDS:
                raise
            with self._translated():
                if start < self._client.head(self._store, path)["size"]:
                    raise
            return b""

    def list(self, prefix: str) -> Sequence[str]:
        with self._translated():
            return [str(found["path"]) for page in self._client.list(self._store, prefix) for found in page]

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError:
            raise
        except (self._errors, ValueError) as cause:
            raise ServiceError(STORAGE, f"{self.location}: {str(cause).splitlines()[0][:300]}") from cause


def storage_of(location: str, *, is_prompt: bool = False) -> ArchiveStorage:
    """Return the storage of a folder, or of an address with a scheme such as `s3://`. `is_prompt`: See there."""
    return ObjectStorage(location, is_prompt=is_prompt) if "://" in location else FolderStorage(Path(location))
