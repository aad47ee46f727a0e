"""Checks of a server in any environment: settings, data, database, master key, clock, proxy, monitor and mail."""

from __future__ import annotations

import os
from collections.abc import Iterator

import orjson
from sqlalchemy import func, select, text

from timbra.accounts.build import envelope_encryption
from timbra.accounts.secrets import shared_secret
from timbra.container import Container
from timbra.container.build import data_folder
from timbra.core.checks import CheckOptions, CheckResult, CheckState, run_check
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.database.pooling import is_pooled
from timbra.events.smtp import smtp_client
from timbra.operations.health_checks import feature_warnings, require_disk, require_snapshot
from timbra.operations.watches import clock_discipline, database_clock_difference, database_integrity
from timbra.sat.transport import SUCCESS, Transport
from timbra.settings.deprecated import former_names
from timbra.settings.unknown_names import unknown_names

DATABASES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
MAX_ANSWER_BYTES = 1024 * 1024
PROXY_SECONDS = 10
MONTHS_OF_LOCKS, ENOUGH_LOCKS = 36, 256
"""A look-up in more tables of months than these needs that many locks of each transaction."""
_SETTINGS = text(
    "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit', "
    "'synchronous_standby_names', 'max_locks_per_transaction')"
)
_MONTHS = text("SELECT count(*) FROM pg_inherits WHERE inhparent = 'stamp'::regclass")


def server_checks(container: Container, options: CheckOptions) -> Iterator[CheckResult]:
    """Yield the checks of every environment."""
    yield run_check("ambiente", lambda: container.environment.label)
    yield from _setting_names(container)
    yield run_check("datos del SAT", lambda: require_snapshot(container))
    yield run_check("carpeta de datos", lambda: _folder(container))
    database = run_check("base de datos", lambda: _database(container))
    yield database
    has_database = database.state is not CheckState.ERROR
    if has_database:
        yield from _database_settings(container)
        yield run_check("llave maestra", lambda: _master_key(container))
    yield from _clock(container, has_database=has_database)
    yield from _proxy(container, options)
    yield from _monitor(container)
    yield from _mail(container, options)
    if has_database:
        for text in (*container.get(database_integrity).problems(), *feature_warnings(container)):
            yield CheckResult("aviso", CheckState.WARNING, text)


def _setting_names(container: Container) -> Iterator[CheckResult]:
    """Yield the variables that nothing reads; outside of the sandbox a server does not start with one."""
    name, state = "ajustes", CheckState.WARNING if container.environment.is_sandbox else CheckState.ERROR
    unknown, former = unknown_names(), former_names()
    for each in unknown:
        meant = f" ¿Es {each.nearest}?" if each.nearest else ""
        yield CheckResult(name, state, f"{each.name} no es un ajuste.{meant}")
    for former_name, present in former.items():
        yield CheckResult(name, CheckState.WARNING, f"{former_name} es un nombre anterior de {present}.")
    if not unknown and not former:
        yield CheckResult(name, CheckState.OK, f"{len(container.settings.model_fields_set)} con valor propio")


