"""The rehearsal of a drill: emulator of the SAT, device, database and nodes, each in processes that it can end."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from subprocess import TimeoutExpired
from typing import IO

from httpx2 import Client, HTTPError
from sqlalchemy import func, inspect, select

from timbra.accounts.build import account_services
from timbra.accounts.certificates import certificate_services
from timbra.app.composition import Container, open_container
from timbra.container.build import fiscal_clock
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.database.engines import make_engine, parse_url
from timbra.drill import stepped_clock
from timbra.drill.emulator_process import EmulatorProcess, emulator_process
from timbra.drill.fault_names import FaultName
from timbra.examples import KEMPER
from timbra.lists.importing import list_refresh
from timbra.lists.sources.part_names import SIGNED_LISTS
from timbra.sandbox.authority.build import sandbox_authority
from timbra.sandbox.build import sandbox_services
from timbra.seals.certificates.certificate import CertificateKind
from timbra.seals.keys.private_key import load_private_key
from timbra.settings import Settings, environment_of
from timbra.testing.services import postgresql, soft_token
from timbra.testing.services.postgresql import Cluster, cluster
from timbra.testing.services.processes import StartedProgram, free_port, kill_tree, wait_for
from timbra.testing.services.small_disk import Disk, mounted
from timbra.testing.services.soft_token import SoftToken

PROVIDER = "PAC010101AB1"
USER = "simulacro@example.com"
LRFC_COLUMNS = "NOMBRE=name,CODIGO_POSTAL=postal_code,REGIMENES=regimes"
DEVICE = "simulacro"
DISK_MEBIBYTES = 256
NAMES = ("a", "b")
WORKERS = 2
START_SECONDS = 120
STOP_SECONDS = 30
KEPT_VARIABLES = frozenset({"TIMBRA_LANG", "TIMBRA_NATIVE", "TIMBRA_SNAPSHOT"})

Launch = Callable[[str, Sequence[str], Mapping[str, str], IO[bytes]], StartedProgram]
"""Starts `python -m module arguments` with an environment and a file for what it prints."""


def launch_interpreter(
    module: str, arguments: Sequence[str], environment: Mapping[str, str], log: IO[bytes]
) -> StartedProgram:
    """Start a program in an interpreter of its own."""
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.Popen(  # noqa: S603 - this interpreter, with fixed arguments
        command, env=dict(environment), stdin=subprocess.DEVNULL, stdout=log, stderr=log
    )


@dataclass
class Node:
    """A node, which keeps its port when it is started again. wall: the file with the step of its clock."""

    name: str
    port: int
    wall: Path
    start: Callable[[], StartedProgram] = field(repr=False)
    program: StartedProgram | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def run(self) -> None:
        """Start it and wait until it answers."""
        self.program = program = self.start()
        with Client(base_url=self.address, timeout=5, trust_env=False) as client:
            wait_for(lambda: _lives(client, program, self.name), START_SECONDS, f"node {self.name} starts", 0.1)

    def kill(self) -> None:
        if self.program is not None:
            kill_tree(self.program)

    def stop(self) -> None:
        """End it with SIGTERM, or with SIGKILL when that takes too long."""
        if self.program is None:
            return
        self.program.terminate()
        try:
            self.program.wait(STOP_SECONDS)
        except TimeoutExpired:
            self.kill()


@dataclass
class Rehearsal:
    """What a drill takes away.

    Attributes:
        token: An infinite token of the account.
        monitor: The token of `/metrics`.
        database: None with a database that the drill cannot stop.
        device: None when the key is in a file.
        skipped: Why a fault is not possible here, by its name.
    """

    settings: Settings
    token: str = field(repr=False)
    monitor: str = field(repr=False)
    emulator: EmulatorProcess
    nodes: Sequence[Node]
    database: Cluster | None
    disk: Disk | None
    device: SoftToken | None
    skipped: Mapping[FaultName, str]

    @contextmanager
    def container(self) -> Iterator[Container]:
        """Open a container of the rehearsal."""
        with open_container(self.settings) as container:
            yield container

    def engine(self) -> str:
        """Return the name and the version of the database."""
        with self.container() as container:
            database = container.get(opened_database)
            if database.dialect != "postgresql":
                return "SQLite"
            with database.read() as connection:
                return f"PostgreSQL {connection.execute(select(func.current_setting('server_version'))).scalar_one()}"


@dataclass(frozen=True)
class Plan:
    """Where a rehearsal is.

    Attributes:
        folder: Its data and logs.
        database_url: An empty database of PostgreSQL; empty for a server of its own.
        launch: Starts programs.
        faults: The names of the faults that are wanted; parts that only others need are left out.
    """

    folder: Path
    database_url: str = ""
    launch: Launch = launch_interpreter
    faults: frozenset[FaultName] = frozenset(FaultName)


@contextmanager
def rehearsal(plan: Plan) -> Iterator[Rehearsal]:
    """Yield a running rehearsal; the settings of the environment do not apply to it.

    Raises:
        ServiceError: "CO1000" for a database that is not empty.
        TimeoutError: A part does not start.
    """
    folder = plan.folder.resolve()
    skipped: dict[FaultName, str] = {}
    with ExitStack() as stack:
        stack.enter_context(_without_settings())
        disk = stack.enter_context(mounted(DISK_MEBIBYTES)) if FaultName.DISK in plan.faults else None
        database, url = _database(plan, disk, skipped, stack)
        emulator = _emulator(plan, folder, stack)
        device = _device(plan, folder, emulator, skipped, stack)
        monitor = secrets.token_urlsafe(24)
        settings = _settings(folder, emulator, device, database_url=url, metrics_token=monitor)
        token = _account(settings, folder)
        names = NAMES if url else NAMES[:1]
        nodes = [_node(plan, name, settings, stack) for name in names]
        for node in nodes:
            node.run()
        yield Rehearsal(settings, token, monitor, emulator, nodes, database, disk, device, skipped)


@contextmanager
def _without_settings() -> Iterator[None]:
    """Remove the settings of the operator's own server from the environment during the block."""
    removed = {name: value for name, value in os.environ.items() if name.startswith("TIMBRA_")}
    removed = {name: value for name, value in removed.items() if name not in KEPT_VARIABLES}
    for name in removed:
        del os.environ[name]
    try:
        yield
    finally:
        os.environ.update(removed)


