"""A server process on loopback over a data folder, started and stopped by the test that needs it."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import IO

from httpx2 import Client, Response
from tests.support.answer_schemas import assert_answer_matches
from tests.support.cached_keys import holder_key
from tests.support.databases import prepare_sqlite
from tests.support.forked_program import Program, start
from tests.support.sealing import sealed

from timbra import examples
from timbra.accounts.build import account_services
from timbra.accounts.certificates import certificate_services
from timbra.app.composition import Container, open_container
from timbra.container.build import fiscal_clock
from timbra.core.clock import to_central_mexico
from timbra.examples.retenciones20 import pagos_a_extranjeros
from timbra.sandbox.authority.certificates.authority import MintedCredential
from timbra.sandbox.build import sandbox_services
from timbra.seals.certificates.certificate import CertificateKind
from timbra.settings import Settings

USER = "ana@example.com"
PASSWORD = "una contraseña larga"
AGE = timedelta(minutes=5)
"""Age of an invoice."""


@dataclass(frozen=True)
class Server:
    """A running server and what a client needs to talk to it."""

    address: str
    data: Path
    process: Program
    token: str

    def client(self) -> Client:
        """A client with the account's token; each JSON answer must match the OpenAPI schema of its operation."""
        return Client(
            base_url=self.address,
            timeout=30,
            headers={"Authorization": f"Bearer {self.token}"},
            event_hooks={"response": [_check_schema]},
        )


def _check_schema(response: Response) -> None:
    if response.headers.get("content-type", "").startswith("application/json"):
        response.read()
        request = response.request
        assert_answer_matches(request.method, request.url.path, response.status_code, response.json())


def seed(data: Path, **settings: object) -> str:
    """Create an account with a CSD of the example issuer and return an infinite token."""
    if not settings.get("database_url"):
        prepare_sqlite(data)
    with open_container(Settings(data=data, **settings)) as container:  # type: ignore[arg-type]
        account = container.get(account_services).accounts.create(USER, PASSWORD, "administrator")
        with holder_key(0):
            credential = _mint(container)
        container.get(certificate_services).vault.save(
            account.account_id, credential.certificate_der, credential.key_der, credential.password
        )
        return container.get(account_services).accounts.create_infinite_token(USER)


def minted(data: Path, kind: CertificateKind = CertificateKind.CSD) -> MintedCredential:
    """Mint a CSD of the example issuer for a client that seals; a server of this data folder reads it at once."""
    with open_container(Settings(data=data)) as container:
        return _mint(container, kind)


def _mint(container: Container, kind: CertificateKind = CertificateKind.CSD) -> MintedCredential:
    now = container.get(fiscal_clock).now().replace(microsecond=0)
    issued, ends = now - timedelta(days=30), now + timedelta(days=1400)
    return container.get(sandbox_services).authority_ca.mint(
        examples.KEMPER.rfc, kind, examples.KEMPER.name, issued, ends
    )


def invoice(data: Path, folio: str = "1", age: timedelta = AGE, **settings: object) -> bytes:
    """Return an unsealed invoice that can be issued now."""
    with open_container(Settings(data=data, **settings)) as container:  # type: ignore[arg-type]
        return _invoice(container, folio, age).encode()


def retencion(data: Path, folio: str = "1") -> bytes:
    """Return an unsealed retención that can be issued now."""
    with open_container(Settings(data=data)) as container:
        fecha = to_central_mexico(container.get(fiscal_clock).now() - AGE)
        return examples.retencion({"@FolioInt": folio}, fecha=fecha).encode()


def foreign_retencion(data: Path, folio: str = "1") -> bytes:
    """Return an unsealed retención to a receiver who resides abroad that can be issued now."""
    with open_container(Settings(data=data)) as container:
        fecha = to_central_mexico(container.get(fiscal_clock).now() - AGE)
        return pagos_a_extranjeros({"@FolioInt": folio}, fecha=fecha).encode()


def sealed_invoice(data: Path, credential: MintedCredential, folio: str = "1") -> bytes:
    """Return an invoice with the issuer's seal that can be stamped now."""
    with open_container(Settings(data=data)) as container:
        return sealed(container, _invoice(container, folio), credential)


def _invoice(container: Container, folio: str, age: timedelta = AGE) -> str:
    fecha = to_central_mexico(container.get(fiscal_clock).now() - age)
    return examples.ingreso({"@Folio": folio}, fecha=fecha)


@contextmanager
def running(
    data: Path,
    *,
    token: str = "",
    host: str = "127.0.0.1",
    port: int = 0,
    workers: int | None = 1,
    environment: Mapping[str, str] | None = None,
    program: str = "tests.support.guarded",
    log: IO[bytes] | None = None,
    fresh: bool = False,
) -> Iterator[Server]:
    """Starts `timbra serve`, waits for its address, and ends it with SIGTERM.

    workers: None for the default. program: what stands for `timbra`. fresh: as of `start`.
    """
    arguments = ["serve", "--host", host, "--port", str(port), "--data", str(data)]
    arguments += [] if workers is None else ["--workers", str(workers)]
    variables = {**os.environ, "TIMBRA_LOG_LEVEL": "warning", **(environment or {})}
    with start(program, *arguments, environment=variables, stdout=subprocess.PIPE, stderr=log, fresh=fresh) as process:
        try:
            yield Server(_address(process), data, process, token)
        finally:
            process.terminate()
            process.wait(30)


def _address(process: Program) -> str:
    for line in process.stdout or ():
        if found := re.search(r"http://[0-9.]+:[0-9]+", line):
            return found[0]
    raise RuntimeError(f"the server ended with exit code {process.wait()} before it listened")
