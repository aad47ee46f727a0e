"""`python -m bench.endurance`: resident memory of a worker over many stamps."""

from __future__ import annotations

import argparse
import tempfile
from itertools import islice
from pathlib import Path

from bench import cpu_affinity
from bench.fixtures import prepare, request, unsealed
from bench.load import Load
from bench.server_process import served
from rich.console import Console
from rich.progress import track
from rich.table import Table

from timbra.app.composition import open_container
from timbra.settings import Settings

STEP = 10_000


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.endurance", description=__doc__.splitlines()[0])
    parser.add_argument("--stamps", type=int, default=100_000)
    chosen = parser.parse_args()
    console = Console()
    table = Table("stamps", "resident (private) MiB", "stamps/s")
    with tempfile.TemporaryDirectory(prefix="timbra-bench-") as folder:
        prepared = prepare(Path(folder) / "data")
        with (
            open_container(Settings(data=prepared.data)) as container,
            served(prepared.data, cpu_affinity.SERVER) as server,
        ):
            table.add_row("0", server.memory(), "")
            documents = unsealed(container)
            with cpu_affinity.running_on(cpu_affinity.LOAD), Load(server.address, 8) as load:
                for done in track(range(STEP, chosen.stamps + 1, STEP), console=Console(stderr=True), transient=True):
                    seconds = 0.0
                    for _ in range(10):
                        batch = [
                            request("/cfdi33/issue/v1", prepared.token, xml) for xml in islice(documents, STEP // 10)
                        ]
                        seconds += load.run(batch)[0]
                    table.add_row(f"{done:,}", server.memory(), f"{STEP / seconds:,.0f}")
    console.print(table)


if __name__ == "__main__":
    main()
