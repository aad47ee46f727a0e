"""The `timbra` command, with one module for each group of commands.

The modules import slow dependencies inside their functions, so that `timbra --help` starts fast.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Annotated, Any

import typer

from timbra.cli.accounts import account, csd, token, user, vault, webhook
from timbra.cli.bulk import app as bulk
from timbra.cli.development import demo, dev
from timbra.cli.documents import cancel, example, explain, stamp, validate
from timbra.cli.framework.language import Language, split_option
from timbra.cli.framework.root_group import RootGroup
from timbra.cli.framework.services_option import rejection_line
from timbra.cli.framework.version import print_versions
from timbra.cli.operations import (
    archive,
    audit,
    backup,
    confirmation,
    data,
    deliveries,
    lists,
    mail,
    manifest,
    outbox,
    provider,
    report,
    serve,
)
from timbra.cli.sandbox import controls, sat_emulator
from timbra.errors import ServiceError

START_HERE = "Start here"
STAMP = "Stamp"
VALIDATE = "Validate"
OPERATE = "Operate"
SANDBOX = "Sandbox"
COMPLETION_VARIABLE = "_TIMBRA_COMPLETE"
"""By this variable a shell asks for completions."""

app = typer.Typer(cls=RootGroup, no_args_is_help=True, help="Seal, stamp and validate CFDI.")


@app.callback()
def _options(
    lang: Annotated[
        Language | None,
        typer.Option(
            is_eager=True,
            help="Language of help and messages; also after a command. By default TIMBRA_LANG, else the locale.",
        ),
    ] = None,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            is_eager=True,
            callback=print_versions,
            help="Show the versions of Timbra, of the SAT data and of Python, and exit.",
        ),
    ] = False,
) -> None:
    """Declare the options of `timbra` itself."""


# In the order of the help.
app.command(rich_help_panel=START_HERE)(dev.dev)
app.command(rich_help_panel=START_HERE)(demo.demo)
app.command(rich_help_panel=START_HERE)(example.example)
app.command(rich_help_panel=STAMP)(stamp.stamp)
app.command(rich_help_panel=STAMP)(cancel.cancel)
app.add_typer(csd.app, name="csd", rich_help_panel=STAMP)
csd.app.command("add")(vault.add)
app.command(rich_help_panel=VALIDATE)(validate.validate)
app.command(rich_help_panel=VALIDATE)(explain.explain)
app.add_typer(bulk.app, name="bulk", rich_help_panel=VALIDATE)
app.command(rich_help_panel=OPERATE)(serve.serve)
app.add_typer(account.app, name="account", rich_help_panel=OPERATE)
app.add_typer(user.app, name="user", rich_help_panel=OPERATE)
app.add_typer(token.app, name="token", rich_help_panel=OPERATE)
app.add_typer(vault.app, name="vault", rich_help_panel=OPERATE)
app.add_typer(webhook.app, name="webhook", rich_help_panel=OPERATE)
app.add_typer(data.app, name="data", rich_help_panel=OPERATE)
app.add_typer(lists.app, name="lists", rich_help_panel=OPERATE)
app.add_typer(provider.app, name="provider", rich_help_panel=OPERATE)
app.add_typer(deliveries.app, name="deliveries", rich_help_panel=OPERATE)
app.add_typer(outbox.app, name="outbox", rich_help_panel=OPERATE)
app.command(rich_help_panel=OPERATE)(report.report)
app.add_typer(archive.app, name="archive", rich_help_panel=OPERATE)
app.add_typer(manifest.app, name="manifest", rich_help_panel=OPERATE)
app.add_typer(confirmation.app, name="confirmation", rich_help_panel=OPERATE)
app.add_typer(mail.app, name="mail", rich_help_panel=OPERATE)
app.add_typer(backup.app, name="backup", rich_help_panel=OPERATE)
app.command(rich_help_panel=OPERATE)(backup.restore)
app.add_typer(audit.app, name="audit", rich_help_panel=OPERATE)
app.add_typer(controls.app, name="sandbox", rich_help_panel=SANDBOX)
app.command(rich_help_panel=SANDBOX)(sat_emulator.sat_emulator)


def narrowed(arguments: Sequence[str], environment: Mapping[str, str]) -> typer.Typer:
    """Return the command tree with only the command or group that the arguments name: typer builds a tree in each run.

    Args:
        arguments: arguments of the command line.
        environment: environment variables, by which shells ask for completions.

    Returns:
        The whole tree when the arguments name no command, so that help, suggestions and completions have all of them.
    """
    _, others = split_option(arguments)
    named = others[0] if others else ""
    commands = [each for each in app.registered_commands if _name(each) == named]
    groups = [each for each in app.registered_groups if each.name == named]
    if COMPLETION_VARIABLE in environment or not (commands or groups):
        return app
    tree = copy(app)
    tree.registered_commands, tree.registered_groups = commands, groups
    return tree


def _name(command: Any) -> str:
    return str(command.name or command.callback.__name__.replace("_", "-"))


def run() -> None:
    """Run the console script; a ServiceError becomes one line on standard error and exit code 1."""
    try:
        narrowed(sys.argv[1:], os.environ)()
    except ServiceError as error:
        typer.echo(rejection_line(error), err=True)
        sys.exit(1)
