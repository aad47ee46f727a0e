"""`timbra sandbox script`, `answer` and `history`: what receivers do about cancellations, and what became of a CFDI."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.cli.opened import Data, opened
from timbra.cli.tables import show

if TYPE_CHECKING:
    from timbra.authority.sandbox.scripts import Script
    from timbra.store.events import Event

script_app = typer.Typer(help="Receivers that answer requests of cancellation by themselves.", no_args_is_help=True)

Rfc = Annotated[str, typer.Argument(help="RFC of the receiver.")]
Uuid = Annotated[str, typer.Argument(help="UUID of the CFDI.")]
SCRIPT_COLUMNS = ("RFC", "answer", "seconds after the request")
HISTORY_COLUMNS = ("fiscal time", "step", "from", "to", "motivo", "told")


class Given(StrEnum):
    """What a receiver answers."""

    ACCEPT = "accept"
    REJECT = "reject"


class Scripted(StrEnum):
    """What a receiver does by itself."""

    ACCEPT = "accept"
    REJECT = "reject"
    SILENCE = "silence"


@script_app.command("set")
def set_script(
    rfc: Rfc,
    answer: Annotated[Scripted, typer.Argument(help="`silence` ends a script.")],
    after: Annotated[str, typer.Option(help="Fiscal time after the request, such as 30m or 2d.")] = "0s",
    data: Data = None,
) -> None:
    """Have a receiver answer the requests to come; prints all scripts."""
    with opened(data) as house:
        house.counter.scripts.set(rfc, answer.value, after)
        _show_scripts(house.counter.scripts.all())


@script_app.command("list")
def list_scripts(data: Data = None) -> None:
    """RFC, answer, seconds of fiscal time after the request."""
    with opened(data) as house:
        _show_scripts(house.counter.scripts.all())


@script_app.command("clear")
def clear_scripts(
    rfc: Annotated[str | None, typer.Argument(help="One receiver; all of them when not given.")] = None,
    data: Data = None,
) -> None:
    """Let receivers be silent again."""
    with opened(data) as house:
        house.counter.scripts.clear(rfc)


def answer(uuid: Uuid, answer: Given, data: Data = None) -> None:
    """Answer a request of cancellation in the receiver's place; prints UUID, code and what it means."""
    from timbra.authority.port import Origin
    from timbra.authority.sandbox.scripts import answer_of
    from timbra.cli.cancel import show_codes

    with opened(data) as house:
        receipt = house.counter.respond(uuid, answer_of(answer.value), Origin(None, ""))
        show_codes({folio.upper(): code for folio, code in receipt.codes.items()})


def history(uuid: Uuid, data: Data = None) -> None:
    """What happened to a CFDI, in the order of fiscal time (central Mexico)."""
    with opened(data) as house:
        show(HISTORY_COLUMNS, [_row(event) for event in house.ledger.history(uuid)])


def _show_scripts(scripts: list[Script]) -> None:
    show(SCRIPT_COLUMNS, [(one.rfc, one.answer, str(int(one.delay.total_seconds()))) for one in scripts])


def _row(event: Event) -> tuple[str, ...]:
    from timbra.authority.sandbox.proceedings import KIND
    from timbra.clock import to_central_mexico

    body = event.body
    told = body.get("reason") or body.get("foliosustitucion") or ""
    return (
        to_central_mexico(event.fiscal_at),
        event.kind.removeprefix(KIND),
        _state(body.get("from")),
        _state(body.get("to")),
        str(body.get("motivo") or ""),
        str(told),
    )


def _state(values: object) -> str:
    """Estado and EstatusCancelacion."""
    return " / ".join(filter(None, values)) if isinstance(values, list) else ""
