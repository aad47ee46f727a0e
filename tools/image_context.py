"""Prepares build/image: the wheel of dist/, the wheels of its locked dependencies, and a lock with the hashes of all.

`deploy/Containerfile` builds an image from this folder without a network. The wheels are those of the Python and the
platform that run this tool; the base image must have the same.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
from pathlib import Path

from packaging.utils import parse_wheel_filename
from rich.console import Console

from tools.release_check import CheckFailedError, Distributions, collect_wheels, distributions

ROOT = Path(__file__).parents[1]
CONTEXT = ROOT / "build" / "image"
WHEELS = "wheels"
LOCK = "requirements.txt"


def chosen_wheel(found: Distributions) -> Path:
    """Return the native wheel, or the pure one where there was no C compiler."""
    return found.native or found.pure


def locked(wheel: Path) -> str:
    """Return the line of a lock for a wheel: its name, its version and its SHA-256."""
    name, version, _, _ = parse_wheel_filename(wheel.name)
    return f"{name}=={version} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"


def prepare(dist: Path, context: Path) -> Path:
    """Write the folder; return the wheel of Timbra in it.

    Args:
        dist: Folder of the distributions.
        context: The folder to write; what it has is removed.

    Raises:
        CheckFailedError: The distributions are incomplete, or a dependency cannot be downloaded.
    """
    wheel = chosen_wheel(distributions(dist))
    shutil.rmtree(context, ignore_errors=True)
    wheels = context / WHEELS
    wheels.mkdir(parents=True)
    collect_wheels(wheels)
    shutil.copy2(wheel, wheels)
    lock = (ROOT / "requirements" / "runtime.txt").read_text("utf-8")
    (context / LOCK).write_text(lock + locked(wheel), "utf-8")
    return wheels / wheel.name


def main() -> None:
    """Prepare the folder; exit code 1 with one sentence when that fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dist", type=Path, default=ROOT / "dist")
    parser.add_argument("--context", type=Path, default=CONTEXT)
    arguments = parser.parse_args()
    console = Console()
    try:
        with console.status("download of the locked dependencies"):
            wheel = prepare(arguments.dist, arguments.context)
    except CheckFailedError as error:
        console.print(f"[red]no build context[/red]: {error}")
        raise SystemExit(1) from error
    count = sum(1 for _ in wheel.parent.iterdir())
    console.print(f"{arguments.context}: {wheel.name} and {count - 1} wheels of its dependencies", soft_wrap=True)


if __name__ == "__main__":
    main()
