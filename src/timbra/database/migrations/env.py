"""Alembic's environment: the connection and its transaction come from `timbra.database.migrate`."""

from __future__ import annotations

from alembic import context

from timbra.database.tables import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
