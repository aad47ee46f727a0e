"""`timbra cancel`: cancel a CFDI from the shell, with the issuer's stored CSD."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import uuid4

import typer

from timbra.cli.opened import Data, opened
from timbra.cli.tables import show

if TYPE_CHECKING:
    from timbra.wiring import House

COLUMNS = ("UUID", "code", "meaning")


def cancel(
    uuid: Annotated[str, typer.Argument(help="UUID of the CFDI.")],
    account: Annotated[str, typer.Option("--account", help="The account that asks, and whose CSD signs.")],
    motivo: Annotated[str, typer.Option(help="01 with a substitute, 02, 03 or 04.")] = "02",
    substitute: Annotated[str, typer.Option(help="UUID of the CFDI that replaces it, for motivo 01.")] = "",
    rfc: Annotated[str, typer.Option(help="RFC of the issuer; that of the stamp when not given.")] = "",
    acuse: Annotated[Path | None, typer.Option(help="File for the acuse; printed when not given.")] = None,
    data: Data = None,
) -> None:
    """Ask the authority to cancel a CFDI; prints UUID, code and what it means, then the acuse."""
    from timbra.service.cancelling import CancelOrder

    with opened(data) as house:
        order = CancelOrder(rfc or _issuer(house, uuid), uuid, motivo, substitute)
        cancelled = house.cancelling.by_uuid(house.accounts.caller_of(account), order, str(uuid4()))
    show_codes(cancelled.codes)
    if acuse is None:
        typer.echo(cancelled.acuse)
    else:
        acuse.write_text(cancelled.acuse, encoding="utf-8")


def show_codes(codes: Mapping[str, str]) -> None:
    """A line for each UUID."""
    from timbra.messages.cancelling import CODES

    show(COLUMNS, [(uuid, code, CODES.get(code, "")) for uuid, code in codes.items()])


def _issuer(house: House, uuid: str) -> str:
    """Of a stamp of this server. ServiceError("document-unknown")."""
    from timbra.cfdi.folio import canonical_uuid
    from timbra.errors import ServiceError

    folio = canonical_uuid(uuid.strip())
    record = house.stamps.by_uuid(folio) if folio is not None else None
    if record is None:
        raise ServiceError("document-unknown", "No se timbró aquí; diga el RFC del emisor con --rfc.")
    return record.issuer_rfc
