"""`timbra example`: minimal valid documents, for a first try."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated

import typer

from timbra import examples
from timbra.clock import CENTRAL_MEXICO, LOCAL_FORMAT


class Name(StrEnum):
    """The documents at hand."""

    INGRESO = "ingreso"
    EGRESO = "egreso"
    TRASLADO = "traslado"
    GLOBAL = "global"
    PAGOS20 = "pagos20"


BUILDERS: dict[Name, Callable[..., str]] = {
    Name.INGRESO: examples.ingreso,
    Name.EGRESO: examples.egreso,
    Name.TRASLADO: examples.traslado,
    Name.GLOBAL: examples.global_invoice,
    Name.PAGOS20: examples.pago,
}


def example(
    name: Annotated[Name, typer.Argument(help="Which document.")],
    fecha: Annotated[str, typer.Option(help="Its Fecha; the default is ten minutes ago in central Mexico.")] = "",
) -> None:
    """Print a minimal valid CFDI 4.0, unsealed, dated so that it can be stamped now."""
    written = fecha or (datetime.now(CENTRAL_MEXICO) - timedelta(minutes=10)).strftime(LOCAL_FORMAT)
    typer.echo(BUILDERS[name](fecha=written))
