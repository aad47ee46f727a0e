"""Results that the tests of a process share, because they depend on equal input alone.

Each test opens a database, a container or a server of its own. Without this module it would compute again what the
previous test computed: the SQL of each statement, which SQLAlchemy keeps for each engine, the code of each template of
a page, which Jinja keeps for each application, the tables of the catalogs, what containers read of the snapshot in the
package, the tables that the migrations make in a new SQLite database, the trusted authorities of each client of HTTP,
the tree of commands of each run, and the variable of each setting. Two costs that are there on purpose are also left
out: of password hashes, and of waiting until a commit of SQLite is on the disk. A subprocess, such as a server program,
has none of this.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

import httpx2._transports.default as http_transports
import typer
import typer.testing
from argon2 import PasswordHasher
from httpx2 import create_ssl_context
from jinja2 import BytecodeCache, Environment
from jinja2.bccache import Bucket
from pydantic_settings import EnvSettingsSource
from sqlalchemy import Connection, Dialect, Engine, create_engine
from sqlalchemy.util import LRUCache

from timbra.accounts.login import passwords
from timbra.catalogs import book, packed_table
from timbra.catalogs import build as catalogs_build
from timbra.cfdi import build as cfdi_build
from timbra.console import typer_texts
from timbra.console.language import Language, language
from timbra.database import database, engines
from timbra.database.migrate import migrate, stored_version
from timbra.rendering import html
from timbra.snapshot import Snapshot, opening
from timbra.snapshot.folder import PACKAGED, open_snapshot
from timbra.stamping import build as stamping_build

STATEMENTS = 4000
TABLES = 32
"""Results that are kept of each function that reads a table."""

_production_passwords = passwords._ARGON2, passwords.DUMMY_HASH
_production_translation = typer_texts.translate_tree
_engines: Any = engines
_database: Any = database
_production_pragmas = engines.SQLITE_PRAGMAS
_compiled: LRUCache[Any, Any] = LRUCache(STATEMENTS)


def install() -> None:
    """Share the results in this process from now on."""
    _engines.create_engine = _create_engine_with_shared_statements
    _engines.SQLITE_PRAGMAS = (*_production_pragmas, "PRAGMA synchronous=OFF")
    _use(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    html.Environment = partial(Environment, bytecode_cache=_TemplateCode())  # type: ignore[attr-defined,assignment]
    for module, name in (
        (book, "read_rows"),
        (book, "unpack_keys"),
        (packed_table, "unpack_table"),
        (book, "unpack_postal_codes"),
    ):
        setattr(module, name, lru_cache(TABLES)(getattr(module, name)))
    opening.open_snapshot = _opened  # type: ignore[attr-defined]
    for module, name in (
        (stamping_build, "Structure"),
        (stamping_build, "JsonDocuments"),
        (catalogs_build, "SnapshotCatalogs"),
        (catalogs_build, "CatalogLabels"),
        (cfdi_build, "QrPainter"),
        (cfdi_build, "CadenaOriginal"),
        (cfdi_build, "XmlStandards"),
    ):
        setattr(module, name, _once_for_the_package(getattr(module, name)))
    _database.migrate = _create_or_migrate
    typer.testing._get_command = _command_tree  # type: ignore[attr-defined,assignment]
    typer_texts.translate_tree = _translate_tree
    http_transports.create_ssl_context = _ssl_context  # type: ignore[attr-defined]
    for name in ("_extract_field_info", "_field_is_complex"):
        setattr(EnvSettingsSource, name, _once_for_each_field(getattr(EnvSettingsSource, name)))


@contextmanager
def passwords_with(hasher: PasswordHasher | None = None) -> Iterator[None]:
    """Hash passwords within the block with these parameters, or with those of a server."""
    before = passwords._ARGON2, passwords.DUMMY_HASH
    if hasher is None:
        passwords._ARGON2, passwords.DUMMY_HASH = _production_passwords
    else:
        _use(hasher)
    try:
        yield
    finally:
        passwords._ARGON2, passwords.DUMMY_HASH = before


@contextmanager
def durable_sqlite() -> Iterator[None]:
    """Open databases within the block with the settings of a server."""
    before = engines.SQLITE_PRAGMAS
    _engines.SQLITE_PRAGMAS = _production_pragmas
    try:
        yield
    finally:
        _engines.SQLITE_PRAGMAS = before


def _ssl_context(verify: Any = True, cert: Any = None, trust_env: bool = True) -> ssl.SSLContext:
    if verify is True and cert is None:
        return _trusting_context(trust_env, os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
    return create_ssl_context(verify, cert, trust_env)


@cache
def _trusting_context(trust_env: bool, _file: str | None, _folder: str | None) -> ssl.SSLContext:
    return create_ssl_context(trust_env=trust_env)


def _create_or_migrate(connection: Connection) -> bool:
    """Migrate a database; a new one of SQLite gets what the migrations made in the first one."""
    if connection.dialect.name != "sqlite" or stored_version(connection):
        return migrate(connection)
    for statement in _statements_of_a_new_database():
        connection.exec_driver_sql(statement)
    return False


@cache
def _statements_of_a_new_database() -> list[str]:
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        migrate(connection)
        driver: Any = connection.connection.dbapi_connection
        statements = [*driver.iterdump()]
    engine.dispose()
    return [each for each in statements if not each.startswith(("BEGIN", "COMMIT", "PRAGMA"))]


def _opened(path: Path) -> Snapshot:
    """Open a snapshot; that of the package once, as long as its manifest is the same file."""
    if path != PACKAGED:
        return open_snapshot(path)
    manifest = (path / "manifest.json").stat()
    return _packaged((manifest.st_ino, manifest.st_mtime_ns, manifest.st_size))


@lru_cache(1)
def _packaged(_manifest: tuple[int, ...]) -> Snapshot:
    return open_snapshot(PACKAGED)


def _once_for_the_package(made: Callable[..., Any]) -> Callable[..., Any]:
    """Keep what is made of the snapshot of the package: it reads files on demand and changes nothing."""
    kept: dict[object, Any] = {}

    def make(snapshot: Snapshot, **options: object) -> Any:
        if snapshot.root != PACKAGED:
            return made(snapshot, **options)
        key = (id(snapshot), *sorted(options.items()))
        if key not in kept:
            kept[key] = made(snapshot, **options)  # which refers to the snapshot, so that its id stays its own
        return kept[key]

    return make


def _once_for_each_field(function: Callable[..., Any]) -> Callable[..., Any]:
    """Keep the results of a method of a source of settings, which depend on the field alone."""
    kept: dict[int, tuple[object, Any]] = {}

    def call(source: EnvSettingsSource, field: object, *arguments: object) -> Any:
        if id(field) not in kept:
            kept[id(field)] = field, function(source, field, *arguments)  # the field, so that its id stays its own
        return kept[id(field)][1]

    return call


def _command_tree(app: typer.Typer) -> Any:
    return _shared_command_tree(app, os.environ.get("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION"))


@cache
def _shared_command_tree(app: typer.Typer, _read_when_built: str | None) -> Any:
    return typer.main.get_command(app)


def _translate_tree(command: Any) -> None:
    """Translate a tree of commands; a translated one is not used again."""
    if language() is not Language.ENGLISH:
        _shared_command_tree.cache_clear()
    _production_translation(command)


def _use(hasher: PasswordHasher) -> None:
    passwords._ARGON2, passwords.DUMMY_HASH = hasher, hasher.hash("of no account")


class _TemplateCode(BytecodeCache):
    """The code of templates: `html.environment` has one set of options, so equal sources have equal code."""

    def __init__(self) -> None:
        self._code: dict[tuple[str, str], Any] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._code.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._code[bucket.key, bucket.checksum] = bucket.code


class _Statements(MutableMapping[Any, Any]):
    """The cache of compiled statements of one engine: entries of engines with equal dialects are the same."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    def _key(self, key: tuple[Any, ...]) -> tuple[Any, ...]:
        dialect = self._dialect
        assert key[0] is dialect
        # What a connection tells the dialect about its server, and what its SQL depends on.
        server = (
            dialect.server_version_info,
            dialect.default_schema_name,
            getattr(dialect, "_backslash_escapes", None),
        )
        return (type(dialect), server, *key[1:])

    def get(self, key: tuple[Any, ...], default: Any = None) -> Any:
        return _compiled.get(self._key(key), default)

    def __getitem__(self, key: tuple[Any, ...]) -> Any:
        return _compiled[self._key(key)]

    def __setitem__(self, key: tuple[Any, ...], value: Any) -> None:
        _compiled[self._key(key)] = value

    def __delitem__(self, key: tuple[Any, ...]) -> None:
        del _compiled[self._key(key)]

    def __iter__(self) -> Iterator[Any]:
        return iter(_compiled)

    def __len__(self) -> int:
        return len(_compiled)


def _create_engine_with_shared_statements(*arguments: Any, **options: Any) -> Engine:
    engine = create_engine(*arguments, **options)
    engine._compiled_cache = _Statements(engine.dialect)
    return engine
