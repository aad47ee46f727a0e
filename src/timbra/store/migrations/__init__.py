"""Migrations, run by `timbra.store.database.migrate` on its own connection."""
