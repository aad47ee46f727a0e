"""`timbra demo`: the whole circle over HTTP, on a server of its own."""

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

if TYPE_CHECKING:
    from httpx2 import Client

    from timbra.wiring import House

USER = "demo@example.com"
ISSUER = "EKU9003173C9"
START_SECONDS = 30


def demo(
    data: Annotated[Path, typer.Option("--data", help="Folder of the demonstration's state and results.")] = Path(
        "demo"
    ),
) -> None:
    """Start a server, have a real CFDI 4.0 sealed, stamped and validated over HTTP, and show what happened."""
    from httpx2 import Client

    from timbra.cli.opened import opened

    console = Console(stderr=True)
    with console.status("Preparing an account and a certificate"), opened(data) as house:
        password = _fresh_password(house)
        credential = _mint(house)
        invoice = _invoice(house)
    with _server(data) as address, Client(base_url=address, timeout=60) as client:
        client.headers["Authorization"] = f"Bearer {_login(client, password)}"
        _data(client.post("/certificates/save", json=credential))
        stamp = _data(client.post("/cfdi33/issue/v4", files={"xml": ("invoice.xml", invoice)}))
        report = client.post("/validate/cfdi", files={"xml": ("stamped.xml", stamp["cfdi"].encode())}).json()
    _show(_kept(data, stamp), stamp, report)
    if report["statusSat"] != "Vigente" or _errors(report):
        raise typer.Exit(1)


def _fresh_password(house: House) -> str:
    password = secrets.token_urlsafe(16)
    if any(account.user == USER for account in house.accounts.list_accounts()):
        house.accounts.set_password(USER, password)
    else:
        house.accounts.create(USER, password)
    return password


def _mint(house: House) -> dict[str, object]:
    from timbra.seals.certificate import Kind

    now = house.fiscal.now().replace(microsecond=0)
    taxpayer = house.registry.taxpayer(ISSUER)
    name = taxpayer.name if taxpayer is not None else ISSUER
    minted = house.authority_ca.mint(ISSUER, Kind.CSD, name, now - timedelta(days=1), now + timedelta(days=1460))
    return {
        "type": "stamp",
        "b64Cer": base64.b64encode(minted.certificate_der).decode(),
        "b64Key": base64.b64encode(minted.key_der).decode(),
        "password": minted.password,
        "is_active": True,
    }


def _invoice(house: House) -> bytes:
    from timbra import examples
    from timbra.clock import to_central_mexico

    fecha = to_central_mexico(house.fiscal.now() - timedelta(minutes=5))
    return examples.ingreso({"@Folio": secrets.token_hex(5)}, fecha=fecha, concepts=3).encode()


@contextmanager
def _server(data: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "timbra.cli", "serve", "--host", "127.0.0.1", "--port", "0", "--data", str(data)]
    environment = {**os.environ, "TIMBRA_LOG_LEVEL": "warning"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:  # noqa: S603
        try:
            yield _address(server)
        finally:
            server.terminate()
            server.wait(START_SECONDS)


def _address(server: subprocess.Popen[str]) -> str:
    for line in server.stdout or ():
        found = re.search(r"http://[0-9.:]+", line)
        if found:
            return found[0]
    raise typer.Exit(server.wait() or 1)


def _login(client: Client, password: str) -> str:
    answer = client.post("/v2/security/authenticate", json={"user": USER, "password": password})
    return str(_data(answer)["token"])


def _data(answer: Any) -> Any:
    body = answer.json()
    if body["status"] != "success":
        typer.echo(f"{body['message']} {body.get('messageDetail') or ''}", err=True)
        raise typer.Exit(1)
    return body["data"]


def _kept(data: Path, stamp: dict[str, str]) -> tuple[Path, Path]:
    folder = data / "stamped"
    folder.mkdir(exist_ok=True)
    xml, qr = folder / f"{stamp['uuid']}.xml", folder / f"{stamp['uuid']}.png"
    xml.write_text(stamp["cfdi"], encoding="utf-8")
    qr.write_bytes(base64.b64decode(stamp["qrCode"]))
    return xml, qr


def _errors(report: dict[str, Any]) -> list[str]:
    return [entry["message"] for section in report["detail"] for entry in section["detail"] if entry["type"] == 0]


def _show(files: tuple[Path, Path], stamp: dict[str, str], report: dict[str, Any]) -> None:
    table = Table(show_header=False, title="A CFDI 4.0, issued and validated over HTTP", title_justify="left")
    findings = ", ".join(_errors(report)) or "none"
    rows = {
        "Folio (UUID)": stamp["uuid"],
        "FechaTimbrado": stamp["fechaTimbrado"],
        "Status": str(report["statusSat"]),
        "Errors found": findings,
        "Stamped XML": str(files[0]),
        "QR": str(files[1]),
    }
    for name, value in rows.items():
        table.add_row(name, value)
    console = Console(width=max(100, *(len(value) + 24 for value in rows.values())))
    console.print(table)
    console.print("Sandbox: this stamp has no fiscal effect (sin validez fiscal).")
