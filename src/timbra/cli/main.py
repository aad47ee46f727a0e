"""The `timbra` command: one module for each group. Modules load what is heavy inside their functions."""

from __future__ import annotations

import sys

import typer

from timbra.cli import (
    account,
    backup,
    cancel,
    csd,
    data,
    demo,
    example,
    explain,
    lists,
    mail,
    outbox,
    sandbox,
    serve,
    stamp,
    token,
    validate,
    vault,
)
from timbra.cli.opened import refusal_line
from timbra.errors import ServiceError

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Seal, stamp and validate CFDI.")
for group in (account, csd, data, lists, mail, outbox, sandbox, token, vault):
    app.add_typer(group.app, name=group.__name__.rpartition(".")[2])
for command in (
    cancel.cancel,
    demo.demo,
    example.example,
    explain.explain,
    serve.serve,
    stamp.stamp,
    validate.validate,
):
    app.command()(command)
app.command()(backup.backup)
app.command()(backup.restore)
csd.app.command("add")(vault.add)


def run() -> None:
    """The console script. A refusal is one line on standard error and exit code 1."""
    try:
        app()
    except ServiceError as error:
        typer.echo(refusal_line(error), err=True)
        sys.exit(1)
