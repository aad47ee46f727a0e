"""`timbra cancel`: cancels a CFDI from the shell, with the issuer's stored CSD."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import uuid4

import typer

from timbra.accounts.services import AccountServices
from timbra.cancellation.services import CancellationServices
from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.services_option import DataOption, open_services
from timbra.console.tables import print_rows
from timbra.stamping.services import StampingServices

if TYPE_CHECKING:
    from timbra.stamps.port import StampRecord

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
    out: Annotated[Path | None, typer.Option("--out", dir_okay=False, help="File for the acuse (XML).")] = None,
    show: Annotated[bool, typer.Option("--show", help="Print the acuse after the codes.")] = False,
    acuse: Annotated[Path | None, typer.Option(hidden=True, help="Old name of `--out`.")] = None,
    data: DataOption = None,
) -> None:
    """Request the cancellation of a CFDI; prints UUID, code and meaning of the code.

    The acuse is written with `--out`, or printed with `--show`.
    """
    from timbra.cancellation.cancelling import CancellationRequest

    if acuse is not None:
        typer.echo(translate("--acuse is deprecated: use --out."), err=True)
    file = out or acuse
    for text in filter(None, (uuid, substitute)):
        _require_uuid(text)
    with open_services(data, CancellationServices, AccountServices, StampingServices) as services:
        cancellation, users, stamping = services
        record = _record(stamping, uuid)
        request = CancellationRequest(rfc or _issuer_rfc(record), uuid, motivo, substitute)
        cancelling = cancellation.cancelling_of(is_retencion=record is not None and record.is_retencion)
        cancelled = cancelling.by_uuid(users.accounts.caller_for(account), request, str(uuid4()))
    print_codes(cancelled.codes)
    if show:
        typer.echo(cancelled.acuse)
    if file is not None:
        _write(file, cancelled.acuse)
    elif not show:
        text = translate(
            "Acuse: repeat the command with --out FILE or --show, or see GET /datawarehouse/v1/live/{uuid}."
        )
        typer.echo(text.format(uuid=uuid.strip()), err=True)


def print_codes(codes: Mapping[str, str]) -> None:
    """Print one row for each UUID: UUID, code, meaning."""
    from timbra.messages.cancelling import CODES

    print_rows(COLUMNS, [(uuid, code, CODES.get(code, "")) for uuid, code in codes.items()])


def _require_uuid(text: str) -> None:
    """End the command with code 1 and one line when the text is not a UUID."""
    from timbra.cfdi.uuid_text import canonical_uuid

    if canonical_uuid(text.strip()) is None:
        message = translate("{text} is not a UUID: 32 hexadecimal digits in groups of 8-4-4-4-12.")
        typer.echo(message.format(text=text), err=True)
        raise typer.Exit(1)


def _write(file: Path, acuse: str) -> None:
    """Write the acuse; print it when it cannot be written, and end the command with code 1."""
    try:
        file.write_bytes(acuse.encode())
    except OSError as error:
        text = translate("{file} cannot be written: {reason}. The acuse follows.")
        typer.echo(text.format(file=file, reason=error.strerror), err=True)
        typer.echo(acuse)
        raise typer.Exit(1) from error


def _record(stamping: StampingServices, uuid: str) -> StampRecord | None:
    """Return the stamp of a UUID; None when this server did not stamp it."""
    from timbra.cfdi.uuid_text import canonical_uuid

    folio = canonical_uuid(uuid.strip())
    return stamping.stamps.by_uuid(folio) if folio is not None else None


def _issuer_rfc(record: StampRecord | None) -> str:
    """Return the issuer's RFC of a stamp of this server.

    Raises:
        ServiceError: `document-unknown` when this server did not stamp the UUID.
    """
    from timbra.core.errors import ServiceError

    if record is None:
        raise ServiceError("document-unknown", "El CFDI no se timbró aquí; indique el RFC del emisor con --rfc.")
    return record.issuer_rfc


COMMANDS = (Command("cancel", cancel, Panel.STAMP, 20),)
