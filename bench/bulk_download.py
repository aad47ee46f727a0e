"""`python -m bench.bulk_download`: time and memory of the emulated bulk download with many documents.

The documents are copies of one. One request asks for the XML of all, one for their metadata; the memory is the largest
resident set of the process of `timbra sat-emulator` until then.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import requests
from bench.after_commit import copied, stamped
from bench.fixtures import prepare
from rich.console import Console
from rich.table import Table

from timbra import examples
from timbra.app.composition import open_container
from timbra.core.clock import CENTRAL_MEXICO
from timbra.sandbox.authority.build import sandbox_ledger
from timbra.sandbox.build import sandbox_services
from timbra.sandbox.minting import MintRequest
from timbra.settings import Settings
from timbra.stamps.build import database_stamps

DOCUMENTS, AT_ONCE = 200_000, 256
CFDI = "/descarga-masiva/cfdi"
_ADDRESS = re.compile(r"http://[0-9.:]+")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.bulk_download", description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    chosen = parser.parse_args()
    table = Table("request", "packages", "until finished, s", "download, s", "ZIP, MB", "memory, MB")
    with tempfile.TemporaryDirectory(prefix="timbra-bench-") as folder:
        data = Path(folder) / "data"
        signer = _filled(data, chosen.documents)
        with _emulator(data) as (process, address):
            _direct(address)
            idle = _memory(process)
            for kind in ("CFDI", "Metadata"):
                table.add_row(kind, *_measured(process, signer, kind))
    table.caption = f"{chosen.documents:,} documents; {idle} MB before the first request"
    Console().print(table)


def _filled(data: Path, number: int) -> Any:
    """Store the documents; return the signer of their issuer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from satcfdi.models import Signer
    prepared = prepare(data)
    with open_container(Settings(data=data)) as container:
        pattern = asyncio.run(stamped(container, prepared))
        made = (copied(pattern) for _ in range(number))
        while batch := list(islice(made, AT_ONCE)):
            container.get(database_stamps).claim(batch)
            container.get(sandbox_ledger).indexer.index_stamps([claim.record.uuid for claim in batch])
        minted = container.get(sandbox_services).certificates.mint(MintRequest(examples.KEMPER.rfc, "efirma"))
    return Signer.load(certificate=minted.certificate_der, key=minted.key_der, password=minted.password)


@contextmanager
def _emulator(data: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-m", "timbra.cli", "sat-emulator", "--data", str(data), "--port", "0"]
    with subprocess.Popen([*command, "--control-port", "0"], stdout=subprocess.PIPE, text=True) as process:
        try:
            addresses = [_ADDRESS.findall(process.stdout.readline())[0] for _ in range(2)]  # type: ignore[union-attr]
            options = {"bulk_download": {"accepted_polls": 0, "processing_polls": 0}}
            requests.patch(f"{addresses[1]}/options", json=options, timeout=60).raise_for_status()
            yield process, addresses[0]
        finally:
            process.terminate()
            process.wait(60)


def _direct(address: str) -> None:
    """Direct the client to the emulator."""
    from satcfdi.pacs import sat

    for service in vars(sat).values():
        url = vars(service).get("soap_url") if isinstance(service, type) else None
        if url:
            service.soap_url = address + CFDI + url.partition(".mx")[2]


def _measured(process: subprocess.Popen[str], signer: Any, kind: str) -> Iterator[str]:
    from satcfdi.pacs.sat import SAT

    client, now, begun = SAT(signer=signer), datetime.now(CENTRAL_MEXICO).replace(tzinfo=None), time.perf_counter()
    period = {"fecha_inicial": now - timedelta(days=3), "fecha_final": now}
    accepted = client.recover_comprobante_emitted_request(**period, tipo_solicitud=kind)
    found: Mapping[str, Any] = client.recover_comprobante_status(accepted["IdSolicitud"])
    while found["EstadoSolicitud"] in (1, 2):
        time.sleep(1)
        found = client.recover_comprobante_status(accepted["IdSolicitud"])
    finished = time.perf_counter()
    if found["EstadoSolicitud"] != 3:
        raise RuntimeError(f"{kind}: {found}")
    size = sum(len(client.recover_comprobante_download(package)[1]) for package in found["IdsPaquetes"]) * 3 // 4
    yield str(len(found["IdsPaquetes"]))
    yield f"{finished - begun:,.0f}"
    yield f"{time.perf_counter() - finished:,.0f}"
    yield f"{size / 1e6:,.0f}"
    yield _memory(process)


def _memory(process: subprocess.Popen[str]) -> str:
    """Return the largest resident set, in MB."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return f"{int(status.partition('VmHWM:')[2].split()[0]) / 1024:,.0f}"


if __name__ == "__main__":
    main()
