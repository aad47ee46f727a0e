"""`timbra totals`: the amounts of an invoice from its lines."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

import typer

from timbra.console.command import Command, Panel
from timbra.console.language import translate


def totals(
    file: Annotated[
        typer.FileBinaryRead,
        typer.Argument(
            help="Invoice as JSON by the SAT's names, with quantity, price and taxes of each Concepto; `-` reads "
            "standard input."
        ),
    ],
    price_includes_tax: Annotated[
        bool, typer.Option("--price-includes-tax", help="ValorUnitario and Descuento include the transferred taxes.")
    ] = False,
    rounding: Annotated[
        Literal["line", "total"],
        typer.Option(help="Round the amounts of each line to the currency, or the sums only."),
    ] = "line",
) -> None:
    """Compute the amounts of an invoice and print it with them, as JSON.

    Exit code 1: no amounts are within the limits of the SAT's rules, or the file has no such invoice.
    """
    import json

    from timbra.amounts.totals import totals_of
    from timbra.catalogs import SnapshotCatalogs
    from timbra.cfdi.from_json.reading import read_object
    from timbra.console.services_option import rejection_line
    from timbra.core.errors import ServiceError
    from timbra.rules.engine.ports import ReferenceData
    from timbra.snapshot import locate, open_snapshot

    catalogs = SnapshotCatalogs(open_snapshot(locate(None)))
    reference_data = ReferenceData(datetime.now(UTC), catalogs, taxpayers=None, obligations=None)
    try:
        members = read_object(file.read())
        found = totals_of(members, reference_data, price_includes_tax=price_includes_tax, rounding=rounding)
    except ServiceError as error:
        typer.echo(rejection_line(error), err=True)
        raise typer.Exit(1) from error
    typer.echo(json.dumps(found.comprobante, ensure_ascii=False, indent=2))
    for number, line in enumerate(found.lines, 1):
        if line.difference:
            text = translate("Concepto {number}: the total is {total}; no amounts add up to {wished}.")
            typer.echo(text.format(number=number, total=line.total, wished=line.wished), err=True)
    if found.difference:
        typer.echo(
            translate("The prices exceed the total by {difference}.").format(difference=found.difference), err=True
        )


COMMANDS = (Command("totals", totals, Panel.STAMP, 35),)
