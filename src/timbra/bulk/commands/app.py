"""`timbra bulk`: validates and stamps millions of documents into a Parquet dataset, and reports on it."""

from __future__ import annotations

import typer

from timbra.bulk.commands.report import query, report
from timbra.bulk.commands.stamp import stamp
from timbra.bulk.commands.status import status
from timbra.bulk.commands.validate import validate
from timbra.console.command import Command, Panel

app = typer.Typer(no_args_is_help=True, help="Validate millions of documents into a dataset, and report on it.")
for command in (validate, stamp, status, report, query):
    app.command()(command)


COMMANDS = (Command("bulk", app, Panel.VALIDATE, 30),)
