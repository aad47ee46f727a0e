"""`python -m bench.bulk_sync`: a download from the emulated SAT, by processes that are killed, through faults.

Reports documents that are lost, questions that were asked twice, and the memory of the processes.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import uuid4

from bench.fixtures import USER, Prepared, prepare, unsealed
from httpx2 import Client, TransportError
from rich.console import Console
from rich.table import Table
from sqlalchemy import func, insert, select

from timbra import examples
from timbra.accounts.build import account_services
from timbra.accounts.certificates import efirma_vault
from timbra.app.composition import Container, open_container
from timbra.cfdi.build import document_parser
from timbra.cfdi.byte_splice import set_root_attributes
from timbra.core.clock import CENTRAL_MEXICO
from timbra.core.retry import Backoff
from timbra.database.build import opened_database
from timbra.database.codec import decode, encode
from timbra.database.tables.audit import AUDIT_EVENT
from timbra.database.tables.stamps import STAMP
from timbra.emulator.bulk.tables import DOWNLOAD_REQUEST
from timbra.received.documents.tables import RECEIVED_DOCUMENT, RECEIVED_XML
from timbra.received.synchronization.build import request_work, sync_runner, sync_service
from timbra.received.synchronization.calls import Pacing
from timbra.sandbox.authority.build import sandbox_ledger
from timbra.sandbox.build import sandbox_services
from timbra.sandbox.minting import MintRequest
from timbra.sandbox.store.tables import SANDBOX_DOCUMENT
from timbra.seals.seal import seal
from timbra.settings import Settings
from timbra.stamping.build import stamping_services
from timbra.stamping.models import StampRequest

RFC = examples.ROBOTICA.rfc
DAYS = 28
FECHA = "%Y-%m-%dT%H:%M:%S"
PART = 1_000
QUICK = Pacing(Backoff(0.5, 2), Backoff(0.2, 2))
LEASE_SECONDS = 3.0
SERVICES = ("authentication", "request", "verification", "package")
OF_EVERY_SERVICE = ("status", "connection-reset", "truncated", "answer-lost", "html")
OF_SERVICE: Mapping[str, Sequence[Mapping[str, object]]] = {
    "request": (
        *({"fault": "code", "code": code} for code in ("404", "5002", "5005")),
        *({"fault": "state", "state": state} for state in (4, 6)),
    ),
    "package": ({"fault": "empty-package"}, {"fault": "truncated-package"}, {"fault": "broken-zip"}),
}
"""Faults of a service besides `OF_EVERY_SERVICE`."""
SCRIPTED_CALLS = 100
"""Calls of each service that have faults by chance; of packages, four for each: metadata and XML, and again."""


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """Options of a run.

    Attributes:
        kills: Processes that are killed, each after `pause` seconds of work on average.
        fault_share: Share of the calls that have a fault.
        package: Documents of a package.
    """

    documents: int = 10_000
    kills: int = 10
    pause: float = 15
    fault_share: float = 0.2
    package: int = 2_000
    seed: int = 1


@dataclass(frozen=True, slots=True)
class SyncResult:
    """What a run had.

    Attributes:
        lost: Documents without XML at the end.
        twice: Rows beyond the documents.
        equal_requests: Questions that were asked before.
        downloads: Calls for packages.
        faults: Calls with a fault; `package_faults`: those for packages.
        memory: Largest resident memory of the processes in each quarter of the run, in MiB.
    """

    lost: int
    twice: int
    requests: int
    equal_requests: int
    downloads: int
    kills: int
    faults: int
    package_faults: int
    seconds: float
    memory: tuple[int, ...]


def seed(data: Path, count: int) -> tuple[bytes, bytes, str]:
    """Fill the ledger with copies of a stamped invoice of other hours and folios; return an e.firma of the receiver."""
    prepared = prepare(data)
    with open_container(Settings(data=data)) as container:
        now = datetime.now(CENTRAL_MEXICO)
        # Of today, which is not downloaded.
        xml = re.sub(rb'(?<= Fecha=")[^"]*', now.strftime(FECHA).encode(), next(unsealed(container)), count=1)
        order = StampRequest(prepared.caller, xml, "bench")
        asyncio.run(container.get(stamping_services).stamping.issue(order))
        database = container.get(opened_database)
        container.get(sandbox_ledger).synchronize()
        with database.read() as connection:
            stamp = dict(connection.execute(select(STAMP)).one()._mapping)
            document = dict(connection.execute(select(SANDBOX_DOCUMENT)).one()._mapping)
        today = now.replace(hour=0, minute=0, second=0, microsecond=0)
        hours = [today - timedelta(hours=hour) for hour in range(1, 24 * DAYS + 1)]
        originals = [_issued_at(container, prepared, decode(stamp["cfdi"]), at) for at in hours]
        places = iter(range(1, count + 1))
        while part := list(islice(places, PART)):
            stamps, documents = [], []
            for place in part:
                at, original, uuid = hours[place % len(hours)], originals[place % len(hours)], str(uuid4())
                copied = original.replace(stamp["uuid"].upper().encode(), uuid.upper().encode())
                copied = copied.replace(stamp["uuid"].encode(), uuid.encode())
                own = {"uuid": uuid, "fecha": at.strftime(FECHA), "stamped_at": at, "cfdi": encode(copied)}
                number = {"seal_hash": os.urandom(32), "cursor": stamp["cursor"] + place}
                stamps.append({**stamp, **own, **number})
                documents.append({**document, "uuid": uuid, "issued_at": at})
            with database.write() as connection:
                connection.execute(insert(STAMP), stamps)
                connection.execute(insert(SANDBOX_DOCUMENT), documents)
        minted = container.get(sandbox_services).certificates.mint(MintRequest(RFC, "efirma"))
        return minted.certificate_der, minted.key_der, minted.password


def _issued_at(container: Container, prepared: Prepared, xml: bytes, at: datetime) -> bytes:
    """Return an invoice of another time, sealed by its issuer; the seal of its stamp is not made again."""
    document = container.get(document_parser).parse(xml)
    written, sello = (str(document.root.get(name)) for name in ("Fecha", "Sello"))
    document = set_root_attributes(document, {"Fecha": at.strftime(FECHA)})
    cadena = container.get(stamping_services).checks.cadena.build(document.root, document.version)
    renewed = document.source.replace(written.encode(), at.strftime(FECHA).encode())
    return renewed.replace(sello.encode(), seal(prepared.signer, cadena).encode())


@contextmanager
def emulated(data: Path, package_documents: int) -> Iterator[tuple[str, str]]:
    """Run the emulator; yield the addresses of its services and of its control."""
    ports = [str(port) for port in _free_ports(2)]
    command = [str(Path(sys.executable).with_name("timbra")), "sat-emulator", "--data", str(data)]
    command += ["--port", ports[0], "--control-port", ports[1]]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        base, control = (f"http://127.0.0.1:{port}" for port in ports)
        with Client() as client:
            for _ in range(600):
                try:
                    options = {"bulk_download": {"package_documents": package_documents}}
                    client.patch(f"{control}/options", json=options).raise_for_status()
                    break
                except TransportError:
                    time.sleep(0.1)
            else:
                raise SystemExit("the emulator did not start")
        yield base, control
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def script(control: str, options: SyncOptions, random_state: random.Random) -> Counter[str]:
    """Script faults of random calls; return their number by service."""
    scripted: Counter[str] = Counter()
    with Client() as client:
        for service in SERVICES:
            rules = [*({"fault": fault} for fault in OF_EVERY_SERVICE), *OF_SERVICE.get(service, ())]
            packages = 4 * options.documents // options.package
            for place in range(packages if service == "package" else SCRIPTED_CALLS):
                if random_state.random() < options.fault_share:
                    scripted[service] += 1
                    rule = {**random_state.choice(rules), "service": f"download-{service}", "times": 1, "skip": place}
                    client.post(f"{control}/faults", json=rule).raise_for_status()
    return scripted


def left_faults(control: str) -> Counter[str]:
    """Return the number of faults that no call had, by service."""
    with Client() as client:
        left = client.get(f"{control}/faults").raise_for_status().json()
    return Counter(rule["service"].removeprefix("download-") for rule in left)


def addresses(base: str) -> dict[str, Any]:
    """Return the settings of an emulator's services."""
    path = f"{base}/descarga-masiva/cfdi"
    return {
        "sat_bulk_authentication_url": f"{path}/Autenticacion/Autenticacion.svc",
        "sat_bulk_request_url": f"{path}/SolicitaDescargaService.svc",
        "sat_bulk_verification_url": f"{path}/VerificaSolicitudDescargaService.svc",
        "sat_bulk_download_url": f"{path}/DescargaMasivaService.svc",
    }


