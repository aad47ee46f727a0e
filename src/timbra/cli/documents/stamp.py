"""`timbra stamp`: seals and stamps documents from the shell, without a server."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import uuid4

import typer

from timbra.cli.framework.services_option import DataOption, open_services, rejection_line
from timbra.errors import ServiceError
from timbra.service.services import AccountServices, StampingServices

if TYPE_CHECKING:
    from timbra.accounts.caller import Caller
    from timbra.service.stamping.models import StampResult

Files = Annotated[list[Path], typer.Argument(help="CFDI 4.0 documents.", exists=True, dir_okay=False)]


def stamp(
    files: Files,
    account: Annotated[
        str, typer.Option("--account", help="User name of the account that requests, and whose CSD seals.")
    ],
    sealed: Annotated[bool, typer.Option("--sealed", help="The documents are sealed: only stamp them.")] = False,
    out: Annotated[Path, typer.Option("--out", help="Folder for the stamped documents.")] = Path("stamped"),
    data: DataOption = None,
) -> None:
    """Seal and stamp documents; prints a line for each: file, UUID and stamped file.

    A rejected document gives a line on standard error, and exit code 1 after all documents.
    """
    rejected = 0
    with open_services(data, StampingServices, AccountServices) as (stamping, users):
        caller = users.accounts.caller_for(account)
        out.mkdir(parents=True, exist_ok=True)
        for file in files:
            try:
                stamped = asyncio.run(_stamp(stamping, caller, file, sealed))
            except ServiceError as error:
                rejected += 1
                typer.echo(f"{file}: {rejection_line(error)}", err=True)
                continue
            target = out / f"{stamped.uuid}.xml"
            target.write_text(stamped.cfdi, encoding="utf-8")
            typer.echo(f"{file}: {stamped.uuid} {target}")
    if rejected:
        raise typer.Exit(1)


async def _stamp(services: StampingServices, caller: Caller, file: Path, sealed: bool) -> StampResult:
    from timbra.service.stamping.models import StampRequest

    request = StampRequest(caller, file.read_bytes(), str(uuid4()))
    return await (services.stamping.stamp(request) if sealed else services.stamping.issue(request))
