"""`timbra serve`: the HTTP server, with workers and a process for deliveries as children of this process."""

from __future__ import annotations

import gc
import socket
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.cli.delivery_process import run_deliveries
from timbra.cli.jobs import delivery_jobs, worker_jobs
from timbra.console.command import Command, Panel
from timbra.console.data_folder import create_data_folder, keep_files_private
from timbra.console.language import translate
from timbra.console.services_option import DataOption, check_setting_names, command_settings
from timbra.core import lean_imports
from timbra.core.cpus import usable_cpus
from timbra.core.posix import CAN_FORK, disable_core_dumps, try_lock_memory
from timbra.pools.garbage_collection import tune_garbage_collector

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp

    from timbra.container import Container
    from timbra.settings import Settings
    from timbra.web.framework.client_address import ProxyTrust
    from timbra.web.server.supervisor import ProcessMain, WorkerMain
    from timbra.web.server.worker import ConnectionLimits, TlsFiles

SWITCH_SECONDS = 0.0005
"""Time after which a thread gives way to another one that waits for the interpreter; Python's default is ten times as
long. The event loop releases the interpreter some thirty times for each stamp, and must get it back soon each time."""
MAX_WORKERS = 256
MAX_WORKERS_ON_SQLITE = 8


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8080,
    data: DataOption = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MAX_WORKERS,
            help="Number of worker processes. Default: one for each usable CPU, "
            f"at most {MAX_WORKERS_ON_SQLITE} on SQLite.",
        ),
    ] = None,
) -> None:
    """Serve HTTP until SIGTERM; prints one line with the address once the server accepts requests."""
    tune_garbage_collector()
    gc.disable()
    lean_imports.import_structlog()
    from timbra.web.server import log_output, worker

    settings = command_settings(data)
    check_setting_names(settings)
    disable_core_dumps()
    create_data_folder(settings)
    keep_files_private(settings.data)
    log_output.configure(settings.log_level, settings.log_format, settings.node)
    _require_startable(settings)
    listener = _listen(host, port)
    metrics = _metrics_listener(settings.metrics_listen)
    if metrics is not None and metrics.getsockname()[1] == listener.getsockname()[1]:
        raise typer.BadParameter(translate("TIMBRA_METRICS_LISTEN needs a port of its own"), param_hint="--port")

    def print_address() -> None:
        typer.echo(translate("Timbra listening on {address}").format(address=worker.listener_url(listener)))

    log_missing_native_code()
    count = default_workers(settings.database_url) if workers is None else workers
    if count > 1 and not CAN_FORK:
        raise typer.BadParameter(translate("this system supports one worker only"), param_hint="--workers")
    if not CAN_FORK:
        run_worker(settings, None, listener, print_address, metrics=metrics, delivers=True)
    elif not _supervise(settings, lambda: _changed_settings(data), listener, metrics, count, print_address):
        raise typer.Exit(1)


def _require_startable(settings: Settings) -> None:
    """Open the database and compare its master key before the processes fork; typer.Exit after one line when it fails.

    So it does when the settings need packages that are not installed.

    No device is used: a session of a token is not valid after `fork`.
    """
    from timbra.accounts.build import envelope_encryption
    from timbra.app.composition import open_container
    from timbra.console.services_option import rejection_line
    from timbra.core.errors import ServiceError
    from timbra.web.server.otlp import require_packages

    try:
        require_packages(settings)
        with open_container(settings) as container:
            container.get(envelope_encryption)
    except ServiceError as error:
        typer.echo(rejection_line(error), err=True)
        raise typer.Exit(1) from error


def _changed_settings(data: Path | None) -> Settings:
    """Read the settings again, for a running server. Raises ServiceError, ValueError: A server could not start."""
    from timbra.accounts.build import envelope_encryption
    from timbra.app.composition import open_container
    from timbra.web.server.otlp import require_packages

    settings = command_settings(data)
    require_packages(settings)
    with open_container(settings) as container:
        container.get(envelope_encryption)
    return settings


def _listen(host: str, port: int) -> socket.socket:
    """Open a listening socket; typer.Exit after one line on standard error when that fails."""
    from timbra.web.server import worker

    try:
        return worker.listen(host, port)
    except OSError as error:
        failure = translate("Cannot listen on {host}:{port}: {reason}")
        typer.echo(failure.format(host=host, port=port, reason=error.strerror), err=True)
        raise typer.Exit(1) from error


