"""`python -m bench.portal_pages`: processor time of pages of the portal and searches of the API, with many stamps.

The stamps are those of `bench.stored_stamps`. A page takes the processor time of all processes of the server and of the
database from the request to the end of the answer; the time to its first byte is elapsed time. PostgreSQL has no
parallel workers, whose time would be lost with them. The least of the rounds counts, on a shared machine.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from html import unescape
from pathlib import Path
from types import MappingProxyType
from urllib.parse import urlencode

import httpx2
import psutil  # type: ignore[import-untyped]
import psycopg
from bench.after_commit import stamped
from bench.fixtures import PASSWORD, USER, prepare
from bench.server_process import served
from bench.stored_stamps import fill
from rich.console import Console
from rich.table import Table

from timbra.app.composition import open_container
from timbra.settings import Settings
from timbra.stamps.repository import _write_cursor

STAMPS, ROUNDS = 100_000, 3
LIST = "/portal/facturas"
CSRF = re.compile(r'name="csrf_token" value="([0-9a-f]+)"')
REST = re.compile(r'<input type="hidden" value="([^"]*)" data-rest')
ORDERS = {"total": "total", "date": "fecha", "number": "folio", "kind": "tipo", "issuer": "emisor"}
ORDERS |= {"receiver": "receptor"}
PAGES = (
    ("home", "GET", "/portal"),
    ("list, newest first", "GET", LIST),
    *((f"list by {name}", "GET", f"{LIST}?orden={order}") for name, order in ORDERS.items()),
    ("list by total of a kind, ascending", "GET", f"{LIST}?orden=total&sentido=ascendente&documento=P"),
    ("list of a receiver", "GET", f"{LIST}?rfc=AAA0101001A1"),
    ("list of a receiver by total", "GET", f"{LIST}?rfc=AAA0101001A1&orden=total"),
    ("list of a folio", "GET", f"{LIST}?folio=0000012345"),
    ("list of the cancelled", "GET", f"{LIST}?estado=cancelado"),
    ("list of the valid", "GET", f"{LIST}?estado=vigente"),
    ("list by a word of all", "GET", f"{LIST}?texto=escuela"),
    ("list by a word of one", "GET", f"{LIST}?texto=0000012345"),
    ("list of few amounts", "GET", f"{LIST}?minimo=99999"),
    ("list of many amounts", "GET", f"{LIST}?minimo=20000&maximo=90000"),
    ("sums of all", "POST", f"{LIST}/sumar"),
    ("sums of a kind", "POST", f"{LIST}/sumar?documento=P"),
    ("sums of a receiver", "POST", f"{LIST}/sumar?rfc=AAA0101001A1"),
    ("sums of the valid", "POST", f"{LIST}/sumar?estado=vigente"),
    ("sums of few amounts", "POST", f"{LIST}/sumar?minimo=99999"),
    ("sums of many amounts", "POST", f"{LIST}/sumar?minimo=20000&maximo=90000"),
    ("sums by a word of all", "POST", f"{LIST}/sumar?texto=escuela"),
    ("sums of many amounts, the longest part", "PARTS", f"{LIST}/sumar?minimo=20000&maximo=90000"),
    ("sums by a word of all, the longest part", "PARTS", f"{LIST}/sumar?texto=escuela"),
    ("API, newest stamps", "GET", "/stamps?limit=200"),
    ("API, stamps of the middle", "GET", "/stamps?limit=200&cursor={middle}"),
    ("API, stamp by its folio", "GET", "/datawarehouse/v1/live/{uuid}"),
    ("API, delivery by its folio", "GET", "/stamps/{uuid}/delivery"),
    ("API, balance", "GET", "/account/balance"),
    ("CSV of all", "POST", f"{LIST}/exportar/csv"),
    ("XLSX of all", "POST", f"{LIST}/exportar/xlsx"),
)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.portal_pages", description=__doc__.splitlines()[0])
    parser.add_argument("--stamps", type=int, default=STAMPS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--database", default="", help="an empty PostgreSQL database; SQLite without it")
    parser.add_argument("--folder", type=Path, help="keeps the data, which a second run with the same database uses")
    parser.add_argument("--only", default="", help="pages whose names have this text")
    chosen = parser.parse_args()
    table = Table("page", "processor time, ms", "first byte, ms", title=f"{chosen.stamps:,} stamps")
    with tempfile.TemporaryDirectory(prefix="timbra-bench-") as folder:
        data = (chosen.folder or Path(folder)) / "data"
        if not data.exists():
            _store(data, chosen.database, chosen.stamps)
        backends = _backends(chosen.database)
        environment = {"TIMBRA_DATABASE_URL": chosen.database} if chosen.database else {}
        with (
            served(data, (0,), environment=environment) as server,
            httpx2.Client(base_url=server.address, timeout=300, follow_redirects=True) as client,
        ):
            _sign_in(client)
            uuid = client.get("/stamps?limit=1").json()["data"]["records"][0]["uuid"]
            spent_by = partial(_seconds, server.cpu_seconds, backends)
            for name, method, path in (page for page in PAGES if chosen.only in page[0]):
                measured = _longest_part if method == "PARTS" else partial(_measured, method=method)
                address = path.format(uuid=uuid, middle=_write_cursor(chosen.stamps // 2))
                found = [measured(spent_by, client, path=address) for _ in range(chosen.rounds)]
                spent, first = (min(times) * 1000 for times in zip(*found, strict=True))
                table.add_row(name, f"{spent:,.0f}", f"{first:,.0f}")
    Console().print(table)


def _store(data: Path, database: str, stamps: int) -> None:
    prepared = prepare(data, database)
    with open_container(Settings(data=data, database_url=database)) as container:
        begun = time.perf_counter()
        fill(container, asyncio.run(stamped(container, prepared)), stamps)
        Console().print(f"{stamps:,} stamps stored in {time.perf_counter() - begun:,.0f} s")


def _backends(address: str) -> psycopg.Connection | None:
    """Return a connection that lists the other connections of a database; None for SQLite."""
    if not address:
        return None
    connection = psycopg.connect(address.replace("+psycopg", ""), autocommit=True)
    name = connection.info.dbname
    connection.execute(f'ALTER DATABASE "{name}" SET max_parallel_workers_per_gather = 0')
    return connection


def _seconds(server: Callable[[], float], backends: psycopg.Connection | None) -> dict[int, float]:
    """Return the processor time of each process of the database, and by 0 that of the server, in seconds."""
    found = {0: server()}
    if backends is not None:
        query = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        for (pid,) in backends.execute(query).fetchall():
            with suppress(psutil.NoSuchProcess):  # a background process has ended
                times = psutil.Process(pid).cpu_times()
                found[pid] = times.user + times.system
    return found


def _sign_in(client: httpx2.Client) -> None:
    token = CSRF.findall(client.get("/portal/entrar").text)[0]
    client.post("/portal/entrar", data={"csrf_token": token, "user": USER, "password": PASSWORD}).raise_for_status()
    login = client.post("/v2/security/authenticate", json={"user": USER, "password": PASSWORD})
    client.headers["Authorization"] = f"Bearer {login.json()['data']['token']}"


def _longest_part(spent_by: Callable[[], dict[int, float]], client: httpx2.Client, path: str) -> tuple[float, float]:
    """Return the largest times of the parts of a sum, as the script of the page asks for them."""
    found, rest, number = [], [""], 0
    while rest:
        parts: list[bytes] = []
        times = _measured(spent_by, client, path, "POST", {"avance": unescape(rest[0])}, {"X-Progress": "parts"}, parts)
        found.append(times)
        rest = REST.findall(b"".join(parts).decode())
        number += 1
    Console().print(f"{path}: {number} parts, {sum(spent for spent, _ in found) * 1000:,.0f} ms")
    return max(found)


def _measured(
    spent_by: Callable[[], dict[int, float]],
    client: httpx2.Client,
    path: str,
    method: str,
    form: Mapping[str, str] = MappingProxyType({}),
    extra: Mapping[str, str] = MappingProxyType({}),
    content_of: list[bytes] | None = None,
) -> tuple[float, float]:
    """Return processor time and time to the first byte, in seconds."""
    fields = {"csrf_token": CSRF.findall(client.get("/portal/tokens").text)[0], **form}
    content = urlencode(fields).encode() if method == "POST" else None
    headers = {"Content-Type": "application/x-www-form-urlencoded", **extra} if content else {}
    before, begun = spent_by(), time.perf_counter()
    with client.stream(method, path, content=content, headers=headers) as answer:
        pieces = answer.iter_bytes()
        start = next(pieces)
        first = time.perf_counter() - begun
        if content_of is not None:
            content_of += [start, *pieces]
        size = len(start) + sum(map(len, pieces))
    if answer.status_code != 200:
        Console().print(f"{path} answered {answer.status_code} with {size} bytes")
    after = spent_by()
    return sum(seconds - before.get(process, 0.0) for process, seconds in after.items()), first


if __name__ == "__main__":
    main()
