"""`timbra bulk`: validates and stamps millions of documents into a Parquet dataset, and reports on it."""

from __future__ import annotations

import typer

from timbra.cli.bulk.report import query, report
from timbra.cli.bulk.stamp import stamp
from timbra.cli.bulk.status import status
from timbra.cli.bulk.validate import validate

app = typer.Typer(no_args_is_help=True, help="Validate millions of documents into a dataset, and report on it.")
for command in (validate, stamp, status, report, query):
    app.command()(command)
