"""`python -m bench.pooler`: rate and latency of a server through PgBouncer beside those of one without it.

Both servers have the same PostgreSQL, of the programs on the path or else Debian's newest, and take turns. PgBouncer
runs with `deploy/pgbouncer/pgbouncer.ini`.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from bench import cpu_affinity, measure
from bench.fixtures import prepare, unsealed
from bench.interleaved_rounds import Figure, Speed
from bench.load import Load
from bench.machine import facts
from bench.measure import Bench, Paced
from bench.plan import WHOLE, Plan
from bench.report import Sheet
from bench.server_process import Served, served
from rich.console import Console
from tests.support.pgbouncer import pgbouncer
from tests.support.postgresql_cluster import execute

from timbra.app.composition import open_container
from timbra.settings import Settings
from timbra.testing.services.postgresql import cluster

DIRECT, POOLED = "direct", "through PgBouncer"
NAME = "issue v4"
CONNECTIONS = 32
LOADED = 0.5
"""Share of the direct rate at which latency is measured."""


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.pooler", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--requests", type=int, default=1000, help="of a round")
    chosen = parser.parse_args()
    plan = replace(WHOLE, rounds=chosen.rounds, requests=chosen.requests)
    with tempfile.TemporaryDirectory(prefix="timbra-bench-") as folder:
        Sheet("Machine", ("what", "value"), [*facts(Path(folder)).items()]).show(Console())
        _measured(Path(folder) / "data", plan).show(Console())


def _measured(data: Path, plan: Plan) -> Sheet:
    with ExitStack() as stack:
        database = stack.enter_context(cluster())
        pooler = stack.enter_context(pgbouncer(database.port))
        urls = {DIRECT: database.url(), POOLED: database.url(pooler.port)}
        prepared = prepare(data, urls[DIRECT])
        container = stack.enter_context(open_container(Settings(data=data, database_url=urls[DIRECT])))
        bench = Bench(plan, container, prepared)
        servers = {}
        for way, url in urls.items():
            environment = {"TIMBRA_DATABASE_URL": url}
            servers[way] = stack.enter_context(served(data, cpu_affinity.SERVER, environment=environment))
        speeds = _rates(bench, servers)
        rate = Figure.of([one.rate for one in speeds[DIRECT]]).middle * LOADED
        paced: dict[str, list[Paced]] = defaultdict(list)
        for _ in range(plan.rounds):
            for way, server in servers.items():
                paced[way].append(measure.paced(bench, server, NAME, rate, 1, plan.paced_seconds))
        rows = [_row(way, speeds, paced) for way in servers]
        version = execute(database, "SHOW server_version")[0][0]
    note = (
        f"PostgreSQL {version}, one worker, {CONNECTIONS} connections, {NAME}. Medians (least-greatest) of "
        f"{plan.rounds} rounds of {plan.requests} requests in turn; latency at {rate:,.0f} requests/s that arrive at "
        f"random, in as many windows of {plan.paced_seconds:g} s. Ratios are those of the same round."
    )
    columns = ("way", "per second", "ratio", "per second of processor time", "p50 ms", "ratio", "p99 ms", "ratio")
    return Sheet("Through a pooler", columns, rows, note)


def _rates(bench: Bench, servers: Mapping[str, Served]) -> dict[str, list[Speed]]:
    found: dict[str, list[Speed]] = defaultdict(list)
    with ExitStack() as stack:
        documents, path = unsealed(bench.container), measure.OVER_HTTP[NAME]
        tasks = {}
        for way, server in servers.items():
            load = stack.enter_context(Load(server.address, CONNECTIONS))
            tasks[way] = measure.over_http(bench, server, load, path, documents)
        for number in range(bench.plan.rounds + 1):
            for way, task in tasks.items():
                speed = task()
                if number:
                    found[way].append(speed)
    return found


def _row(way: str, speeds: Mapping[str, list[Speed]], paced: Mapping[str, list[Paced]]) -> tuple[str, ...]:
    rates = {each: [one.rate for one in found] for each, found in speeds.items()}
    medians = {each: [one.p50.middle for one in found] for each, found in paced.items()}
    longest = {each: [one.p99.middle for one in found] for each, found in paced.items()}
    return (
        way,
        Figure.of(rates[way]).text(),
        _ratio(rates, way),
        Figure.of([one.cpu_rate for one in speeds[way]]).text(),
        Figure.of(medians[way]).text(1),
        _ratio(medians, way),
        Figure.of(longest[way]).text(1),
        _ratio(longest, way),
    )


def _ratio(figures: Mapping[str, Sequence[float]], way: str) -> str:
    return Figure.of([own / direct for own, direct in zip(figures[way], figures[DIRECT], strict=True)]).text(2)


if __name__ == "__main__":
    main()
