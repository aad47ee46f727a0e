"""`timbra dev`: a sandbox server for development and CI, with everything that the first invoice needs."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from errno import EADDRINUSE
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from timbra.cli.development.panel import RunningServer, print_server
from timbra.cli.development.preparation import (
    EFIRMAS,
    fail,
    failures_as_sentences,
    load_seed_option,
    prepare,
    system_reason,
)
from timbra.cli.development.vendor_hosts import hosts_line
from timbra.cli.serve import run_worker
from timbra.console.command import Command, Panel
from timbra.console.data_folder import keep_files_private
from timbra.console.language import translate
from timbra.console.services_option import check_setting_names
from timbra.pools.garbage_collection import tune_garbage_collector

if TYPE_CHECKING:
    import socket

    from timbra.cli.development.local_ca import LocalCa
    from timbra.container import Container
    from timbra.settings import Settings
    from timbra.web.server.companions import Companion

EXIT_TERMINATED = 128 + signal.SIGTERM


def dev(
    data: Annotated[
        Path | None,
        typer.Option("--data", help="Folder of all state; without it, a temporary folder that is removed at the end."),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8080,
    seed: Annotated[
        Path | None,
        typer.Option("--seed", help="YAML file with accounts, taxpayers, CSDs, faults and the clock."),
    ] = None,
    https: Annotated[bool, typer.Option("--https", help="Serve HTTPS with a local CA in the data folder.")] = False,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Simulate faults that clients must survive; TIMBRA_STRICT_... set them."),
    ] = False,
    stop_with_stdin: Annotated[
        bool,
        typer.Option(
            "--stop-with-stdin",
            help="Stop when standard input ends, so that the server never outlives the program that started it.",
        ),
    ] = False,
    month: Annotated[
        str,
        typer.Option(
            "--month",
            help="Stamp an example month, such as 2026-10, which EKU9003173C9 issued and received; write its e.firma.",
        ),
    ] = "",
    hosts: Annotated[
        bool, typer.Option("--hosts", help="Print the line of the hosts file for the vendor's test hosts, and exit.")
    ] = False,
) -> None:
    """Serve a sandbox that is ready to use: account, token and CSDs of the SAT's test taxpayers.

    Prints the URLs, the credentials, a command that issues an example invoice, and a one-time link to the portal.

    The emulator of the SAT runs beside it; the bulk download has the documents of the sandbox.

    TIMBRA_DEV_USER, TIMBRA_DEV_PASSWORD and TIMBRA_DEV_TOKEN set the credentials of the account.
    """
    if hosts:
        typer.echo(hosts_line(host))
        return
    if stop_with_stdin:
        threading.Thread(target=_stop_at_end_of_input, daemon=True).start()
    tune_garbage_collector()
    from timbra.cli.development.variables import read_credentials
    from timbra.web.server.companions import open_companions

    credentials = read_credentials(os.environ)
    entries = load_seed_option(seed)
    with _data_folder(data) as folder, _listener(host, port) as listener:
        companions = open_companions(host, any_port=port == 0)
        settings = _settings(folder, companions, temporary=data is None, strict=strict)
        keep_files_private(folder)
        with failures_as_sentences(folder, seed):
            prepared = prepare(settings, entries, credentials, month)
            ca = _open_ca(folder) if https else None
            tls = ca.issue(host) if ca else None
        ca_file = ca.path if ca else None
        server = RunningServer(
            host, listener.getsockname()[1], folder.resolve(), data is None, ca_file, prepared.shifted
        )
        account = replace(prepared.account, token=credentials.token or prepared.account.token)
        further = {name: value for companion in companions for name, value in companion.values.items()}
        if prepared.month is not None:
            further |= {"month": prepared.month, "efirma": str(folder.resolve() / EFIRMAS)}
        on_ready = partial(print_server, server, account, further, terminal=sys.stdout.isatty())
        on_open = partial(_open, account.token, prepared.account.token, companions)
        run_worker(settings, None, listener, on_ready, tls=tls, delivers=True, on_open=on_open)


@contextmanager
def _data_folder(data: Path | None) -> Iterator[Path]:
    """Yield the folder of the option `--data`, or a temporary one, which SIGTERM removes too."""
    if data is not None:
        yield data
        return
    from tempfile import TemporaryDirectory

    # While the server runs, its event loop handles the signal.
    signal.signal(signal.SIGTERM, _terminate)
    with TemporaryDirectory(prefix="timbra-dev-") as folder:
        yield Path(folder)


def _open(chosen: str, created: str, companions: Sequence[Companion], container: Container) -> None:
    """Start the companions, and let the server accept the token of TIMBRA_DEV_TOKEN for the token that it created."""
    for companion in companions:
        companion.start(container)
    if chosen != created:
        from timbra.accounts.build import account_services

        container.get(account_services).accounts.add_token_alias(chosen, created)


def _stop_at_end_of_input() -> None:
    """Read standard input until it ends, then stop this process as SIGTERM does."""
    # Unbuffered: a thread inside a buffered read would abort the interpreter at its end.
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _terminate(_number: int, _frame: object) -> NoReturn:
    raise SystemExit(EXIT_TERMINATED)


def _settings(folder: Path, companions: Sequence[Companion] = (), *, temporary: bool, strict: bool = False) -> Settings:
    """Load the settings for a data folder; rejected documents are kept, and temporary data need SQLite in the folder.

    Addresses of companions are settings, unless the environment sets others.

    Raises:
        typer.Exit: With code 1, after one sentence, in production.
    """
    from timbra.settings import load_settings
    from timbra.web.server import log_output

    database = {"database_url": ""} if temporary else {}
    chosen = {"strict": True} if strict else {}
    settings = load_settings(data=folder, rejection_documents=True, **database, **chosen)
    addresses = {
        name: value
        for companion in companions
        for name, value in companion.settings.items()
        if name in type(settings).model_fields and name not in settings.model_fields_set
    }
    if addresses:
        settings = settings.model_copy(update=addresses)
    if settings.environment != "sandbox":
        sentence = translate("`timbra dev` works in the sandbox only, and TIMBRA_ENVIRONMENT is {environment}.")
        fail(sentence.format(environment=settings.environment))
    check_setting_names(settings)
    log_output.configure(settings.log_level, settings.log_format, settings.node)
    return settings


def _listener(host: str, port: int) -> socket.socket:
    from timbra.web.server import worker

    try:
        return worker.listen(host, port)
    except OSError as error:
        advice = translate("; choose another port with --port") if error.errno == EADDRINUSE else ""
        sentence = translate("Cannot listen on {host}:{port}: {reason}{advice}.")
        fail(sentence.format(host=host, port=port, reason=system_reason(error), advice=advice))


def _open_ca(folder: Path) -> LocalCa:
    from timbra.cli.development.local_ca import FOLDER, LocalCa

    try:
        return LocalCa(folder)
    except ValueError:
        fail(translate("The local CA in {folder} is damaged; delete that folder.").format(folder=folder / FOLDER))


COMMANDS = (Command("dev", dev, Panel.START_HERE, 10),)
