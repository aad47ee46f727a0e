"""Commands of the system: what the check needs, and how a failure is reported."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence

PACKAGES = {
    "buildah": "buildah",
    "debootstrap": "debootstrap",
    "ip": "iproute2",
    "mount": "mount",
    "nsenter": "util-linux",
    "unshare": "util-linux",
}
"""Programs, and the Debian packages that have them."""


class ImageCheckError(Exception):
    """The check cannot run, or the image fails it; the text is a sentence, output of a command may follow."""


def require_system(find: Callable[[str], str | None] = shutil.which, user: int | None = None) -> None:
    """Check that the programs exist and that this process may use them.

    Args:
        find: Returns the path of a program, or None.
        user: Number of the user; the effective user of this process when None.

    Raises:
        ImageCheckError: A program is missing, or the user is not root.
    """
    missing = sorted({package for program, package in PACKAGES.items() if find(program) is None})
    if missing:
        raise ImageCheckError(f"The image check needs programs: apt-get install {' '.join(missing)}.")
    if (os.geteuid() if user is None else user) != 0:
        raise ImageCheckError("The image check needs root: debootstrap, chroot and mounts.")


def run(command: Sequence[str], *, stdin: str | None = None) -> str:
    """Run a command and return its standard output.

    Raises:
        ImageCheckError: Its exit code is not 0.
    """
    finished = subprocess.run(  # noqa: S603 - commands of this package
        list(command), input=stdin, capture_output=True, text=True, check=False
    )
    if finished.returncode != 0:
        output = f"{finished.stdout[-4000:]}{finished.stderr[-4000:]}".rstrip()
        raise ImageCheckError(f"`{' '.join(command)}` ended with exit code {finished.returncode}.\n{output}")
    return finished.stdout
