"""`timbra demo`: issues and validates CFDI of several kinds over HTTP, on a server that it starts."""

from __future__ import annotations

import base64
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from timbra.cli.development.preparation import failures_as_sentences, prepare
from timbra.console.command import Command, Panel
from timbra.console.language import translate

if TYPE_CHECKING:
    from httpx2 import Client

AGE = timedelta(minutes=5)
SHUTDOWN_SECONDS = 30
IN_FORCE = "Vigente"
HEADINGS = ("Kind", "Folio (UUID)", "FechaTimbrado", "Status", "Errors found")
TITLE = "CFDI 4.0, issued and validated over HTTP"
DISCLAIMER = "Sandbox: these stamps have no fiscal effect (sin validez fiscal)."
NEXT_STEP = "To look at them in the portal: timbra dev --data {folder}"


@dataclass(frozen=True, slots=True)
class IssuedInvoice:
    """An issued invoice.

    Attributes:
        kind: its kind, for the table.
        stamp: `data` of the response of version 4.
        status: status at the simulated authority.
        errors: messages of the validation.
    """

    kind: str
    stamp: dict[str, str]
    status: str
    errors: Sequence[str]

    @property
    def uuid(self) -> str:
        """Folio fiscal."""
        return self.stamp["uuid"]


def demo(
    data: Annotated[
        Path, typer.Option("--data", help="Folder for the data and the results of the demonstration.")
    ] = Path("demo"),
) -> None:
    """Start a server; seal, stamp, validate and print CFDI 4.0 of several kinds over HTTP; print the result."""
    from httpx2 import Client
    from rich.console import Console

    from timbra.console.services_option import command_settings
    from timbra.core.clock import to_central_mexico
    from timbra.sandbox.seeding.seed_file import Seed

    status = Console(stderr=True).status(translate("Preparing an account and certificates"))
    with status, failures_as_sentences(data):
        prepared = prepare(command_settings(data), Seed())
    account, fecha = prepared.account, to_central_mexico(prepared.fiscal_now - AGE)
    with _server(data) as address, Client(base_url=address, timeout=60) as client:
        client.headers["Authorization"] = f"Bearer {account.token}"
        invoices = _issue_all(client, fecha)
        with failures_as_sentences(data):
            for invoice in invoices:
                _save(data / "stamped", invoice.stamp, _pdf(client, invoice.stamp["cfdi"]))
    _print_summary(data, invoices)
    if any(invoice.status != IN_FORCE or invoice.errors for invoice in invoices):
        raise typer.Exit(1)


def _issue_all(client: Client, fecha: str) -> list[IssuedInvoice]:
    """Issue an invoice, its payment, a credit note, a payroll receipt and a transfer of goods."""
    from timbra import examples

    credit = examples.ingreso({**_folio(), "@MetodoPago": "PPD", "@FormaPago": "99"}, fecha=fecha)
    invoice = _issue(client, "Ingreso", credit)
    others = {
        "Pago": examples.pago(_folio(), fecha=fecha, related=invoice.uuid),
        "Egreso": examples.egreso(_folio(), fecha=fecha, related=invoice.uuid),
        "Nómina": examples.nomina(_folio(), fecha=fecha),
        "Carta Porte": examples.carta_porte(_folio(), fecha=fecha),
    }
    return [invoice, *(_issue(client, kind, text) for kind, text in others.items())]


def _folio() -> dict[str, str]:
    import secrets

    return {"@Folio": secrets.token_hex(5)}


def _issue(client: Client, kind: str, text: str) -> IssuedInvoice:
    stamp = _response_data(client.post("/cfdi33/issue/v4", files={"xml": ("invoice.xml", text.encode())}))
    report = client.post("/validate/cfdi", files={"xml": ("stamped.xml", stamp["cfdi"].encode())}).json()
    return IssuedInvoice(kind, stamp, str(report["statusSat"]), _errors(report))


def _pdf(client: Client, cfdi: str) -> bytes:
    printed = _response_data(client.post("/pdf/v1/api/GeneratePdf", json={"xmlContent": cfdi}))
    return base64.b64decode(printed["contentB64"])


@contextmanager
def _server(data: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "timbra.cli", "serve", "--host", "127.0.0.1", "--port", "0", "--data", str(data)]
    command += ["--workers", "1"]
    environment = {**os.environ, "TIMBRA_LOG_LEVEL": "warning"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:  # noqa: S603
        try:
            yield _address(server)
        finally:
            server.terminate()
            server.wait(SHUTDOWN_SECONDS)


def _address(server: subprocess.Popen[str]) -> str:
    for line in server.stdout or ():
        match = re.search(r"http://[0-9.:]+", line)
        if match:
            return match[0]
    raise typer.Exit(server.wait() or 1)


def _response_data(response: Any) -> Any:
    body = response.json()
    if body["status"] != "success":
        typer.echo(f"{body['message']} {body.get('messageDetail') or ''}", err=True)
        raise typer.Exit(1)
    return body["data"]


def _save(folder: Path, stamp: dict[str, str], pdf: bytes) -> None:
    folder.mkdir(exist_ok=True)
    (folder / f"{stamp['uuid']}.xml").write_text(stamp["cfdi"], encoding="utf-8")
    (folder / f"{stamp['uuid']}.png").write_bytes(base64.b64decode(stamp["qrCode"]))
    (folder / f"{stamp['uuid']}.pdf").write_bytes(pdf)


def _errors(report: dict[str, Any]) -> list[str]:
    return [entry["message"] for section in report["detail"] for entry in section["detail"] if entry["type"] == 0]


def _print_summary(data: Path, invoices: Sequence[IssuedInvoice]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=translate(TITLE), title_justify="left")
    for heading in HEADINGS:
        table.add_column(translate(heading), no_wrap=True)
    for invoice in invoices:
        errors = ", ".join(invoice.errors) or translate("none")
        table.add_row(invoice.kind, invoice.uuid, invoice.stamp["fechaTimbrado"], invoice.status, errors)
    Console(width=max(110, *(len(", ".join(invoice.errors)) + 100 for invoice in invoices))).print(table)
    typer.echo(translate("XML, QR and PDF of each: {folder}").format(folder=data / "stamped"))
    typer.echo(translate(DISCLAIMER))
    typer.echo(translate(NEXT_STEP).format(folder=data))


COMMANDS = (Command("demo", demo, Panel.START_HERE, 20),)
