"""`python -m timbra.cli` runs the `timbra` command."""

from timbra.cli.main import run

run()