def _metrics_listener(address: str) -> socket.socket | None:
    """Open the listener of the setting `TIMBRA_METRICS_LISTEN`; None when it is empty."""
    if not address:
        return None
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise typer.BadParameter(translate("TIMBRA_METRICS_LISTEN must be ADDRESS:PORT"))
    return _listen(host.strip("[]"), int(port))


def log_missing_native_code() -> None:
    """Log, once for all workers, why native code does not run."""
    import structlog

    from timbra._native import STATE

    if not STATE.active:
        structlog.get_logger("timbra.serve").warning("no native code", reason=STATE.reason)


def default_workers(database_url: str) -> int:
    """Return one worker for each usable CPU.

    SQLite has one writer at a time, so that more than `MAX_WORKERS_ON_SQLITE` workers would block each other. Systems
    that cannot share the listening socket with child processes, such as Windows, run one worker.
    """
    if not CAN_FORK:
        return 1
    on_sqlite = not database_url or database_url.startswith("sqlite")
    return min(usable_cpus(), MAX_WORKERS_ON_SQLITE if on_sqlite else MAX_WORKERS)


def _supervise(
    settings: Settings,
    changed: Callable[[], Settings],
    listener: socket.socket,
    metrics: socket.socket | None,
    count: int,
    on_ready: Callable[[], None],
) -> bool:
    from tempfile import TemporaryDirectory

    import timbra.app.api_factory  # noqa: F401 - imported once, before the processes fork
    from timbra.web.server.supervisor import GRACE_SECONDS, Supervisor

    # Without the freeze, the first collection of each process would examine all objects of the imports, and so write
    # to the memory that the processes share.
    gc.freeze()
    gc.enable()

    grace = GRACE_SECONDS + settings.drain_seconds
    with TemporaryDirectory(prefix="timbra-") as shared:
        inherited = [listener, *([] if metrics is None else [metrics])]

        def mains(chosen: Settings) -> tuple[WorkerMain, ProcessMain]:
            worker = partial(run_worker, chosen, Path(shared), metrics=metrics)
            return worker, partial(run_deliveries, chosen, Path(shared), inherited)

        main, delivery = mains(settings)
        # The end of a terminal ends the server.
        reload = None if sys.stdin is not None and sys.stdin.isatty() else lambda: mains(changed())
        supervisor = Supervisor(main, listener, count, delivery=delivery, reload=reload, grace_seconds=grace)
        return supervisor.run(on_ready)


def run_worker(
    settings: Settings,
    shared: Path | None,
    listener: socket.socket,
    on_ready: Callable[[], None],
    parent_pipe: int | None = None,
    tls: TlsFiles | None = None,
    metrics: socket.socket | None = None,
    *,
    delivers: bool = False,
    on_open: Callable[[Container], None] = lambda _: None,
) -> None:
    """Run one worker in this process, with a container of its own, until a signal stops it.

    Args:
        settings: settings of the server.
        shared: folder in which the workers of a node exchange their metrics; None for a single worker.
        listener: listening socket, shared by all workers.
        on_ready: called once the worker accepts connections.
        parent_pipe: file descriptor that closes when the supervisor ends; the worker then stops.
        tls: files for HTTPS; HTTP when None.
        metrics: listening socket of the metrics, shared by all workers; None for none.
        delivers: whether this process also makes the deliveries, beside its requests; for a server of one process.
        on_open: called with the container before the worker accepts connections.
    """
    from timbra.app.api_factory import build
    from timbra.app.composition import open_container
    from timbra.app.front_controller import FrontController, page_environment
    from timbra.app.request_environment import request_environment
    from timbra.audit.build import record_settings
    from timbra.core.environments import ENVIRONMENTS
    from timbra.database.build import opened_database
    from timbra.evaluation.build import document_processes, started_document_processes
    from timbra.operations.build import operations_services
    from timbra.web.framework.client_address import PROXY_PROTOCOL, ClientAddresses
    from timbra.web.framework.metrics_listener import MetricsListener
    from timbra.web.server import worker as server
    from timbra.web.server.otlp import traced

    gc.disable()  # `freeze_objects` enables it.
    _lock_memory(settings)
    sys.setswitchinterval(SWITCH_SECONDS)
    bindings = {document_processes: started_document_processes}
    with traced(settings), open_container(settings, metrics_folder=shared, bindings=bindings) as container:
        container.bound_address = server.bound_address(listener)
        warm_up(container)
        container.get(opened_database).listen()
        record_settings(container)
        on_open(container)
        freeze_objects()
        jobs = worker_jobs(container) + (delivery_jobs(container) if delivers else [])
        start_draining = container.get(operations_services).health_checks.start_draining
        shutdown = server.Shutdown(start_draining, settings.drain_seconds, partial(_stop_features, container))
        limits = _connection_limits(settings)
        api = build(container.get(request_environment), container.groups)
        try:
            app: ASGIApp = FrontController(api, page_environment(container), container.groups)
            trust, proxies = _proxy_trust(settings), None
            if trust.header == PROXY_PROTOCOL:
                proxies = trust
            else:
                # A server that others use warns of an unknown proxy.
                app = ClientAddresses(app, trust, warns=not ENVIRONMENTS[settings.environment].is_sandbox)
            if metrics is not None:
                app = MetricsListener(app, metrics.getsockname()[1])
            further = [metrics] if metrics is not None else []
            activity = container.metrics.activity
            server.run(app, listener, on_ready, jobs, parent_pipe, shutdown, limits, tls, activity, further, proxies)
        finally:
            _flush_buffers(container)


