"""`timbra sat-emulator`: the SAT's services for providers, over the sandbox of a data folder."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.app.command_container import open_command_container
from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.services_option import DataOption

if TYPE_CHECKING:
    from timbra.emulator.build import RunningEmulator


def sat_emulator(
    host: Annotated[
        str, typer.Option(help="Address of the services. The control endpoints listen on 127.0.0.1 only.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the services; 0 takes a free one.")] = 8090,
    control_port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the control endpoints; 0 takes a free one.")
    ] = 8091,
    provider: Annotated[
        list[str] | None,
        typer.Option(help="RFC of a provider (PAC) to register, besides that of the sandbox; repeat the option."),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="File with options and scripted faults, JSON or YAML; read again when changed.")
    ] = None,
    https: Annotated[
        bool,
        typer.Option("--https", help="Serve HTTPS, with a local CA in the data folder and the SAT's host names."),
    ] = False,
    data: DataOption = None,
) -> None:
    """Serve the SAT's services for providers until SIGTERM; prints the addresses once they accept requests."""
    from timbra.cli.development.local_ca import LocalCa
    from timbra.container.build import data_folder
    from timbra.emulator.build import EmulatorAddress, build_emulator, run_emulator
    from timbra.emulator.bulk.contract import HOSTS
    from timbra.web.server import log_output

    with open_command_container(data, may_create=True) as container:
        log_output.configure(container.settings.log_level, container.settings.log_format)
        emulator = build_emulator(container, config, provider or ())
        ca = LocalCa(container.get(data_folder)) if https else None
        tls = None if ca is None else ca.issue(host, HOSTS, "sat-emulator")
        address = EmulatorAddress(host, port, control_port, tls)
        run_emulator(container, emulator, address, partial(_print_addresses, None if ca is None else ca.path))


def _print_addresses(ca: Path | None, running: RunningEmulator) -> None:
    typer.echo(translate("SAT emulator listening on {address}").format(address=running.address))
    typer.echo(translate("Control endpoints on {address}").format(address=running.control_address))
    if ca is not None:
        typer.echo(translate("CA certificate to trust: {path}").format(path=ca))
    for rfc, folder in running.providers:
        typer.echo(
            translate("Provider {rfc}: certificate, key and password in {folder}").format(rfc=rfc, folder=folder)
        )


COMMANDS = (Command("sat-emulator", sat_emulator, Panel.SANDBOX, 20),)