def _database(
    plan: Plan, disk: Disk | None, skipped: dict[FaultName, str], stack: ExitStack
) -> tuple[Cluster | None, str]:
    """Return the server that the drill may stop, if any, and the address of the database; empty for SQLite."""
    reason = postgresql.missing()
    if plan.database_url:
        _require_empty(plan.database_url)
        reason = "la base de datos es de --database: el simulacro no la detiene"
    if reason:
        skipped.update(dict.fromkeys((FaultName.DATABASE, FaultName.DISK), reason))
        return None, plan.database_url
    folder = None
    if disk is None:
        skipped[FaultName.DISK] = "no se puede montar un disco (root, o un espacio de nombres de usuario)"
    else:
        folder = disk.folder / "cluster"
        folder.mkdir()
    made = stack.enter_context(cluster(folder))
    return made, made.url()


def _require_empty(url: str) -> None:
    engine = make_engine(parse_url(url))
    try:
        names = inspect(engine).get_table_names()
    finally:
        engine.dispose()
    if names:
        raise ServiceError("CO1000", f"La base de datos de --database no está vacía: tiene {len(names)} tablas.")


def _emulator(plan: Plan, folder: Path, stack: ExitStack) -> EmulatorProcess:
    """Issue the CSD of the issuer and start the emulator over the same sandbox."""
    data = folder / "emulator"
    with open_container(Settings(data=data, environment="sandbox")) as sandbox:
        sandbox.get(opened_database).poll()
        now = sandbox.get(fiscal_clock).now().replace(microsecond=0)
        authority = sandbox.get(sandbox_authority)
        validity = now - timedelta(days=1), now + timedelta(days=365)
        minted = authority.mint(KEMPER.rfc, CertificateKind.CSD, KEMPER.name, *validity)
        sandbox.get(sandbox_services).refresh()
        for name, content in (
            ("authority.cer", authority.certificate.der),
            ("csd.cer", minted.certificate_der),
            ("csd.key", minted.key_der),
            ("csd.txt", minted.password.encode()),
        ):
            (folder / name).write_bytes(content)
    log = stack.enter_context((folder / "emulator.log").open("ab"))
    variables = {**os.environ, "TIMBRA_LOG_LEVEL": "warning"}
    made = stack.enter_context(
        emulator_process(data, PROVIDER, lambda arguments: plan.launch("timbra.cli", arguments, variables, log))
    )
    made.start()
    return made