def work(data: Path) -> None:
    """Download until nothing is open; the process that is killed."""
    with open_container(Settings(data=data)) as container:
        owner = container.get(account_services).accounts.find(USER).account_id
        container.get(request_work).calls.pacing = QUICK
        runner = replace(container.get(sync_runner), lease_seconds=LEASE_SECONDS)
        print("ready", flush=True)
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # further lines are not read
        while True:
            due = runner.run(owner, RFC)
            reports = container.get(sync_service).reports(owner)
            if all(report.is_complete and report.sync.planned_until for report in reports):
                return
            if due is not None:
                time.sleep(min(max((due - container.wall.now()).total_seconds(), 0.05), 2))


def resident(process: int) -> int:
    """Return the resident memory of a process in MiB; 0 after its end."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS"))


def run_killed(data: Path, base: str, kills: int, pause: float, random_state: random.Random) -> tuple[int, list[int]]:
    """Run processes until one ends by itself; return the number of kills and the memory at its samples."""
    command, killed, samples = [sys.executable, "-m", "bench.bulk_sync", "--work", str(data)], 0, []
    environment = os.environ | {f"TIMBRA_{name.upper()}": address for name, address in addresses(base).items()}
    while True:
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)
        if process.stdout is not None:
            process.stdout.readline()
        end = time.monotonic() + pause * (0.5 + random_state.random())
        while process.poll() is None:
            time.sleep(0.25)
            samples.append(resident(process.pid))
            if killed < kills and time.monotonic() > end:
                process.kill()
                process.wait()
                killed += 1
                break
        else:
            if process.returncode != 0:
                raise SystemExit(f"a process ended with {process.returncode}")
            return killed, samples


def measure(folder: Path, options: SyncOptions) -> SyncResult:
    """Run a download in a folder."""
    random_state = random.Random(options.seed)
    sat, client = folder / "sat", folder / "client"
    efirma = seed(sat, options.documents)
    prepare(client)
    with emulated(sat, options.package) as (base, control):
        with open_container(Settings(data=client, **addresses(base))) as container:
            owner = container.get(account_services).accounts.find(USER).account_id
            container.get(efirma_vault).save(owner, *efirma)
            since = (datetime.now(CENTRAL_MEXICO) - timedelta(days=DAYS + 2)).date()
            container.get(sync_service).start(owner, RFC, since, ("received",), ("cfdi",))
        faults = script(control, options, random_state)
        begun = time.monotonic()
        killed, samples = run_killed(client, base, options.kills, options.pause, random_state)
        seconds = time.monotonic() - begun
        faults -= left_faults(control)
    with open_container(Settings(data=client)) as container, container.get(opened_database).read() as connection:
        rows = connection.execute(select(func.count()).select_from(RECEIVED_DOCUMENT)).scalar_one()
        xml = connection.execute(select(func.count()).select_from(RECEIVED_XML)).scalar_one()
        of_downloads = select(func.count()).where(AUDIT_EVENT.c.kind == "received.downloaded")
        downloads = connection.execute(of_downloads).scalar_one()
    questions = (
        select(func.count())
        .select_from(DOWNLOAD_REQUEST)
        .group_by(DOWNLOAD_REQUEST.c.rfc, DOWNLOAD_REQUEST.c.register, DOWNLOAD_REQUEST.c.question)
    )
    with open_container(Settings(data=sat)) as container, container.get(opened_database).read() as connection:
        counts = list(connection.execute(questions).scalars())
    quarter = -(-len(samples) // 4)
    memory = tuple(max(samples[start : start + quarter]) for start in range(0, len(samples), quarter))
    return SyncResult(
        options.documents - xml,
        rows - options.documents,
        sum(counts),
        sum(count - 1 for count in counts),
        downloads,
        killed,
        faults.total(),
        faults["package"],
        seconds,
        memory,
    )


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.bulk_sync", description=(__doc__ or "").splitlines()[0])
    default = SyncOptions()
    parser.add_argument("--documents", type=int, default=default.documents)
    parser.add_argument("--kills", type=int, default=default.kills)
    parser.add_argument("--pause", type=float, default=default.pause, help="seconds between kills, on average")
    parser.add_argument("--fault-share", type=float, default=default.fault_share, help="share of calls with a fault")
    parser.add_argument("--package", type=int, default=default.package, help="documents of a package")
    parser.add_argument("--seed", type=int, default=default.seed)
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    chosen = vars(parser.parse_args())
    data = chosen.pop("work")
    if data is not None:
        work(data)
        return
    options = SyncOptions(**chosen)
    with tempfile.TemporaryDirectory(prefix="timbra-bench-") as folder:
        result = measure(Path(folder), options)
    table = Table("documents", "lost", "twice", "requests", "equal", "downloads", "kills", "faults", "s", "MiB")
    faults = f"{result.faults}, {result.package_faults} of packages"
    values = (options.documents, result.lost, result.twice, result.requests, result.equal_requests, result.downloads)
    memory = " ".join(map(str, result.memory))
    table.add_row(*map(str, (*values, result.kills, faults, round(result.seconds), memory)))
    Console(width=160).print(table)


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


if __name__ == "__main__":
    main()
