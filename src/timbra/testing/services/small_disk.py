"""A small disk that a drill may fill: a tmpfs, mounted by root, or by any user in a namespace of a process."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

MEBIBYTE = 1024 * 1024


class Disk:
    """folder: where it is mounted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"

    def fill(self) -> int:
        """Fill the disk and return the number of bytes written."""
        with self._ballast.open("ab", buffering=0) as ballast:
            for size in (MEBIBYTE, 4096, 1):
                while _written(ballast.fileno(), size):
                    pass
            return ballast.tell()

    def free(self) -> None:
        """Delete what `fill` wrote."""
        self._ballast.unlink(missing_ok=True)


def _written(descriptor: int, size: int) -> bool:
    try:
        return os.write(descriptor, bytes(size)) == size
    except OSError:
        return False


@contextmanager
def mounted(mebibytes: int) -> Iterator[Disk | None]:
    """Yield a disk of that size, or None where none can be mounted."""
    with tempfile.TemporaryDirectory(prefix="timbra-disk-") as name, ExitStack() as stack:
        folder, options = Path(name), f"size={mebibytes}m,mode=0755"
        yield _mounted_by_root(folder, options, stack) or _mounted_in_namespace(folder, options, stack)


def _mounted_by_root(folder: Path, options: str, stack: ExitStack) -> Disk | None:
    if os.geteuid() != 0 or shutil.which("mount") is None:
        return None
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if subprocess.run(command, check=False, capture_output=True).returncode != 0:  # noqa: S603 - fixed arguments
        return None
    stack.callback(subprocess.run, ["umount", "--lazy", str(folder)], check=True)
    return Disk(folder)


def _mounted_in_namespace(folder: Path, options: str, stack: ExitStack) -> Disk | None:
    """Mount the disk in a namespace of a process that lives as long; its folder is reached through that process."""
    if os.geteuid() == 0 or shutil.which("unshare") is None:
        return None
    script = 'mount -t tmpfs -o "$0" tmpfs "$1" && echo mounted && exec sleep infinity'
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, options, str(folder)]
    holder = stack.enter_context(
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)  # noqa: S603 - fixed arguments
    )
    stack.callback(holder.kill)
    if holder.stdout is None or holder.stdout.readline() != "mounted\n":
        return None
    return Disk(Path(f"/proc/{holder.pid}/root{folder}"))
