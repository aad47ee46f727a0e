"""What `timbra dev` prints when it accepts requests: a panel on a terminal, tab-separated lines elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import typer

from timbra.cli.development.vendor_hosts import STANDARD_PORTS, client_address, hosts_line, is_reachable_by_others
from timbra.console.language import translate

if TYPE_CHECKING:
    from timbra.sandbox.seeding.setup import DevelopmentAccount

PAGES = {
    "api": "",
    "portal": "/portal",
    "validator": "/validador",
    "docs": "/docs/",
    "openapi": "/openapi.json",
    "metrics": "/metrics",
    "health": "/health",
}
ISSUE = "/cfdi33/issue/v4"
LABELS = {
    "api": "API",
    "portal": "Portal",
    "validator": "Validator",
    "docs": "Documentation",
    "openapi": "OpenAPI",
    "metrics": "Metrics",
    "health": "Health",
    "user": "User",
    "password": "Password",
    "rfc": "RFC with a CSD",
    "data": "Data folder",
    "ca": "CA certificate to trust",
    "sat": "SAT emulator",
    "sat-control": "SAT control",
    "month": "Example month",
    "efirma": "Its e.firma",
    "token": "Token:",
    "curl": "Issue an example invoice:",
    "link": "Sign in to the portal, once, within 15 minutes:",
}
COPIED = ("token", "curl", "link")
"""Values for the clipboard: printed below the panel without a frame, in one logical line each."""

LAST = "ready"
"""Name of the last line where standard output is no terminal."""

PORT_NOTE = "The vendor's npm SDK drops the port of a URL: start with --port {port} for it."
HOSTS_NOTE = "For clients with fixed hosts add this line to the hosts file: {line}"
CA_NOTE = "The CA is temporary like the data; --data DIR keeps it."
REACHABLE_NOTE = "Other machines may reach this address, and the password is well known."


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server that accepts requests.

    Attributes:
        host: address of the option `--host`.
        port: the actual port.
        data: the data folder.
        temporary: whether the data folder is removed at the end.
        ca: certificate of the local authority; None without HTTPS.
        shifted: whether fiscal time differs from the time of the machine.
    """

    host: str
    port: int
    data: Path
    temporary: bool
    ca: Path | None = None
    shifted: bool = False

    @property
    def scheme(self) -> str:
        """`http` or `https`."""
        return "http" if self.ca is None else "https"

    @property
    def url(self) -> str:
        """Base URL for clients on this machine."""
        address = client_address(self.host)
        return f"{self.scheme}://{f'[{address}]' if ':' in address else address}:{self.port}"


def values(
    server: RunningServer, account: DevelopmentAccount, further: Mapping[str, str] = MappingProxyType({})
) -> dict[str, str]:
    """Return what is printed, by the names of `LABELS`. `further`: Values of companions and of the example month."""
    shown = {name: f"{server.url}{path}" for name, path in PAGES.items()}
    shown |= {"user": account.user, "password": account.password, "rfc": " ".join(account.rfcs)}
    shown["data"] = str(server.data)
    if server.ca is not None:
        shown["ca"] = str(server.ca)
    shown |= further
    shown["token"] = account.token
    shown["curl"] = curl_command(server, account.token)
    shown["link"] = f"{server.url}{account.sign_in_path}"
    return shown


def curl_command(server: RunningServer, token: str) -> str:
    """Return the shell command that issues an example invoice.

    Fecha comes from the clock of the machine; where fiscal time differs, from that of the data folder.
    """
    clock = f"--data '{server.data}'" if server.shifted else "--unsealed"
    ca = f"--cacert '{server.ca}' " if server.ca else ""
    form = f"-H 'Authorization: Bearer {token}' -F 'xml=@-;filename=ingreso.xml'"
    return f"timbra example ingreso {clock} | curl -sS {ca}{form} {server.url}{ISSUE}"


def notes(server: RunningServer, *, well_known_password: bool = True) -> list[str]:
    """Return the remarks below the values.

    Args:
        server: the server.
        well_known_password: whether the password of the account is the default one.
    """
    found = []
    standard = STANDARD_PORTS[server.scheme]
    if server.port != standard:
        found.append(translate(PORT_NOTE).format(port=standard))
    if server.ca is not None:
        found.append(translate(HOSTS_NOTE).format(line=hosts_line(server.host)))
        if server.temporary:
            found.append(translate(CA_NOTE))
    if well_known_password and is_reachable_by_others(server.host):
        found.append(translate(REACHABLE_NOTE))
    return found


def print_server(
    server: RunningServer,
    account: DevelopmentAccount,
    further: Mapping[str, str] = MappingProxyType({}),
    *,
    terminal: bool,
) -> None:
    """Print the panel, or one line `name<TAB>value` for each value; the last name is `ready`.

    Args:
        server: the server.
        account: the prepared account.
        further: values of companions and of the example month.
        terminal: whether standard output is a terminal.
    """
    from timbra.sandbox.seeding.setup import PASSWORD

    shown, remarks = values(server, account, further), notes(server, well_known_password=account.password == PASSWORD)
    if terminal:
        _print_panel(shown, remarks)
        typer.echo(translate("Timbra listening on {address}").format(address=server.url))
    else:
        lines = [f"{name}\t{value}" for name, value in shown.items()] + [f"note\t{note}" for note in remarks]
        typer.echo("\n".join([*lines, f"{LAST}\t{server.url}"]))


def _print_panel(shown: dict[str, str], remarks: Sequence[str]) -> None:
    from rich.console import Console, Group
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in shown.items():
        if name in LABELS and name not in COPIED:
            grid.add_row(Text(translate(LABELS[name])), Text(value))
    console = Console()
    console.print(Panel(Group(grid, *(Text(f"\n{note}") for note in remarks)), title="timbra dev", expand=False))
    for name in COPIED:
        console.print(Text(translate(LABELS[name]), style="bold"))
        console.print(Text(shown[name]), soft_wrap=True)
        console.print()
