"""How the commands of `timbra bulk` end: exit codes, errors and interruptions."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, NoReturn

import typer

from timbra.console.language import translate
from timbra.console.services_option import rejection_line
from timbra.core.errors import ServiceError

WITH_INVALID, NO_DOCUMENT, INTERRUPTED, UNUSABLE = 1, 2, 3, 4
"""Exit codes; 0 when every document is valid."""

ResultsArgument = Annotated[str, typer.Argument(help="Result folder of `timbra bulk validate`, or its URL.")]


@contextmanager
def errors() -> Iterator[None]:
    """End the command with code 4 and one line for a ServiceError, or for a library that is not installed."""
    try:
        yield
    except ServiceError as error:
        _fail(error)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("timbra"):
            raise
        text = translate("This command needs the library {name}: install timbra[bulk].")
        typer.echo(text.format(name=error.name), err=True)
        raise typer.Exit(UNUSABLE) from error


def _fail(error: ServiceError) -> NoReturn:
    typer.echo(rejection_line(error), err=True)
    raise typer.Exit(UNUSABLE) from error


@contextmanager
def terminations_as_interrupts() -> Iterator[None]:
    """Raise KeyboardInterrupt for SIGTERM too, so that a run that a service manager stops ends as with Ctrl-C."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
