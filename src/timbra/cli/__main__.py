"""`python -m timbra.cli`: the same as the `timbra` command."""

from timbra.cli.main import run

run()