def _device(
    plan: Plan, folder: Path, emulator: EmulatorProcess, skipped: dict[FaultName, str], stack: ExitStack
) -> SoftToken | None:
    """Return a token with the provider's key; None when it is not wanted or not possible here."""
    if reason := soft_token.missing():
        skipped[FaultName.DEVICE] = reason
        return None
    if FaultName.DEVICE not in plan.faults:
        return None
    provider = emulator.provider()
    token = stack.enter_context(soft_token.soft_token(folder / "softhsm", DEVICE))
    token.import_key(load_private_key(b64decode(provider["key"]), provider["password"]), DEVICE)
    return token


def _settings(folder: Path, emulator: EmulatorProcess, device: SoftToken | None, **values: object) -> Settings:
    provider = emulator.provider()
    certificate, key = folder / "provider.cer", folder / "provider.key"
    certificate.write_bytes(b64decode(provider["certificate"]))
    if device is None:
        key.write_bytes(b64decode(provider["key"]))
        key.chmod(0o600)
        values |= {
            "provider_key_storage": "file",
            "provider_key_file": key,
            "provider_key_password": provider["password"],
        }
    else:
        values |= {
            "provider_key_storage": "pkcs11",
            "provider_pkcs11_module": device.module,
            "provider_pkcs11_tokens": device.label,
            "provider_pkcs11_pin": device.pin,
            "provider_key_label": DEVICE,
        }
    return Settings.model_validate(
        {
            "environment": "rehearsal",
            "data": folder / f"node-{NAMES[0]}",
            "lists_folder": folder / "lists",
            "master_key": b64encode(secrets.token_bytes(32)).decode(),
            "rehearsal_authority": folder / "authority.cer",
            "rehearsal_sat_url": emulator.address,
            "provider_rfc": PROVIDER,
            "provider_certificate": certificate,
            "sat_access_signature": provider["access_signature"],
            "lists_source": f"container:{emulator.address}/lco",
            "lrfc_columns": LRFC_COLUMNS,
        }
        | {name: value for name, value in values.items() if value}
    )


def _account(settings: Settings, folder: Path) -> str:
    """Fetch the lists, create an account with the CSD of the issuer, and return its token."""
    with open_container(settings) as container:
        container.get(opened_database).poll()
        for outcome in container.get(list_refresh).fetch(SIGNED_LISTS):
            if outcome.failure is not None:
                raise outcome.failure
        accounts = container.get(account_services).accounts
        made = accounts.create(USER, secrets.token_urlsafe(24), unlimited=True)
        certificate, key = (folder / "csd.cer").read_bytes(), (folder / "csd.key").read_bytes()
        password = (folder / "csd.txt").read_text()
        container.get(certificate_services).vault.save(made.account_id, certificate, key, password)
        return accounts.create_infinite_token(USER)


def _node(plan: Plan, name: str, settings: Settings, stack: ExitStack) -> Node:
    data, port = settings.data.with_name(f"node-{name}"), free_port()
    wall = data.with_name(f"wall-{name}")
    stepped_clock.step(wall, 0)
    log = stack.enter_context(data.with_name(f"node-{name}.log").open("ab"))
    arguments = ["serve", "--host", "127.0.0.1", "--port", str(port), "--workers", str(WORKERS), "--data", str(data)]
    variables = {
        **os.environ,
        **environment_of(settings),
        "TIMBRA_NODE": name,
        "TIMBRA_LOG_LEVEL": "warning",
        stepped_clock.VARIABLE: str(wall),
    }
    node = Node(name, port, wall, partial(plan.launch, stepped_clock.__name__, arguments, variables, log))
    stack.callback(node.stop)
    return node


def _lives(client: Client, program: StartedProgram, name: str) -> bool:
    if program.poll() is not None:
        raise RuntimeError(f"node {name} has ended")
    try:
        return client.get("/health/live").status_code == 200
    except HTTPError:
        return False
