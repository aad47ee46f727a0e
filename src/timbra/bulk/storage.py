"""The files of a result folder, which is a folder of this machine or a URL of object storage.

A file gets its name only when it is complete: by a rename here, by the end of the upload there. Processes of several
machines may write the same file at the same time, if with the same content.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any, TypeVar
from uuid import uuid4

from timbra.bulk.locations import file_system, is_remote, with_retries
from timbra.core.errors import ServiceError
from timbra.core.posix import sync_folder, try_lock

T = TypeVar("T")
FILE_SCHEME = "file://"
LOCK = "run.lock"
DRAFT = ".tmp"
"""Suffix of files that are being written."""


def open_storage(location: str) -> LocalStorage | RemoteStorage:
    """Return the storage of a folder or URL."""
    if is_remote(location) and not location.startswith(FILE_SCHEME):
        return RemoteStorage(location.rstrip("/"))
    return LocalStorage(os.path.abspath(location.removeprefix(FILE_SCHEME)))


class LocalStorage:
    """A folder of this machine, or one that its file system shares with others.

    Its functions raise ServiceError `bulk-folder`. Names have `/` between folders.
    """

    def __init__(self, location: str) -> None:
        self.location = location

    def names(self, folder: str) -> list[str]:
        """Return the sorted names in a folder, drafts left out; none of a folder that does not exist."""
        path = Path(self.location, folder)
        with self._errors():
            return sorted(name for name in os.listdir(path) if not name.endswith(DRAFT)) if path.exists() else []

    def read(self, names: Sequence[str]) -> list[bytes]:
        with self._errors():
            return [Path(self.location, name).read_bytes() for name in names]

    def read_range(self, name: str, start: int, stop: int) -> bytes:
        with self._errors(), Path(self.location, name).open("rb") as file:
            file.seek(start)
            return file.read(stop - start)

    @contextmanager
    def write(self, name: str) -> Iterator[IO[bytes]]:
        """Write a file; it exists, whole and synced, after the end of the block only."""
        path = Path(self.location, name)
        draft = path.with_name(f"{path.name}.{uuid4().hex}{DRAFT}")
        with self._errors():
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                with draft.open("wb") as file:
                    yield file
                    file.flush()
                    os.fsync(file.fileno())
                draft.replace(path)
            finally:
                draft.unlink(missing_ok=True)
            sync_folder(path.parent)

    def remove(self, name: str) -> None:
        with self._errors():
            Path(self.location, name).unlink(missing_ok=True)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other processes from locking the folder."""
        with ExitStack() as stack:
            with self._errors():
                Path(self.location).mkdir(parents=True, exist_ok=True)
                file = stack.enter_context(Path(self.location, LOCK).open("wb"))
            if not try_lock(file):
                raise ServiceError("bulk-folder", f"{self.location}: otro proceso escribe en la carpeta")
            yield

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ServiceError("bulk-folder", f"{self.location}: {error.strerror or error}") from error


class RemoteStorage:
    """A URL of object storage, by fsspec, as `LocalStorage`.

    It has no lock; runs of one plan that write the same file write the same content.
    """

    def __init__(self, location: str) -> None:
        self.location = location

    def names(self, folder: str) -> list[str]:
        def listed(system: Any, path: str) -> list[str]:
            system.invalidate_cache()
            try:
                return sorted(name.rstrip("/").rpartition("/")[2] for name in system.ls(path, detail=False))
            except FileNotFoundError:
                return []

        return self._call(folder, listed)

    def read(self, names: Sequence[str]) -> list[bytes]:
        def contents(system: Any, path: str) -> list[bytes]:
            paths = [f"{path}/{name}" for name in names]
            found = system.cat(paths, on_error="raise") if paths else {}
            return [found[each] for each in paths]

        return self._call("", contents)

    def read_range(self, name: str, start: int, stop: int) -> bytes:
        return self._call(name, lambda system, path: bytes(system.cat_file(path, start=start, end=stop)))

    @contextmanager
    def write(self, name: str) -> Iterator[IO[bytes]]:
        with NamedTemporaryFile() as copy:
            yield copy
            copy.flush()
            self._call(name, lambda system, path: system.put_file(copy.name, path))

    def remove(self, name: str) -> None:
        def remove(system: Any, path: str) -> None:
            with suppress(FileNotFoundError):
                system.rm_file(path)

        self._call(name, remove)

    @contextmanager
    def lock(self) -> Iterator[None]:
        yield

    def _call(self, name: str, operation: Callable[[Any, str], T]) -> T:
        location = f"{self.location}/{name}".rstrip("/")
        try:
            return with_retries(location, lambda: operation(*file_system(location)))
        except ServiceError as error:
            raise ServiceError("bulk-folder", error.detail) from error