def _folder(container: Container) -> str:
    folder = container.get(data_folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ServiceError("CO1000", f"{folder}: este usuario no puede escribir.")
    require_disk(container)
    return str(folder)


def _database(container: Container) -> str:
    database = container.get(opened_database)
    found = DATABASES.get(database.dialect, database.dialect)
    if database.dialect == "postgresql":
        with database.read() as connection:
            version, standby = connection.execute(
                select(func.current_setting("server_version"), func.pg_is_in_recovery())
            ).one()
        if standby:
            raise ServiceError("CO1000", f"PostgreSQL {version} es un respaldo en espera: no acepta escrituras.")
        path = "por un distribuidor en modo session" if is_pooled(database.engine) else "conexión directa"
        found = f"PostgreSQL {version}, {path}"
    return f"{found}, ambiente {database.environment}"


def _database_settings(container: Container) -> Iterator[CheckResult]:
    """Yield the settings of PostgreSQL with which answered stamps can be lost, or look-ups have too few locks."""
    database = container.get(opened_database)
    if database.dialect == "sqlite":
        return
    with database.read() as connection:
        found = {str(row.name): str(row.setting) for row in connection.execute(_SETTINGS)}
        months = int(connection.execute(_MONTHS).scalar_one())
    if found["fsync"] == "off":
        detail = "fsync = off: una falla del equipo pierde timbres contestados y daña la base de datos."
        yield CheckResult("ajustes de PostgreSQL", CheckState.ERROR, detail)
    if found["full_page_writes"] == "off":
        detail = "full_page_writes = off: una falla del equipo puede dañar la base de datos."
        yield CheckResult("ajustes de PostgreSQL", CheckState.WARNING, detail)
    if found["synchronous_standby_names"] and (mode := found["synchronous_commit"]) in {"local", "remote_write"}:
        detail = f"synchronous_commit = {mode}: un cambio de servidor puede perder timbres contestados; use on."
        yield CheckResult("ajustes de PostgreSQL", CheckState.WARNING, detail)
    if months > MONTHS_OF_LOCKS and int(found["max_locks_per_transaction"]) < ENOUGH_LOCKS:
        detail = f"max_locks_per_transaction: con las tablas de {months} meses se requiere {ENOUGH_LOCKS}."
        yield CheckResult("ajustes de PostgreSQL", CheckState.WARNING, detail)


def _master_key(container: Container) -> str:
    shared_secret(container.get(opened_database), container.get(envelope_encryption))
    return "abre lo guardado"


def _clock(container: Container, *, has_database: bool) -> Iterator[CheckResult]:
    discipline = container.get(clock_discipline)
    problem, reading = discipline.problem(), discipline.read()
    state = CheckState.ERROR if container.settings.clock_check == "unready" else CheckState.WARNING
    if problem is not None:
        yield CheckResult("reloj", state, problem)
    elif reading is None:
        yield CheckResult("reloj", CheckState.WARNING, "El sistema no dice si el reloj está sincronizado.")
    else:
        yield CheckResult("reloj", CheckState.OK, f"sincronizado, error de {reading.max_error:.3f} s a lo más")
    if has_database and container.get(opened_database).dialect == "postgresql":
        yield run_check("reloj de la base de datos", lambda: _database_clock(container))


def _database_clock(container: Container) -> str:
    ahead = database_clock_difference(container.get(opened_database), container.wall)
    difference = 0.0 if ahead is None else abs(ahead.total_seconds())
    if difference > container.settings.clock_max_error_seconds:
        raise ServiceError("CO1000", f"El reloj de la base de datos difiere {difference:.1f} s del de este equipo.")
    return f"difiere menos de {max(difference, 0.1):.1f} s"


def _proxy(container: Container, options: CheckOptions) -> Iterator[CheckResult]:
    settings = container.settings
    if container.environment.is_sandbox and not settings.public_url:
        return
    if settings.trusted_proxies:
        yield CheckResult("proxy", CheckState.OK, settings.trusted_proxies)
    else:
        text = "Falta TIMBRA_TRUSTED_PROXIES: detrás de un proxy todos los clientes son una dirección."
        yield CheckResult("proxy", CheckState.WARNING, text)
    if not settings.public_url:
        text = "Falta TIMBRA_PUBLIC_URL: los vínculos de los correos no se pueden formar."
        yield CheckResult("dirección pública", CheckState.WARNING, text)
    elif options.online:
        yield run_check("dirección pública", lambda: _public_address(container))


def _public_address(container: Container) -> str:
    """Query the server at its public address; the environment and the data in its answer must be those of here."""
    url = f"{container.settings.public_url.rstrip('/')}/health"
    transport = Transport(1)
    try:
        answer = transport.exchange("GET", url, seconds=PROXY_SECONDS, max_bytes=MAX_ANSWER_BYTES)
    except ServiceError as error:
        raise ServiceError(error.code, f"{url}: {error.detail or error.code}") from error
    finally:
        transport.close()
    if answer.status != SUCCESS:
        raise ServiceError("CO1000", f"{url}: estado HTTP {answer.status}.")
    try:
        environment = orjson.loads(answer.body)["data"]["environment"]
    except (ValueError, KeyError, TypeError) as cause:
        raise ServiceError("CO1000", f"{url} no es un servidor de Timbra.") from cause
    if environment != container.settings.environment:
        raise ServiceError("CO1000", f"{url} es un servidor del ambiente {environment}.")
    return url


def _monitor(container: Container) -> Iterator[CheckResult]:
    settings = container.settings
    if container.environment.is_sandbox or settings.metrics_token or settings.metrics_listen:
        return
    text = "Falta TIMBRA_METRICS_TOKEN o TIMBRA_METRICS_LISTEN: nadie puede leer /metrics."
    yield CheckResult("métricas", CheckState.WARNING, text)


def _mail(container: Container, options: CheckOptions) -> Iterator[CheckResult]:
    settings = container.settings
    if not settings.smtp_host:
        if container.environment.is_sandbox:
            return
        yield CheckResult("correo", CheckState.WARNING, "Falta TIMBRA_SMTP_HOST: no se envían correos.")
    elif options.online:
        yield run_check("correo", lambda: smtp_client(settings).log_in())


DIAGNOSTICS = {"servidor": server_checks}
