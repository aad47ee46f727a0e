"""The `timbra` command: the commands of all features.

The modules import slow dependencies inside their functions, so that `timbra --help` starts fast.
"""

from __future__ import annotations

import locale
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from timbra.console import typer_texts
from timbra.console.language import Language, activate, choose_language, split_option
from timbra.console.services_option import compose_with, rejection_line
from timbra.console.version import print_versions
from timbra.core.errors import ServiceError
from timbra.core.features import features

if TYPE_CHECKING:
    from timbra.container import Container


class RootGroup(TyperGroup):
    """Accepts `--lang` before and after subcommands, and translates the tree below it.

    typer builds a new tree for each run, so that a translated tree is not used again.
    """

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Choose the language, translate the tree and parse the arguments."""
        activate(choose_language(args, os.environ, locale.getlocale()[0]))
        typer_texts.translate_tree(self)
        options, others = split_option(args)
        if len(options) == 1:
            # Without this, the next argument would become the missing value.
            others = []
        elif not others and options:
            others = ["--help"]
        with _translated_errors():
            return super().make_context(info_name, [*options, *others], parent, **extra)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with _translated_errors():
            return super().invoke(ctx)


@contextmanager
def _translated_errors() -> Iterator[None]:
    try:
        yield
    except (TyperException, typer.Abort) as error:
        typer_texts.translate_error(error)
        raise


def _open_server(data: Path | None, **options: bool) -> AbstractContextManager[Container]:
    from timbra.app.command_container import open_command_container

    return open_command_container(data, **options)


compose_with(_open_server)

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


for command in sorted(
    (command for feature in features() for command in feature.load(feature.commands, "COMMANDS")),
    key=lambda command: (command.panel, command.position),
):
    panel = command.panel.label
    if isinstance(command.target, typer.Typer):
        app.add_typer(command.target, name=command.name, rich_help_panel=panel)
    else:
        app.command(command.name, rich_help_panel=panel)(command.target)


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
