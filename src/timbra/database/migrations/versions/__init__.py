"""One file per migration, numbered; its METADATA counterpart lies in `timbra.database.tables`."""
