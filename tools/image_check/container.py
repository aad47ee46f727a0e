"""A container without an engine: a chroot with a read-only root, in mount and network namespaces of its own."""

from __future__ import annotations

import os
import queue
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tools.image_check.build import ImageConfig
from tools.image_check.commands import ImageCheckError

START_SECONDS = 300
STOP_SECONDS = 60
DEVICES = ("null", "zero", "full", "random", "urandom")
MOUNTS = """
set -e
mount --make-rprivate /
mount --bind "$ROOT" "$TARGET"
mount -o remount,bind,ro "$TARGET"
mount -t proc proc "$TARGET/proc"
mount -t tmpfs -o mode=1777 tmp "$TARGET/tmp"
mount -t tmpfs -o mode=755 dev "$TARGET/dev"
for device in $DEVICES; do touch "$TARGET/dev/$device"; mount --bind "/dev/$device" "$TARGET/dev/$device"; done
mkdir "$TARGET/dev/shm"
mount -t tmpfs -o mode=1777 shm "$TARGET/dev/shm"
mount --bind "$DATA" "$TARGET$VOLUME"
if [ -n "$DATA_OPTIONS" ]; then mount -o "remount,bind,$DATA_OPTIONS" "$TARGET$VOLUME"; fi
ip link set lo up
exec chroot --userspec="$USERSPEC" "$TARGET" "$@"
"""


@dataclass(slots=True)
class Server:
    """A server in a container.

    Attributes:
        process: The process; the programs that prepared the container replaced each other.
        output: Lines of its standard output and error.
    """

    process: subprocess.Popen[str]
    started: float
    lines: queue.Queue[str | None]
    output: list[str] = field(default_factory=list)

    def wait_for(self, beginning: str) -> float:
        """Wait for a line; return the seconds since the start.

        Raises:
            ImageCheckError: The server ended before, or did not print it within START_SECONDS.
        """
        while (left := self.started + START_SECONDS - time.monotonic()) > 0:
            try:
                line = self.lines.get(timeout=left)
            except queue.Empty:
                break
            if line is None:
                code = self.process.wait(STOP_SECONDS)
                raise ImageCheckError(f"The server ended with exit code {code}.\n{''.join(self.output)}")
            self.output.append(line)
            if line.startswith(beginning):
                return time.monotonic() - self.started
        raise ImageCheckError(f"The server did not start within {START_SECONDS} s.\n{''.join(self.output)}")

    def stop(self) -> tuple[int, float]:
        """Send SIGTERM; return the exit code and the seconds until the end."""
        began = time.monotonic()
        self.process.terminate()
        code = self.process.wait(STOP_SECONDS)
        return code, time.monotonic() - began


class Container:
    """Runs programs of an image.

    Args:
        root: The mounted image.
        config: Its configuration.
        data: Folder that becomes the volume; its owner becomes the user of the image.
        target: An empty folder for the read-only root.
    """

    def __init__(self, root: Path, config: ImageConfig, data: Path, target: Path) -> None:
        self._root = root
        self._config = config
        self._data = data
        self._target = target
        user, group = config.user.split(":")
        os.chown(data, int(user), int(group))

    @contextmanager
    def running(
        self, command: Sequence[str], variables: Mapping[str, str] | None = None, *, data_options: str = ""
    ) -> Iterator[Server]:
        """Start the entry point of the image with a command; ends it at the end of the block.

        Args:
            command: Arguments of the entry point.
            variables: Environment variables besides those of the image.
            data_options: Mount options of the volume, such as `ro`.
        """
        given = [f"{name}={value}" for name, value in (variables or {}).items()]
        words = ["env", "-i", *self._config.environment, *given, *self._config.entrypoint, *command]
        environment = {
            "PATH": os.environ["PATH"],
            "ROOT": str(self._root),
            "TARGET": str(self._target),
            "DATA": str(self._data),
            "DATA_OPTIONS": data_options,
            "DEVICES": " ".join(DEVICES),
            "VOLUME": self._config.volume,
            "USERSPEC": self._config.user,
        }
        prefix = ["unshare", "--mount", "--net", "sh", "-c", MOUNTS, "sh"]
        started = time.monotonic()
        with subprocess.Popen(  # noqa: S603 - commands of this module
            [*prefix, *words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process:
            server = Server(process, started, queue.Queue())
            threading.Thread(target=_read_lines, args=(process, server.lines), daemon=True).start()
            try:
                yield server
            finally:
                if process.poll() is None:
                    process.kill()

    def execute(
        self,
        server: Server,
        command: Sequence[str],
        *,
        variables: Mapping[str, str] | None = None,
        stdin: str | None = None,
        user: str = "",
    ) -> subprocess.CompletedProcess[str]:
        """Run a program inside of a running container, as `docker exec` does.

        Args:
            server: The server of the container.
            command: The program and its arguments.
            variables: Environment variables besides those of the image.
            stdin: Its standard input.
            user: User and group; those of the image when empty.
        """
        given = [f"{name}={value}" for name, value in (variables or {}).items()]
        enter = ["nsenter", f"--target={server.process.pid}", "--mount", "--net"]
        inside = ["chroot", f"--userspec={user or self._config.user}", str(self._target), "env", "-i"]
        return subprocess.run(  # noqa: S603 - commands of this package
            [*enter, *inside, *self._config.environment, *given, *command],
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )


def _read_lines(process: subprocess.Popen[str], lines: queue.Queue[str | None]) -> None:
    for line in process.stdout or ():
        lines.put(line)
    lines.put(None)
