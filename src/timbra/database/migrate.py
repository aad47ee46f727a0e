"""Schema migrations; alembic is imported only when a migration has to run."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from timbra.core.errors import ServiceError

MIGRATIONS = Path(__file__).with_name("migrations")
# Any constant: the key of PostgreSQL's advisory lock under which one process migrates.
_LOCK = 0x74696D627261


def newest_version() -> str:
    """Return the newest migration, by the number in its file name."""
    return max(path.name[:4] for path in (MIGRATIONS / "versions").glob("[0-9][0-9][0-9][0-9]_*.py"))


def version_before(version: str) -> str | None:
    """Return the newest migration before this one; None for the first one."""
    earlier = (path.name[:4] for path in (MIGRATIONS / "versions").glob("[0-9][0-9][0-9][0-9]_*.py"))
    return max((number for number in earlier if number < version), default=None)


def stored_version(connection: Connection) -> str:
    """Return the migration of a database; empty for a new one."""
    if not inspect(connection).has_table("alembic_version"):
        return ""
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none() or ""


def needs_migration(connection: Connection) -> bool:
    """Whether migrations are missing. Raises ServiceError: "CO1000" when the database is newer than this program."""
    stored, newest = stored_version(connection), newest_version()
    if stored > newest:
        raise ServiceError("CO1000", "La base de datos es de una versión más nueva del programa.")
    return stored < newest


def migrate(connection: Connection) -> bool:
    """Run missing migrations in the caller's write transaction; of several processes, one runs them.

    A PostgreSQL database in use gets one migration a transaction: it never waits for a table while it has the locks of
    an earlier migration, for which the stamps of other nodes wait.

    Returns:
        Whether the caller must go on with another transaction.
    """
    is_shared = connection.dialect.name == "postgresql"
    if is_shared:
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
    if not needs_migration(connection):
        return False
    from alembic import command
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    command.upgrade(config, "+1" if is_shared and stored_version(connection) else "head")
    return needs_migration(connection)
