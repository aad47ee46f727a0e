"""Cost of a claim, compared with the minimum cost of a durable insert, in one run on one disk.

python bench/store_claims.py [ADDRESS]: an empty PostgreSQL database; without it SQLite in a temporary folder.
"""

from __future__ import annotations

import dataclasses
import os
import sqlite3
import sys
import tempfile
import time
from base64 import b64encode
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from timbra.core.clock import WallClock
from timbra.database.database import open_database
from timbra.examples.cfdi40 import ingreso
from timbra.stamps.port import Claim, StampRecord
from timbra.stamps.repository import DatabaseStamps

BATCHES = (1, 16, 64)
CLAIMS = 1024
ROUNDS = 3


def document() -> bytes:
    """Return an invoice with random data of the size of seals and certificate: about 5.5 kB, as a stamped one."""
    noise = "".join(f' Noise{size}="{b64encode(os.urandom(size)).decode()}"' for size in (1500, 512))
    return ingreso(concepts=3).replace(' Version="4.0"', f'{noise} Version="4.0"').encode()


def claim() -> Claim:
    """Return a claim with random identifiers."""
    fields: dict[str, Any] = dict.fromkeys((field.name for field in dataclasses.fields(StampRecord)), "12345678")
    fields |= {"seal_hash": os.urandom(32), "uuid": str(uuid4()), "account_id": 1, "environment": "sandbox"}
    now = datetime.now(UTC)
    fields |= {"stamped_at": now, "fecha": f"{now:%Y-%m-%dT%H:%M:%S}", "cfdi": document()}
    return Claim(StampRecord(**fields), str(uuid4()))


def timed(work: Callable[[int], None], batch: int) -> float:
    """Return the microseconds per claim, the median of the batches."""
    spent = []
    for _ in range(CLAIMS // batch):
        start = time.perf_counter()
        work(batch)
        spent.append(time.perf_counter() - start)
    return sorted(spent)[len(spent) // 2] / batch * 1e6


def bare_insert(folder: Path) -> Callable[[int], None]:
    """Return an insert into a table with the seal hash as its key: SQLite's minimum for a durable row of this size."""
    connection = sqlite3.connect(folder / "bare.db", isolation_level=None)
    for statement in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "PRAGMA wal_autocheckpoint=16384"):
        connection.execute(statement)
    connection.execute("CREATE TABLE bare (seal_hash BLOB PRIMARY KEY, cfdi BLOB)")

    def insert(batch: int) -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("INSERT INTO bare VALUES (?, ?)", [(os.urandom(32), bytes(2600)) for _ in range(batch)])
        connection.execute("COMMIT")

    return insert


def main(address: str | None, folder: Path) -> None:
    """Measure and print."""
    database = open_database(address or f"sqlite:///{folder / 'timbra.db'}", "sandbox")
    stamps = DatabaseStamps(database, WallClock())
    ready: list[Claim] = []

    def stamp(batch: int) -> None:
        stamps.claim([ready.pop() for _ in range(batch)])

    floor = bare_insert(folder)
    print(f"{database.dialect}: us per claim (us of a bare durable SQLite insert) at batch size")
    for _ in range(ROUNDS):
        cells = []
        for batch in BATCHES:
            ready.extend(claim() for _ in range(CLAIMS))
            database.checkpoint()
            cells.append(f"{batch}: {timed(stamp, batch):.0f} ({timed(floor, batch):.0f})")
        print("   ".join(cells))
    stamps.close()
    database.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        main(sys.argv[1] if len(sys.argv) > 1 else None, Path(name))
