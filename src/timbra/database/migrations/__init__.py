"""Migrations, run by `timbra.database.migrate` on its own connection."""
