"""Lists in a folder, or in the folder that an external command fills, such as `sftp`."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from timbra.core.errors import ServiceError
from timbra.lists.fetch.source import UNAVAILABLE, SourceFile
from timbra.lists.sources.part_names import ListKind, control_file_day, part_name

FOLDER_WORD = "{folder}"
MAX_ERROR_LENGTH = 500


class FolderSource:
    """A folder, such as a mounted share. Its files are never changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def files(self, kind: ListKind) -> Sequence[SourceFile]:
        """See `FileSource.files`; files with other names than the list's are ignored."""
        try:
            paths = [path for path in sorted(self._folder.iterdir()) if path.is_file()]
        except OSError as cause:
            raise ServiceError(UNAVAILABLE, f"{self._folder}: {cause.strerror or cause}.") from cause
        return [_published(path) for path in paths if _belongs(kind, path.name)]

    def download(self, file: SourceFile, known_version: str, path: Path) -> SourceFile | None:
        try:
            found = _published(self._folder / file.name)
            if found.version == known_version:
                return None
            shutil.copyfile(self._folder / file.name, path)
        except OSError as cause:
            raise ServiceError(UNAVAILABLE, f"{file.name}: {cause.strerror or cause}.") from cause
        return found


class CommandSource:
    """A command that downloads the files of the lists into a folder, by whatever protocol.

    The command runs with each query of the files. It may leave files that it has downloaded before, so that only new
    ones are transferred; an exit status other than 0 is a failure.
    """

    def __init__(self, command: str, folder: Path, seconds: float) -> None:
        """Use a command.

        Args:
            command: The words of the command as a shell would split them; `{folder}` stands for the folder. No shell
                runs it.
            folder: The folder of the downloaded files; created with access for its owner only.
            seconds: The timeout of the command.
        """
        self._words = shlex.split(command)
        self._folder = folder
        self._seconds = seconds
        self._files = FolderSource(folder)

    def files(self, kind: ListKind) -> Sequence[SourceFile]:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        words = [word.replace(FOLDER_WORD, str(self._folder)) for word in self._words]
        try:
            done = subprocess.run(  # noqa: S603 - the command of the operator
                words, stdin=subprocess.DEVNULL, capture_output=True, timeout=self._seconds, check=False
            )
        except subprocess.TimeoutExpired as cause:
            raise ServiceError(UNAVAILABLE, f"{words[0]} no terminó en {self._seconds:g} segundos.") from cause
        except OSError as cause:
            raise ServiceError(UNAVAILABLE, f"{words[0]}: {cause.strerror or cause}.") from cause
        if done.returncode:
            error = " ".join(done.stderr.decode("utf-8", "replace").split())[:MAX_ERROR_LENGTH]
            raise ServiceError(UNAVAILABLE, f"{words[0]} terminó con el estado {done.returncode}: {error}")
        return self._files.files(kind)

    def download(self, file: SourceFile, known_version: str, path: Path) -> SourceFile | None:
        return self._files.download(file, known_version, path)


def _belongs(kind: ListKind, name: str) -> bool:
    part = part_name(name)
    return control_file_day(kind, name) is not None if part is None else part.kind is kind


def _published(path: Path) -> SourceFile:
    found = path.stat()
    return SourceFile(
        path.name, f"file:{found.st_size}:{found.st_mtime_ns}", datetime.fromtimestamp(found.st_mtime, UTC)
    )
