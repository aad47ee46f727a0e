"""`timbra validate`: a report on documents, offline unless the status is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.cli.opened import Data, opened

if TYPE_CHECKING:
    from rich.console import Console

    from timbra.cli.judging import Verdict


def _existing(files: list[Path]) -> list[Path]:
    from timbra.cli.sources import STANDARD_INPUT

    for file in files:
        if file != STANDARD_INPUT and not file.exists():
            raise typer.BadParameter(f"{file}: no existe.")
    return files


def validate(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="CFDI 3.3 or 4.0 documents, folders and zip archives of them; `-` reads standard input.",
            callback=_existing,
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object for each document, a line each.")] = False,
    status: Annotated[bool, typer.Option("--status", help="Ask the authority for the fiscal status too.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Show what is right and what was not judged too.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings count as errors.")] = False,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes to judge with.")] = 1,
    data: Data = None,
) -> None:
    """Validate documents: everything that is wrong, at once.

    Exit code 0: no document is wrong. 1: at least one is, or is no readable CFDI. 2: wrong use, or nothing to validate.
    """
    from rich.console import Console

    from timbra.cli.judging import verdicts
    from timbra.cli.sources import sources
    from timbra.cli.verdicts import Tally

    tally, clean = Tally(), True
    console = Console()
    with opened(data) as house:
        found = list(sources(files))
        for verdict in _with_progress(verdicts(house, found, workers, status=status), len(found)):
            tally.count(verdict)
            clean = clean and verdict.is_clean
            _tell(console, verdict, as_json=as_json, everything=everything)
    if not tally.documents:
        typer.echo("No hay documentos .xml en lo que se indicó.", err=True)
        raise typer.Exit(2)
    if tally.documents > 1 and not as_json:
        tally.show(console)
    if tally.wrong or tally.refused or (strict and not clean):
        raise typer.Exit(1)


def _tell(console: Console, verdict: Verdict, *, as_json: bool, everything: bool) -> None:
    import orjson

    from timbra.cli import verdicts

    if as_json:
        typer.echo(orjson.dumps(verdicts.as_json(verdict)).decode())
    else:
        verdicts.show(console, verdict, everything=everything)


def _with_progress(verdicts: Iterable[Verdict], total: int) -> Iterator[Verdict]:
    """Shows on the error stream how far it is, where a person watches and there is more than one document."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    if total < 2 or not console.is_terminal:
        yield from verdicts
    else:
        yield from track(verdicts, "validando", total, console=console, transient=True)
