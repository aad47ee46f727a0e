"""Cost of the published lists: import, file, look-ups and memory, with synthetic files in the SAT's format.

    python -m bench.lists [--taxpayers 5000000] [--certificates 1500000] [--folder DIR] [--compare]

The files have the form of the SAT's: text or XML in a PKCS#7 in gzip, in parts, signed by `openssl` with a certificate
minted for the run. --compare loads bare rows into the packed file, into SQLite, and into LMDB where its package is
installed (sorted in memory first, which is its best case). All files are in a temporary folder of DIR and are removed
at the end.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from bench.list_files import issuers, make_files, name_of, rfc_of

from timbra.core.clock import WallClock
from timbra.lists.importer import ListImporter
from timbra.lists.ingest import ListColumns
from timbra.lists.packed.table_reader import PackedList
from timbra.lists.packed.table_writer import Spools, last_wins, spool_rows, write_packed
from timbra.lists.published import PublishedLists
from timbra.lists.signer_policy import ListSigners
from timbra.lists.sources.columns import known_columns
from timbra.lists.sources.part_names import ListKind
from timbra.seals.certificates.certificate import read_certificate
from timbra.seals.certificates.trust_store import TrustStore

COLUMNS = "NOMBRE=name,CP=postal_code,RETENCION=withholding"
LOOK_UPS = 200_000


def import_list(folder: Path, kind: ListKind, paths: list[Path]) -> dict[str, Any]:
    """Import a list and return rows, seconds, sizes in bytes and memory."""
    trust = TrustStore([], []).with_authority(read_certificate((folder / "ca.der").read_bytes()))
    importer = ListImporter(
        folder / "lists", ListSigners(trust, strict=False), ListColumns(known_columns(COLUMNS)), WallClock()
    )
    start = time.perf_counter()
    edition = importer.run(kind, paths)
    seconds = time.perf_counter() - start
    rows = edition.rows if kind is ListKind.LRFC else edition.certificates
    made = [folder / "lists" / name for name in (edition.file, edition.names) if name]
    return {
        "rows": rows,
        "seconds": seconds,
        "gzip": sum(path.stat().st_size for path in paths),
        "file": made[0].stat().st_size,
        "names": sum(path.stat().st_size for path in made[1:]),
        **memory(),
    }


def look_up(key_of: Callable[[int], Any], read: Callable[[Any], object], count: int) -> dict[str, float]:
    """Measure look-ups spread over the whole list, hits and misses.

    Args:
        key_of: key by number.
        read: the look-up; None for a miss.
        count: number of rows of the list.

    Returns:
        Median and 99th percentile in microseconds, and memory.
    """
    found: dict[str, float] = {}
    for label, low in (("hit", 0), ("miss", 2**31)):
        chooser = random.Random(7)
        keys = [key_of(low + chooser.randrange(count)) for _ in range(LOOK_UPS)]
        assert (read(keys[0]) is None) == (label == "miss")
        spent = []
        for key in keys:
            start = time.perf_counter_ns()
            read(key)
            spent.append(time.perf_counter_ns() - start)
        spent.sort()
        found |= {label: spent[LOOK_UPS // 2] / 1000, f"{label} p99": spent[LOOK_UPS * 99 // 100] / 1000}
    return {**found, **memory()}


def evict(path: Path) -> None:
    """Advise the kernel to drop the file's pages from the page cache."""
    with path.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def memory() -> dict[str, float]:
    """Return megabytes: the peak of the process so far, its anonymous memory, and its mapped files."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return {name: int(status[key].split()[0]) / 1024 for name, key in MEMORY.items()}


MEMORY = {"peak": "VmHWM", "own": "RssAnon", "mapped": "RssFile"}


def look_up_lists(folder: Path, kind: str, count: int) -> dict[str, float]:
    """Measure look-ups in the imported lists."""
    lists = PublishedLists(folder / "lists").current
    taxpayers, names, obligations = lists.taxpayers, lists.names, lists.obligations
    assert taxpayers is not None
    assert names is not None
    assert obligations is not None
    if kind == "taxpayer":
        return look_up(rfc_of, taxpayers.taxpayer, count)
    if kind == "name":
        return look_up(name_of, lambda name: names.is_registered(name) or None, count)
    return look_up(lambda n: (rfc_of(n), f"{2 * n + 1:020}"), lambda key: obligations.certificate(*key), count)


def packed_load(folder: Path, count: int) -> dict[str, Any]:
    """Write the packed file."""
    (folder / "spools").mkdir()
    path = folder / "bare.list"
    start = time.perf_counter()
    with Spools(folder / "spools") as spools:
        for first in range(0, count, 10_000):
            rows = islice(bare_rows(count, first), 10_000)
            spool_rows(spools, ((rfc.encode(), f"{rfc}|{rest}\n".encode()) for rfc, rest in rows))
        write_packed(path, spools, last_wins, {}, lambda _done, _total: None)
    return {"rows": count, "seconds": time.perf_counter() - start, "file": path.stat().st_size, **memory()}


def packed_look_up(folder: Path, count: int) -> dict[str, float]:
    """Measure look-ups in the packed file."""
    return look_up(lambda n: rfc_of(n).encode(), PackedList(folder / "bare.list").get, count)


def sqlite_load(folder: Path, count: int) -> dict[str, Any]:
    """Load the rows into SQLite."""
    path = folder / "lists.db"
    start = time.perf_counter()
    connection = sqlite3.connect(path, isolation_level=None)
    for pragma in ("journal_mode=OFF", "synchronous=OFF", "cache_size=-200000", "temp_store=FILE"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("CREATE TABLE spool (rfc TEXT, rest TEXT)")
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO spool VALUES (?, ?)", bare_rows(count))
    connection.execute("CREATE TABLE lrfc (rfc TEXT PRIMARY KEY, rest TEXT) WITHOUT ROWID")
    connection.execute("INSERT INTO lrfc SELECT rfc, rest FROM spool ORDER BY rfc")
    connection.execute("DROP TABLE spool")
    connection.execute("COMMIT")
    connection.execute("VACUUM")
    connection.close()
    return {"rows": count, "seconds": time.perf_counter() - start, "file": path.stat().st_size, **memory()}


def sqlite_look_up(folder: Path, count: int) -> dict[str, float]:
    """Measure look-ups in SQLite."""
    connection = sqlite3.connect(f"file:{folder / 'lists.db'}?mode=ro&immutable=1", uri=True)
    connection.execute(f"PRAGMA mmap_size={2**40}")
    query = "SELECT rest FROM lrfc WHERE rfc = ?"
    return look_up(lambda n: (rfc_of(n),), lambda key: connection.execute(query, key).fetchone(), count)


def lmdb_load(folder: Path, count: int) -> dict[str, Any]:
    """Load the rows into LMDB."""
    lmdb = importlib.import_module("lmdb")

    path = folder / "lmdb"
    start = time.perf_counter()
    with lmdb.open(str(path), map_size=2**36, sync=False, writemap=True) as store:
        rows = sorted((rfc.encode(), rest.encode()) for rfc, rest in bare_rows(count))
        with store.begin(write=True) as transaction:
            for rfc, rest in rows:
                transaction.put(rfc, rest, append=True)
        store.sync(True)
    size = (path / "data.mdb").stat().st_blocks * 512
    return {"rows": count, "seconds": time.perf_counter() - start, "file": size, **memory()}


def lmdb_look_up(folder: Path, count: int) -> dict[str, float]:
    """Measure look-ups in LMDB."""
    lmdb = importlib.import_module("lmdb")

    transaction = lmdb.open(str(folder / "lmdb"), readonly=True, lock=False, readahead=False).begin()
    return look_up(lambda n: rfc_of(n).encode(), transaction.get, count)


def bare_rows(count: int, first: int = 0) -> Iterator[tuple[str, str]]:
    """Yield generated rows, to measure the cost of a store alone, without reading, verification and parsing."""
    for n in range(first, count):
        yield rfc_of(n), f"{name_of(n)}|{n % 90_000 + 1_000:05}|0|0|"


def _generated(_folder: Path, count: int) -> dict[str, Any]:
    start = time.perf_counter()
    for _ in bare_rows(count):
        pass
    return {"seconds": time.perf_counter() - start}


STEPS: dict[str, Callable[..., dict[str, Any]]] = {
    "import": lambda folder, kind, paths: import_list(folder, ListKind(kind), [Path(path) for path in paths]),
    "look up": look_up_lists,
    "generate": _generated,
    "packed load": packed_load,
    "packed look up": packed_look_up,
    "sqlite load": sqlite_load,
    "sqlite look up": sqlite_look_up,
    "lmdb load": lmdb_load,
    "lmdb look up": lmdb_look_up,
}


def apart(step: str, folder: Path, *arguments: Any) -> dict[str, Any]:
    """Run a step in a process of its own, so that its memory is measured separately."""
    encoded = json.dumps([step, str(folder), *arguments], default=str)
    done = subprocess.run(
        [sys.executable, "-m", "bench.lists", "--step", encoded], check=True, stdout=subprocess.PIPE, text=True
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def print_figures(label: str, figures: dict[str, Any]) -> None:
    """Print the figures of one step in a line."""
    parts = []
    if "rows" in figures:
        parts.append(f"{figures['rows'] / figures['seconds'] / 1000:.0f}k rows/s ({figures['seconds']:.0f} s)")
    parts += [
        f"{name} {figures[key] / 2**20:.0f} MiB ({figures[key] / figures['rows']:.1f} bytes a row)"
        for key, name in (("gzip", "read"), ("file", "written"), ("names", "names"))
        if figures.get(key)
    ]
    if "hit" in figures:
        parts.append(f"hit {figures['hit']:.1f} us (p99 {figures['hit p99']:.1f})")
        parts.append(f"miss {figures['miss']:.1f} us (p99 {figures['miss p99']:.1f})")
    parts += [f"{key} {figures[key]:.0f} MiB" for key in MEMORY if key in figures]
    print(f"{label:32} {', '.join(parts)}", flush=True)


def main() -> None:
    """Run the command line, or one step in this process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--taxpayers", type=int, default=5_000_000)
    parser.add_argument("--certificates", type=int, default=1_500_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--step", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        step, folder, *arguments = json.loads(options.step)
        print(json.dumps(STEPS[step](Path(folder), *arguments)))
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        measure(Path(name), options.taxpayers, options.certificates, options.compare)


def measure(folder: Path, taxpayers: int, certificates: int, compare: bool) -> None:
    """Create the lists, import them and look rows up."""
    parts = make_files(folder, taxpayers, certificates)
    print(f"{taxpayers:,} taxpayers in l_RFC, {certificates:,} certificates in the LCO")
    for kind, paths in parts.items():
        print_figures(f"import {kind}", apart("import", folder, kind, paths))
    row_counts = {"taxpayer": taxpayers, "name": taxpayers, "certificate": issuers(certificates)}
    for what, count in row_counts.items():
        for path in (folder / "lists").glob("*-*"):
            evict(path)
        print_figures(f"{what}, pages from disk", apart("look up", folder, what, count))
        print_figures(f"{what}, pages in memory", apart("look up", folder, what, count))
    if compare:
        compared(folder, taxpayers)


def compared(folder: Path, taxpayers: int) -> None:
    """Load and look up the same rows in each store."""
    print(f"rows made without storing them: {apart('generate', folder, taxpayers)['seconds']:.0f} s")
    for store in ("packed", "sqlite", "lmdb"):
        if store == "lmdb" and importlib.util.find_spec("lmdb") is None:
            print("lmdb is not installed")
            continue
        print_figures(f"{store} load", apart(f"{store} load", folder, taxpayers))
        print_figures(f"{store} look up", apart(f"{store} look up", folder, taxpayers))


if __name__ == "__main__":
    main()
