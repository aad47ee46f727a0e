"""`timbra mcp`: tools about documents for programs that speak the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from timbra.console.command import Command, Panel
from timbra.console.language import translate


def mcp(
    lists: Annotated[
        Path | None,
        typer.Option(exists=True, file_okay=False, help="Folder of lists that `timbra lists import` wrote."),
    ] = None,
    trust: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            file_okay=False,
            help="Folder with certificates that are trusted besides those of the SAT, such as those of a sandbox.",
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", help="Folder of the sandbox in which `preview` stamps; by default as `timbra example` chooses it."
        ),
    ] = None,
) -> None:
    """Serve tools about documents over standard input and output (Model Context Protocol).

    Needs timbra[mcp]. The tools read documents and change nothing; they need no server or network.
    """
    try:
        from timbra.mcp.preview import Previewer
        from timbra.mcp.server import mcp_server
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("timbra"):
            raise
        text = translate("This command needs the library {name}: install timbra[mcp].")
        typer.echo(text.format(name=error.name), err=True)
        raise typer.Exit(1) from error
    with Previewer(data) as previewer:
        mcp_server(lists, trust, previewer).run()


COMMANDS = (Command("mcp", mcp, Panel.VALIDATE, 40),)
