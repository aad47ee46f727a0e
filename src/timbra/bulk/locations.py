"""Files by path or URL: listing and opening, with retries for storage services.

A location without `://` is a path of this machine. Any other is a URL of fsspec, such as `s3://bucket/folder`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from glob import glob, has_magic
from pathlib import Path
from stat import S_ISDIR
from tempfile import TemporaryFile
from typing import IO, Any, TypeVar

from timbra.core.errors import ServiceError
from timbra.core.local_files import read_at_most
from timbra.core.retry import Backoff, RetryPolicy

T = TypeVar("T")

REMOTE_RETRIES = RetryPolicy(seconds=120, attempts=10, backoff=Backoff(0.1, spread=1.0))
PIECE = 1024 * 1024


def is_remote(location: str) -> bool:
    """Whether the location is a URL."""
    return "://" in location


def list_files(location: str) -> Iterator[str]:
    """Yield the files of a file, a folder with everything below it, or a glob pattern; each folder sorted by name.

    Paths are absolute, so that a run can be continued from another working folder.

    Args:
        location: Path or URL; a path or URL with `*`, `?` or `[` is a pattern unless a file has that name.

    Raises:
        ServiceError: `source-unreadable` for a location that does not exist or cannot be listed.
    """
    if is_remote(location):
        yield from with_retries(location, lambda: _list_remote(location))
        return
    location = os.path.abspath(location)
    mode = _mode(location)
    if mode is not None:
        yield from _walk(location) if S_ISDIR(mode) else (location,)
    elif os.path.lexists(location) or not has_magic(location):
        raise ServiceError("source-unreadable", f"{printable(location)}: no existe")
    else:
        for match in sorted(glob(location, recursive=True)):
            yield from _walk(match) if os.path.isdir(match) else (match,)


def read_file(location: str, max_bytes: int) -> bytes:
    """Return the content of a file, at most `max_bytes`. Raises ServiceError: `source-unreadable`."""
    if is_remote(location):
        return with_retries(location, lambda: _read_remote(location, max_bytes))
    try:
        return read_at_most(location, max_bytes)
    except OSError as error:
        raise unreadable(location, error) from error


@contextmanager
def open_seekable(location: str) -> Iterator[IO[bytes]]:
    """Open a file for reading at any position; a remote one is copied to a temporary file first.

    Raises:
        ServiceError: `source-unreadable`.
    """
    if not is_remote(location):
        try:
            file: IO[bytes] = open(location, "rb")  # noqa: SIM115 -- closed below, also on errors of the caller
        except OSError as error:
            raise unreadable(location, error) from error
        with file:
            yield file
        return
    with TemporaryFile() as copy:
        with_retries(location, lambda: _copy_remote(location, copy))
        copy.seek(0)
        yield copy


def absolute(source: str) -> str:
    """Return a source of a command with an absolute path; URLs are returned as they are."""
    if is_remote(source):
        return source
    is_list = source.startswith("@") and not os.path.exists(source)
    return f"@{os.path.abspath(source[1:])}" if is_list else os.path.abspath(source)


def printable(location: str) -> str:
    """Return a location as text that UTF-8 can encode: file systems allow names of any bytes."""
    return location.encode("utf-8", "backslashreplace").decode()


def unreadable(location: str, error: Exception) -> ServiceError:
    """Return the error of a location that cannot be read."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return ServiceError("source-unreadable", f"{printable(location)}: {reason or type(error).__name__}")


def _mode(location: str) -> int | None:
    """Return the mode of a file; None when none can be read, also for a path with a NUL character."""
    try:
        return os.stat(location).st_mode
    except (OSError, ValueError):
        return None


def _walk(folder: str) -> Iterator[str]:
    for path, folders, files in os.walk(folder):
        folders.sort()
        yield from (os.path.join(path, name) for name in sorted(files))


def _list_remote(location: str) -> list[str]:
    system, path = file_system(location)
    if has_magic(path):
        names = [name for name in system.glob(path) if not system.isdir(name)]
    elif system.isdir(path):
        names = system.find(path)
    else:
        system.info(path)
        names = [path]
    return [system.unstrip_protocol(name) for name in sorted(names)]


def _read_remote(location: str, max_bytes: int) -> bytes:
    system, path = file_system(location)
    with system.open(path, "rb") as file:
        content: bytes = file.read(max_bytes)
    return content


def _copy_remote(location: str, target: IO[bytes]) -> None:
    system, path = file_system(location)
    target.seek(0)
    target.truncate()
    with system.open(path, "rb") as file:
        while piece := file.read(PIECE):
            target.write(piece)


def file_system(location: str) -> tuple[Any, str]:
    """Return the file system of a URL, and its path there."""
    from fsspec.core import url_to_fs

    system, path = url_to_fs(location)
    return system, path


def with_retries(location: str, operation: Callable[[], T]) -> T:
    """Run an operation of a storage service; a missing file and missing permissions are not retried."""
    permanent: list[ServiceError] = []

    def attempt(_seconds: float) -> T | None:
        try:
            return operation()
        except (FileNotFoundError, PermissionError, ImportError, ValueError) as error:
            permanent.append(unreadable(location, error))
            return None
        except Exception as error:  # the libraries of storage services have exceptions of their own
            raise unreadable(location, error) from error

    result = REMOTE_RETRIES.call(attempt)
    if permanent:
        raise permanent[0]
    return result  # type: ignore[return-value]


def expand_lists(sources: list[str]) -> Iterator[str]:
    """Replace each source `@FILE` by the locations in that file, one per line; empty lines are ignored.

    Raises:
        ServiceError: `source-unreadable` for a list that cannot be read.
    """
    for source in sources:
        if not source.startswith("@") or Path(source).exists():
            yield source
            continue
        try:
            with open(source[1:], encoding="utf-8", errors="surrogateescape") as lines:
                yield from (line.rstrip("\r\n") for line in lines if line.strip())
        except OSError as error:
            raise unreadable(source[1:], error) from error
