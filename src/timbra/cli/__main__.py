"""`python -m timbra.cli` runs the `timbra` command."""

from timbra.cli.entry import run

run()
