"""A database of its own on a PostgreSQL server, for the figures beside those of SQLite."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import psycopg

VARIABLE = "TIMBRA_BENCH_POSTGRESQL"
SERVER = "postgresql://postgres@127.0.0.1:5432"


@contextmanager
def new_database() -> Iterator[str | None]:
    """Yield the address of a new database on the server of `TIMBRA_BENCH_POSTGRESQL`; None when none answers."""
    server = os.environ.get(VARIABLE, SERVER)
    name = f"timbra_bench_{uuid4().hex}"
    try:
        administration = psycopg.connect(f"{server}/postgres", autocommit=True, connect_timeout=2)
    except psycopg.OperationalError:
        yield None
        return
    with administration:
        administration.execute(f"CREATE DATABASE {name}")
        try:
            yield f"{server.replace('postgresql://', 'postgresql+psycopg://', 1)}/{name}"
        finally:
            administration.execute(f"DROP DATABASE {name} WITH (FORCE)")