def _proxy_trust(settings: Settings) -> ProxyTrust:
    from timbra.web.framework.client_address import ProxyTrust, parse_networks

    networks = parse_networks(settings.trusted_proxies)
    return ProxyTrust(networks, settings.trusted_proxy_hops, settings.trusted_proxy_header)


def _lock_memory(settings: Settings) -> None:
    """Lock the memory of this worker as the settings say; locks are not inherited by child processes.

    Raises:
        ServiceError: "CO1000" when the settings require what the system does not allow.
    """
    import structlog

    from timbra.core.environments import ENVIRONMENTS
    from timbra.core.errors import ServiceError

    choice = settings.lock_memory
    if choice == "off" or (choice == "auto" and ENVIRONMENTS[settings.environment].is_sandbox):
        return
    locked = try_lock_memory()
    if choice == "on" and not locked:
        raise ServiceError("CO1000", "No se puede fijar la memoria (TIMBRA_LOCK_MEMORY=on): revise ulimit -l.")
    log = structlog.get_logger("timbra.serve")
    if locked:
        log.info("memory locked")
    else:
        log.warning("memory not locked", setting="TIMBRA_LOCK_MEMORY", limit="ulimit -l")


def _connection_limits(settings: Settings) -> ConnectionLimits:
    from timbra.web.server.worker import ConnectionLimits

    return ConnectionLimits(
        settings.header_timeout_seconds,
        settings.write_timeout_seconds,
        settings.max_connections,
        settings.max_body_bytes,
    )


def _stop_features(container: Container) -> None:
    from timbra.web.server.feature_jobs import feature_jobs

    for feature in feature_jobs():
        feature.stop(container)


def _flush_buffers(container: Container) -> None:
    """Write rejections and recorded calls since the last run of their jobs; lost when the database is unreachable."""
    import structlog

    from timbra.core.errors import ServiceError
    from timbra.web.server.feature_jobs import feature_jobs

    for feature in feature_jobs():
        try:
            feature.flush(container)
        except ServiceError as error:
            structlog.get_logger("timbra.serve").warning("buffer lost", code=error.code, detail=error.detail)


def warm_up(container: Container) -> None:
    """Build every group of services once, in one thread, and compile what the validation of a document needs."""
    import asyncio

    from timbra.app.composition import build_all
    from timbra.examples import ingreso
    from timbra.validation.build import validation_services

    build_all(container)
    asyncio.run(container.get(validation_services).validation.validate(ingreso({}).encode(), False))


def freeze_objects() -> None:
    """Exempt the objects of the warmed-up worker from full collections, which would take tens of milliseconds each.

    The little garbage that the start left in cycles is kept too: a collection to find it would take as long. The
    collector, which the start does without, is enabled from here on.
    """
    gc.freeze()
    gc.enable()


COMMANDS = (Command("serve", serve, Panel.OPERATE, 10),)
