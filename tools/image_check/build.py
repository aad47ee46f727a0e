"""buildah with a storage of its own: images, builds without a network, and mounted containers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.image_check.commands import ImageCheckError, run

OFFLINE = ("unshare", "--net")


@dataclass(frozen=True, slots=True)
class ImageConfig:
    """What an image says about its process.

    Attributes:
        user: Number of user and group, with a colon.
        command: Entry point and default command.
        health: Command of the health check.
        volume: Folder of the data.
        environment: Lines NAME=VALUE.
    """

    user: str
    entrypoint: Sequence[str]
    command: Sequence[str]
    health: Sequence[str]
    volume: str
    environment: Sequence[str]


def parse_config(document: Mapping[str, object]) -> ImageConfig:
    """Read the configuration of an image in Docker's format.

    Raises:
        ImageCheckError: A part is missing.
    """
    config: Any = document.get("config")
    try:
        kind, *health = config["Healthcheck"]["Test"]
        [volume] = config["Volumes"]
        found = ImageConfig(
            config["User"], config["Entrypoint"], config["Cmd"], health, volume.rstrip("/"), config["Env"]
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ImageCheckError(f"The image has no {error} in its configuration.") from error
    if kind != "CMD":
        raise ImageCheckError(f"The health check of the image is of the kind {kind}.")
    return found


class Storage:
    """Images and containers of buildah below a folder; other storages of the machine are not used."""

    def __init__(self, folder: Path) -> None:
        self._buildah = ["buildah", "--root", str(folder / "storage"), "--runroot", str(folder / "run")]
        self._buildah += ["--storage-driver=vfs"]

    def has(self, image: str) -> bool:
        """Whether an image has this name."""
        return bool(json.loads(run([*self._buildah, "images", "--json", "--filter", f"reference={image}"]) or "[]"))

    def add_image(self, image: str, root: Path) -> None:
        """Make an image of one layer from a folder."""
        container = run([*self._buildah, "from", "scratch"]).strip()
        try:
            run([*self._buildah, "add", "--quiet", container, str(root), "/"])
            run([*self._buildah, "commit", "--quiet", container, image])
        finally:
            run([*self._buildah, "rm", container])

    def build(self, image: str, containerfile: Path, context: Path, arguments: Mapping[str, str]) -> None:
        """Build an image from a folder, in a network namespace without interfaces.

        Raises:
            ImageCheckError: The build failed, with the end of its output.
        """
        given = [word for name, value in arguments.items() for word in ("--build-arg", f"{name}={value}")]
        options = ["--isolation=chroot", "--format=docker", "--pull=never", "--file", str(containerfile), *given]
        run([*OFFLINE, *self._buildah, "bud", *options, "--tag", image, str(context)])

    def config(self, image: str) -> ImageConfig:
        """Return the configuration of an image."""
        return parse_config(json.loads(run([*self._buildah, "inspect", "--type=image", image]))["Docker"])

    @contextmanager
    def mounted(self, image: str) -> Iterator[Path]:
        """Mount a container of an image; removed at the end."""
        container = run([*self._buildah, "from", "--pull=never", image]).strip()
        try:
            yield Path(run([*self._buildah, "mount", container]).strip())
        finally:
            run([*self._buildah, "rm", container])

    def remove(self, image: str) -> None:
        """Remove an image, and the images without a name."""
        run([*self._buildah, "rmi", image])
        run([*self._buildah, "rmi", "--prune", "--force"])
