"""`timbra demo`: issues and validates a CFDI over HTTP, on a server that it starts."""

from __future__ import annotations

import base64
import os
import re
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from timbra.cli.framework.language import translate

if TYPE_CHECKING:
    from httpx2 import Client

    from timbra.bootstrap import Container

USER = "demo@example.com"
ISSUER = "EKU9003173C9"
SHUTDOWN_SECONDS = 30


def demo(
    data: Annotated[
        Path, typer.Option("--data", help="Folder for the data and the results of the demonstration.")
    ] = Path("demo"),
) -> None:
    """Start a server; seal, stamp and validate a CFDI 4.0 over HTTP; print the result."""
    from httpx2 import Client

    from timbra.cli.framework.services_option import open_command_container

    console = Console(stderr=True)
    with (
        console.status(translate("Preparing an account and a certificate")),
        open_command_container(data, may_create=True) as container,
    ):
        password = _set_up_account(container)
        credential = _mint_certificate(container)
        invoice = _build_invoice(container)
    with _server(data) as address, Client(base_url=address, timeout=60) as client:
        client.headers["Authorization"] = f"Bearer {_login(client, password)}"
        _response_data(client.post("/certificates/save", json=credential))
        stamp = _response_data(client.post("/cfdi33/issue/v4", files={"xml": ("invoice.xml", invoice)}))
        report = client.post("/validate/cfdi", files={"xml": ("stamped.xml", stamp["cfdi"].encode())}).json()
    _print_summary(_save(data, stamp), stamp, report)
    if report["statusSat"] != "Vigente" or _errors(report):
        raise typer.Exit(1)


def _set_up_account(container: Container) -> str:
    password = secrets.token_urlsafe(16)
    if any(account.user == USER for account in container.account_services.accounts.list_accounts()):
        container.account_services.accounts.set_password(USER, password)
    else:
        container.account_services.accounts.create(USER, password)
    return password


def _mint_certificate(container: Container) -> dict[str, object]:
    from timbra.seals.certificates.certificate import CertificateKind

    now = container.fiscal.now().replace(microsecond=0)
    taxpayer = container.sandbox_services.registry.taxpayer(ISSUER)
    name = taxpayer.name if taxpayer is not None else ISSUER
    minted = container.sandbox_services.authority_ca.mint(
        ISSUER, CertificateKind.CSD, name, now - timedelta(days=1), now + timedelta(days=1460)
    )
    return {
        "type": "stamp",
        "b64Cer": base64.b64encode(minted.certificate_der).decode(),
        "b64Key": base64.b64encode(minted.key_der).decode(),
        "password": minted.password,
        "is_active": True,
    }


def _build_invoice(container: Container) -> bytes:
    from timbra import examples
    from timbra.clock import to_central_mexico

    fecha = to_central_mexico(container.fiscal.now() - timedelta(minutes=5))
    return examples.ingreso({"@Folio": secrets.token_hex(5)}, fecha=fecha, concepts=3).encode()


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


def _login(client: Client, password: str) -> str:
    response = client.post("/v2/security/authenticate", json={"user": USER, "password": password})
    return str(_response_data(response)["token"])


def _response_data(response: Any) -> Any:
    body = response.json()
    if body["status"] != "success":
        typer.echo(f"{body['message']} {body.get('messageDetail') or ''}", err=True)
        raise typer.Exit(1)
    return body["data"]


def _save(data: Path, stamp: dict[str, str]) -> tuple[Path, Path]:
    folder = data / "stamped"
    folder.mkdir(exist_ok=True)
    xml, qr = folder / f"{stamp['uuid']}.xml", folder / f"{stamp['uuid']}.png"
    xml.write_text(stamp["cfdi"], encoding="utf-8")
    qr.write_bytes(base64.b64decode(stamp["qrCode"]))
    return xml, qr


def _errors(report: dict[str, Any]) -> list[str]:
    return [entry["message"] for section in report["detail"] for entry in section["detail"] if entry["type"] == 0]


def _print_summary(files: tuple[Path, Path], stamp: dict[str, str], report: dict[str, Any]) -> None:
    table = Table(show_header=False, title_justify="left")
    table.title = translate("A CFDI 4.0, issued and validated over HTTP")
    findings = ", ".join(_errors(report)) or translate("none")
    rows = {
        "Folio (UUID)": stamp["uuid"],
        "FechaTimbrado": stamp["fechaTimbrado"],
        translate("Status"): str(report["statusSat"]),
        translate("Errors found"): findings,
        translate("Stamped XML"): str(files[0]),
        "QR": str(files[1]),
    }
    for name, value in rows.items():
        table.add_row(name, value)
    console = Console(width=max(100, *(len(value) + 24 for value in rows.values())))
    console.print(table)
    console.print(translate("Sandbox: this stamp has no fiscal effect (sin validez fiscal)."))
