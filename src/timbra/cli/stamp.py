"""`timbra stamp`: seal and stamp documents from the shell, without a server."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import uuid4

import typer

from timbra.cli.opened import Data, opened, refusal_line
from timbra.errors import ServiceError

if TYPE_CHECKING:
    from timbra.accounts.caller import Caller
    from timbra.service.orders import Stamped
    from timbra.wiring import House

Files = Annotated[list[Path], typer.Argument(help="CFDI 4.0 documents.", exists=True, dir_okay=False)]


def stamp(
    files: Files,
    account: Annotated[str, typer.Option("--account", help="The account that asks, and whose CSD seals.")],
    sealed: Annotated[
        bool, typer.Option("--sealed", help="The documents are sealed already; stamp them only.")
    ] = False,
    out: Annotated[Path, typer.Option("--out", help="Folder of the stamped documents.")] = Path("stamped"),
    data: Data = None,
) -> None:
    """Seal and stamp documents; prints a line for each: its file and folio, or what refuses it."""
    refused = 0
    with opened(data) as house:
        caller = house.accounts.caller_of(account)
        out.mkdir(parents=True, exist_ok=True)
        for file in files:
            try:
                stamped = asyncio.run(_stamp(house, caller, file, sealed))
            except ServiceError as error:
                refused += 1
                typer.echo(f"{file}: {refusal_line(error)}", err=True)
                continue
            target = out / f"{stamped.uuid}.xml"
            target.write_text(stamped.cfdi, encoding="utf-8")
            typer.echo(f"{file}: {stamped.uuid} {target}")
    if refused:
        raise typer.Exit(1)


async def _stamp(house: House, caller: Caller, file: Path, sealed: bool) -> Stamped:
    from timbra.service.orders import StampOrder

    order = StampOrder(caller, file.read_bytes(), str(uuid4()))
    return await (house.stamping.stamp(order) if sealed else house.stamping.issue(order))
