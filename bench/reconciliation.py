"""Time and memory of a reconciliation of metadata of the SAT with an ERP's export.

    python -m bench.reconciliation --rows 1000000 --memory 1024

A fiftieth of the rows of each side has no counterpart, and a fiftieth another total; a tenth of the ERP's rows has no
UUID, so that they are matched by RFC, total and day.
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time
from datetime import date, datetime, timedelta
from pathlib import Path
from uuid import UUID

from timbra.received.reconciliation.column_map import ColumnMap
from timbra.received.reconciliation.engine import open_reconciliation
from timbra.received.reconciliation.exports import read_books
from timbra.received.reconciliation.options import ReconciliationOptions, Side
from timbra.received.reconciliation.sat_source import read_sat
from timbra.validation.metadata_files import HEADINGS

OWN = "SPR190613I52"
START = datetime(2026, 10, 1)  # noqa: DTZ001 - as the SAT writes it, without zone
EVERY = 50


def write_sources(folder: Path, rows: int) -> int:
    """Write `metadata.txt` and `erp.csv`; return the number of differences."""
    numbers = random.Random(1)
    differences = 0
    with (
        (folder / "metadata.txt").open("w", encoding="utf-8", newline="") as metadata,
        (folder / "erp.csv").open("w", encoding="utf-8", newline="") as erp,
    ):
        metadata.write("~".join(HEADINGS) + "\r\n")
        erp.write("UUID,RFC emisor,Fecha,Total,Estatus\r\n")
        for number in range(rows):
            uuid = str(UUID(int=numbers.getrandbits(128), version=4)).upper()
            issuer = f"PRO{number % 60 + 1000:06}A{number % 90 + 10}"
            at = START + timedelta(seconds=number * 2 % 2_600_000)
            total = f"{number // 100 + 1}.{number % 100:02}"
            kind = number % EVERY
            if kind != 1:
                values = (uuid, issuer, f"Proveedor {number}, S.A. de C.V.", OWN, "Receptora", "SPR190613I52")
                metadata.write("~".join((*values, f"{at}", f"{at}", total, "I", "1", "")) + "\r\n")
            if kind != 2:
                written = "" if number % 10 == 9 else uuid
                amount = f"{number // 100 + 9}.{number % 100:02}" if kind == 3 else total
                erp.write(f"{written},{issuer},{at:%d/%m/%Y},{amount},Contabilizada\r\n")
            differences += kind in (1, 2, 3)
    return differences


def main() -> None:
    """Write the sources, reconcile them, and print seconds, differences and the peak of memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--memory", type=int, default=1024, help="MiB of the database")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        expected = write_sources(folder, arguments.rows)
        start, processor = time.perf_counter(), time.process_time()
        options = ReconciliationOptions(
            OWN, Side.RECEIVED, date(2026, 10, 1), date(2026, 10, 31), memory=arguments.memory
        )
        marks = []
        with open_reconciliation(options) as found:
            read_sat(found.workspace, [folder / "metadata.txt"])
            marks.append(time.perf_counter() - start)
            read_books(found.workspace, folder / "erp.csv", ColumnMap())
            marks.append(time.perf_counter() - start)
            found.run()
            marks.append(time.perf_counter() - start)
            written = sum(1 for _ in found.differences())
            seconds = time.perf_counter() - start
            counts = {each.kind.name: each.count for each in found.summary.kinds}
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(f"{arguments.rows} rows of each side: {seconds:.1f} s, processor {time.process_time() - processor:.1f} s")
        print("metadata read after {:.1f} s, export {:.1f} s, compared {:.1f} s".format(*marks))
        print(f"peak of memory {peak} MiB; {written} differences of {expected} planted: {counts}")


if __name__ == "__main__":
    main()
