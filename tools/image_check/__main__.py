"""`make image-check`: builds the image, checks it, and prints its size and the time of its start."""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tools.image_check.base import BASE_IMAGE, cache_folder, prepare_base
from tools.image_check.build import Storage
from tools.image_check.checks import Measurements, check_container
from tools.image_check.commands import ImageCheckError, require_system
from tools.image_check.container import Container
from tools.image_context import CONTEXT, LOCK, WHEELS

ROOT = Path(__file__).parents[2]
CONTAINERFILE = ROOT / "deploy" / "Containerfile"
IMAGE = "localhost/timbra-image-check"
MEBIBYTE = 1024 * 1024


def require_context(context: Path) -> None:
    """Check that the folder of the build is prepared.

    Raises:
        ImageCheckError: It has no wheel of Timbra, or no lock.
    """
    if not (context / LOCK).is_file() or not list((context / WHEELS).glob("timbra-*.whl")):
        raise ImageCheckError(f"{context} has no wheels: run make image-context.")


def size(folder: Path) -> int:
    """Return the bytes of the files below a folder; a file with several names counts once."""
    seen: dict[tuple[int, int], int] = {}
    for place, _, names in os.walk(folder):
        for name in names:
            status = os.lstat(os.path.join(place, name))
            seen[status.st_dev, status.st_ino] = status.st_size
    return sum(seen.values())


def check(context: Path, cache: Path, console: Console) -> Table:
    """Build and check the image; return the table of the result."""
    require_system()
    require_context(context)
    storage = Storage(cache)
    with console.status("base image") as status:
        is_new = prepare_base(storage, cache / "root")
        status.update("image, without a network")
        began = time.monotonic()
        storage.build(IMAGE, CONTAINERFILE, context, {"BASE": BASE_IMAGE, "BUILDER": BASE_IMAGE})
        build_seconds = time.monotonic() - began
        try:
            config = storage.config(IMAGE)
            with storage.mounted(IMAGE) as root, tempfile.TemporaryDirectory(prefix="timbra-image-") as name:
                data, target = Path(name) / "data", Path(name) / "root"
                data.mkdir(mode=0o700)
                target.mkdir()
                status.update("container: serve, dev, an invoice, bad input")
                measured = check_container(Container(root, config, data, target), config)
                sizes = (size(root), size(root / "opt" / "timbra"))
        finally:
            storage.remove(IMAGE)
    return _table(is_new, build_seconds, sizes, measured)


def main() -> None:
    """Run the check; exit code 1 with a sentence when it cannot run or the image fails it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--context", type=Path, default=CONTEXT, help="The folder of make image-context.")
    parser.add_argument("--cache", type=Path, default=cache_folder(), help="Folder that keeps the base image.")
    arguments = parser.parse_args()
    console = Console()
    try:
        console.print(check(arguments.context, arguments.cache, console))
    except ImageCheckError as error:
        console.print(f"[red]image check failed[/red]: {error}", soft_wrap=True)
        raise SystemExit(1) from error


def _table(is_new: bool, build_seconds: float, sizes: tuple[int, int], measured: Measurements) -> Table:
    table = Table(title="image check", show_header=False)
    rows = (
        ("base image", "made now" if is_new else "from the cache"),
        ("build without a network", f"{build_seconds:.0f} s"),
        ("size of the image", f"{sizes[0] / MEBIBYTE:.0f} MiB, of which /opt/timbra {sizes[1] / MEBIBYTE:.0f} MiB"),
        ("user, root", "10001:10001, read-only"),
        ("start of serve", f"{measured.serve_start:.1f} s"),
        ("stop of serve after SIGTERM", f"{measured.serve_stop:.1f} s, exit code 0"),
        ("start of dev with its account and CSDs", f"{measured.dev_start:.1f} s"),
        ("invoice issued", measured.uuid),
        ("taken port, read-only volume, wrong token", "one sentence each, exit code 1"),
    )
    for name, value in rows:
        table.add_row(name, value)
    return table


if __name__ == "__main__":
    main()
