"""The base image: a Debian with Python from the mirror of this machine, kept in a cache for the next run."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from tools.image_check.build import Storage
from tools.image_check.commands import ImageCheckError, run

RELEASE = "bookworm"
PACKAGES = ("ca-certificates", "python3", "python3-venv")
BASE_IMAGE = f"localhost/timbra-base:{RELEASE}"
SOURCES = Path("/etc/apt")


def cache_folder() -> Path:
    """Return the folder of the base image, which `make clean` does not remove."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "timbra" / "image-check"


def mirror(apt: Path = SOURCES) -> str:
    """Return the URL of the Debian mirror of the apt sources.

    Args:
        apt: The folder of apt's configuration.

    Raises:
        ImageCheckError: No source has the main component of the release.
    """
    for path in sorted(apt.glob("sources.list.d/*.sources")):
        for stanza in path.read_text("utf-8").split("\n\n"):
            fields = _fields(stanza.splitlines())
            if RELEASE in fields.get("suites", []) and "main" in fields.get("components", []):
                return fields["uris"][0]
    for path in (apt / "sources.list", *sorted(apt.glob("sources.list.d/*.list"))):
        for line in path.read_text("utf-8").splitlines() if path.is_file() else ():
            words = [word for word in line.split() if not word.startswith(("[", "signed-by"))]
            if words[:1] == ["deb"] and words[2:3] == [RELEASE] and "main" in words[3:]:
                return words[1]
    raise ImageCheckError(f"No apt source in {apt} has the component main of Debian {RELEASE}.")


def prepare_base(storage: Storage, folder: Path) -> bool:
    """Make the base image unless the storage has it.

    Args:
        storage: The storage of buildah.
        folder: A folder for the files of debootstrap, removed at the end.

    Returns:
        Whether it was made now.
    """
    if storage.has(BASE_IMAGE):
        return False
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run(["debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", RELEASE, str(folder), mirror()])
    for downloaded in ("var/cache/apt/archives", "var/lib/apt/lists"):
        shutil.rmtree(folder / downloaded, ignore_errors=True)
    storage.add_image(BASE_IMAGE, folder)
    shutil.rmtree(folder)
    return True


def _fields(lines: Iterable[str]) -> dict[str, list[str]]:
    """Return the words of each field of a deb822 stanza, by its lower-case name."""
    pairs = (line.partition(":") for line in lines if ":" in line and not line.startswith("#"))
    return {name.strip().lower(): value.split() for name, _, value in pairs}
