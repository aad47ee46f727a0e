"""Migrations, run by `timbra.store.migrate` on its own connection."""
