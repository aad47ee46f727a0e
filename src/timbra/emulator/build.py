"""Construction of the emulator of the SAT's services over a sandbox."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from timbra.container import Container, sandbox_only
from timbra.container.build import data_folder
from timbra.database.build import opened_database
from timbra.emulator.emulator import Emulator
from timbra.emulator.options import EmulatorConfiguration
from timbra.emulator.registry_rows import RegistryRows
from timbra.emulator.server.application import EmulatorApplication
from timbra.emulator.server.control import EmulatorControl
from timbra.emulator.server.listener import LOOPBACK, EmulatorServer, listen
from timbra.emulator.simulated_sat import SimulatedSat
from timbra.sandbox.authority.build import (
    sandbox_authority,
    sandbox_cancellations,
    sandbox_ledger,
    sandbox_registry,
    sandbox_store,
)
from timbra.seals.ports import trust_store
from timbra.web.server.worker import TlsFiles


@dataclass(frozen=True, slots=True)
class EmulatorAddress:
    """Where the emulator listens.

    Attributes:
        host: The address of the services; the control endpoints listen on 127.0.0.1 only.
        port: The port of the services; 0 takes a free one.
        control_port: The port of the control endpoints; 0 takes a free one.
        tls: The certificate of the services; HTTP when None.
    """

    host: str
    port: int
    control_port: int
    tls: TlsFiles | None = None


@dataclass(frozen=True, slots=True)
class RunningEmulator:
    """A started emulator.

    Attributes:
        address: The base address of the services.
        control_address: The base address of the control endpoints.
        providers: The RFC of each registered provider and the folder with its credential.
        stop: Ends the emulator; any thread may call it.
    """

    address: str
    control_address: str
    providers: Sequence[tuple[str, Path]]
    stop: Callable[[], None]


def build_emulator(container: Container, configuration: Path | None, providers: Sequence[str] = ()) -> Emulator:
    """Build the emulator of a sandbox and register providers.

    Args:
        container: A sandbox.
        configuration: The file with options and faults; None for none.
        providers: RFCs of further providers. The provider of the sandbox is always registered.

    Raises:
        ServiceError: "CO1000" in another environment; "emulator-configuration"; "taxpayer-invalid".
    """
    if not container.environment.is_sandbox:
        raise sandbox_only()
    get = container.get
    sat = SimulatedSat(
        get(sandbox_ledger),
        get(sandbox_cancellations),
        get(sandbox_authority),
        get(sandbox_registry),
        get(trust_store),
        container.wall,
    )
    rows = RegistryRows(get(sandbox_store), get(sandbox_registry))
    emulator = Emulator(sat, rows, get(data_folder), EmulatorConfiguration(configuration), get(opened_database))
    for rfc in (get(sandbox_authority).provider.rfc, *providers):
        emulator.providers.register(rfc.upper())
    return emulator


def run_emulator(
    container: Container, emulator: Emulator, address: EmulatorAddress, on_ready: Callable[[RunningEmulator], None]
) -> None:
    """Serve until SIGTERM or SIGINT.

    Args:
        container: The sandbox of the emulator.
        emulator: What to serve.
        address: Where to listen.
        on_ready: Called once, when the emulator accepts connections.

    Raises:
        ServiceError: "emulator-configuration" when an address cannot be used.
    """
    services = listen(address.host, address.port)
    try:
        control = listen(LOOPBACK, address.control_port)
    except BaseException:
        services.close()
        raise
    serve_emulator(container, emulator, (services, control), on_ready, address.tls)


def serve_emulator(
    container: Container,
    emulator: Emulator,
    sockets: tuple[socket.socket, socket.socket],
    on_ready: Callable[[RunningEmulator], None],
    tls: TlsFiles | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT; in another thread than the main one, until `RunningEmulator.stop`.

    Args:
        container: The sandbox of the emulator.
        emulator: What to serve.
        sockets: Listening sockets of the services and of the control endpoints.
        on_ready: Called once, when the emulator accepts connections.
        tls: The certificate of the services; HTTP when None.
    """
    services, control = sockets

    async def serve() -> None:
        server = EmulatorServer(services, control, tls)
        providers = [(provider.rfc, provider.folder) for provider in emulator.providers.all()]
        loop = asyncio.get_running_loop()

        def stop() -> None:
            loop.call_soon_threadsafe(server.stop)

        running = RunningEmulator(server.address, server.control_address, providers, stop)
        await server.run(
            EmulatorApplication(emulator, server.pause),
            EmulatorControl(emulator, lambda: server.address, server.pause).application(),
            lambda: on_ready(running),
            container.get(opened_database).poll,
        )

    try:
        asyncio.run(serve())
    finally:
        emulator.close()
