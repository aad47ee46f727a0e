"""The `timbra` command, with one module for each group of commands.

The modules import slow dependencies inside their functions, so that `timbra --help` starts fast.
"""

from __future__ import annotations

import sys

import typer

from timbra.cli.accounts import account, csd, token, vault
from timbra.cli.development import demo, dev
from timbra.cli.documents import cancel, example, explain, stamp, validate
from timbra.cli.framework.services_option import rejection_line
from timbra.cli.operations import backup, data, lists, mail, outbox, serve
from timbra.cli.sandbox import controls
from timbra.errors import ServiceError

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Seal, stamp and validate CFDI.")
COMMAND_GROUPS = {
    "account": account.app,
    "csd": csd.app,
    "data": data.app,
    "lists": lists.app,
    "mail": mail.app,
    "outbox": outbox.app,
    "sandbox": controls.app,
    "token": token.app,
    "vault": vault.app,
}
for name, group in COMMAND_GROUPS.items():
    app.add_typer(group, name=name)
for command in (
    cancel.cancel,
    demo.demo,
    dev.dev,
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
    """Run the console script; a ServiceError becomes one line on standard error and exit code 1."""
    try:
        app()
    except ServiceError as error:
        typer.echo(rejection_line(error), err=True)
        sys.exit(1)
