"""`python -m bench.portal_pages`: processor time of the pages of the portal with many stamps.

The stamps are copies of one, written to a database of their own with the words and amounts of their documents, over 90
days, with 300 receivers. A page takes the processor time of all processes of the server from the request to the end of
the answer; the time to its first byte is elapsed time. The least of the rounds counts, on a shared machine.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import islice
from pathlib import Path
from urllib.parse import urlencode

import httpx2
from bench.after_commit import copied, stamped
from bench.fixtures import PASSWORD, USER, prepare
from bench.server_process import Served, served
from rich.console import Console
from rich.table import Table

from timbra.app.composition import open_container
from timbra.documents.build import document_index
from timbra.settings import Settings
from timbra.stamps.build import database_stamps
from timbra.stamps.port import Claim, StampRecord

STAMPS, ROUNDS, AT_ONCE = 100_000, 3, 64
PERIOD = timedelta(days=90)
LIST = "/portal/facturas"
CSRF = re.compile(r'name="csrf_token" value="([0-9a-f]+)"')
PAGES = (
    ("home", "GET", "/portal"),
    ("list, newest first", "GET", LIST),
    ("list by total", "GET", f"{LIST}?orden=total"),
    ("list by RFC of the receiver", "GET", f"{LIST}?orden=receptor"),
    ("list of the cancelled", "GET", f"{LIST}?estado=cancelado"),
    ("list by words", "GET", f"{LIST}?texto=escuela"),
    ("sums of all", "POST", f"{LIST}/sumar"),
    ("CSV of all", "POST", f"{LIST}/exportar/csv"),
    ("XLSX of all", "POST", f"{LIST}/exportar/xlsx"),
)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.portal_pages", description=__doc__.splitlines()[0])
    parser.add_argument("--stamps", type=int, default=STAMPS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--database", default="", help="an empty PostgreSQL database; SQLite without it")
    chosen = parser.parse_args()
    table = Table("page", "processor time, ms", "first byte, ms", title=f"{chosen.stamps:,} stamps")
    with tempfile.TemporaryDirectory(prefix="timbra-bench-") as folder:
        data = Path(folder) / "data"
        prepared = prepare(data, chosen.database)
        with open_container(Settings(data=data, database_url=chosen.database)) as container:
            pattern = asyncio.run(stamped(container, prepared))
            made = _spread(pattern, chosen.stamps)
            while batch := list(islice(made, AT_ONCE)):
                container.get(database_stamps).claim(batch)
            container.get(document_index).index(chosen.stamps)
        environment = {"TIMBRA_DATABASE_URL": chosen.database} if chosen.database else {}
        with (
            served(data, (0,), environment=environment) as server,
            httpx2.Client(base_url=server.address, timeout=300, follow_redirects=True) as client,
        ):
            _sign_in(client)
            for name, method, path in PAGES:
                found = [_measured(server, client, method, path) for _ in range(chosen.rounds)]
                spent, first = (min(times) * 1000 for times in zip(*found, strict=True))
                table.add_row(name, f"{spent:,.0f}", f"{first:,.0f}")
    Console().print(table)


def _spread(pattern: StampRecord, number: int) -> Iterator[Claim]:
    drawn = random.Random(1)
    for _ in range(number):
        claim = copied(pattern)
        record = replace(
            claim.record,
            stamped_at=pattern.stamped_at - PERIOD * drawn.random(),
            kind=drawn.choice("IIIIIEP"),
            total=f"{drawn.random() * 1e5:.2f}",
            receiver_rfc=f"AAA0101{drawn.randrange(300):03d}A1",
        )
        yield replace(claim, record=record)


def _sign_in(client: httpx2.Client) -> None:
    token = CSRF.findall(client.get("/portal/entrar").text)[0]
    client.post("/portal/entrar", data={"csrf_token": token, "user": USER, "password": PASSWORD}).raise_for_status()


def _measured(server: Served, client: httpx2.Client, method: str, path: str) -> tuple[float, float]:
    """Return processor time and time to the first byte, in seconds."""
    fields = {"csrf_token": CSRF.findall(client.get("/portal/tokens").text)[0]}
    content = urlencode(fields).encode() if method == "POST" else None
    headers = {"Content-Type": "application/x-www-form-urlencoded"} if content else {}
    before, begun = server.cpu_seconds(), time.perf_counter()
    with client.stream(method, path, content=content, headers=headers) as answer:
        pieces = answer.iter_bytes()
        size = len(next(pieces))
        first = time.perf_counter() - begun
        size += sum(map(len, pieces))
    if answer.status_code != 200:
        raise RuntimeError(f"{path} answered {answer.status_code} with {size} bytes")
    return server.cpu_seconds() - before, first


if __name__ == "__main__":
    main()
