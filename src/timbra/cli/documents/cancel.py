"""`timbra cancel`: cancels a CFDI from the shell, with the issuer's stored CSD."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated
from uuid import uuid4

import typer

from timbra.cli.framework.services_option import DataOption, open_services
from timbra.cli.framework.tables import print_rows
from timbra.service.services import AccountServices, CancellationServices, StampingServices

COLUMNS = ("UUID", "code", "meaning")


def cancel(
    uuid: Annotated[str, typer.Argument(help="UUID of the CFDI.")],
    account: Annotated[
        str, typer.Option("--account", help="User name of the account that requests, and whose CSD signs.")
    ],
    motivo: Annotated[str, typer.Option(help="Motive of cancellation: 01 (with a substitute), 02, 03 or 04.")] = "02",
    substitute: Annotated[
        str, typer.Option(help="UUID of the CFDI that replaces the cancelled one, for motive 01.")
    ] = "",
    rfc: Annotated[
        str, typer.Option(help="RFC of the issuer. By default the server looks it up in its own stamps.")
    ] = "",
    acuse: Annotated[Path | None, typer.Option(help="File for the acuse; by default the acuse is printed.")] = None,
    data: DataOption = None,
) -> None:
    """Request the cancellation of a CFDI; prints UUID, code and meaning of the code, then the acuse."""
    from timbra.service.cancellation.use_case import CancellationRequest

    with open_services(data, CancellationServices, AccountServices, StampingServices) as services:
        cancellation, users, stamping = services
        request = CancellationRequest(rfc or _issuer_rfc(stamping, uuid), uuid, motivo, substitute)
        cancelled = cancellation.cancelling.by_uuid(users.accounts.caller_for(account), request, str(uuid4()))
    print_codes(cancelled.codes)
    if acuse is None:
        typer.echo(cancelled.acuse)
    else:
        acuse.write_text(cancelled.acuse, encoding="utf-8")


def print_codes(codes: Mapping[str, str]) -> None:
    """Print one row for each UUID: UUID, code, meaning."""
    from timbra.messages.cancelling import CODES

    print_rows(COLUMNS, [(uuid, code, CODES.get(code, "")) for uuid, code in codes.items()])


def _issuer_rfc(stamping: StampingServices, uuid: str) -> str:
    """Return the issuer's RFC from a stamp of this server.

    Raises:
        ServiceError: `document-unknown` when the UUID is invalid or this server did not stamp it.
    """
    from timbra.cfdi.uuid_text import canonical_uuid
    from timbra.errors import ServiceError

    folio = canonical_uuid(uuid.strip())
    record = stamping.stamps.by_uuid(folio) if folio is not None else None
    if record is None:
        raise ServiceError("document-unknown", "No se timbró aquí; diga el RFC del emisor con --rfc.")
    return record.issuer_rfc
