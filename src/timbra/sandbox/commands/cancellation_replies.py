"""`timbra sandbox script`, `answer` and `history`: answers of receivers to cancellations, and events of a CFDI."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.console.services_option import DataOption, open_services
from timbra.console.tables import print_rows
from timbra.sandbox.services import SandboxServices

if TYPE_CHECKING:
    from timbra.sandbox.cancellation_replies import AutoReply
    from timbra.sandbox.ledger import HistoryStep

auto_reply_app = typer.Typer(help="Automatic answers of receivers to requests of cancellation.", no_args_is_help=True)

Rfc = Annotated[str, typer.Argument(help="RFC of the receiver.")]
Uuid = Annotated[str, typer.Argument(help="UUID of the CFDI.")]
AUTO_REPLY_COLUMNS = ("RFC", "answer", "seconds after the request")
HISTORY_COLUMNS = ("fiscal time", "step", "from", "to", "motivo", "detail")


class ReplyChoice(StrEnum):
    """Answers of a receiver."""

    ACCEPT = "accept"
    REJECT = "reject"


class AutoReplyChoice(StrEnum):
    """Automatic answers of a receiver; `silence` is none."""

    ACCEPT = "accept"
    REJECT = "reject"
    SILENCE = "silence"


@auto_reply_app.command("set")
def set_auto_reply(
    rfc: Rfc,
    answer: Annotated[AutoReplyChoice, typer.Argument(help="`silence` removes the automatic answer.")],
    after: Annotated[str, typer.Option(help="Delay after the request in fiscal time, such as 30m or 2d.")] = "0s",
    data: DataOption = None,
) -> None:
    """Set the automatic answer of a receiver to future requests; prints all automatic answers."""
    with open_services(data, SandboxServices) as sandbox:
        sandbox.cancellation_service.scripts.set(rfc, answer.value, after)
        _print_auto_replies(sandbox.cancellation_service.scripts.all())


@auto_reply_app.command("list")
def list_auto_replies(data: DataOption = None) -> None:
    """List automatic answers: RFC, answer, delay after the request in seconds of fiscal time."""
    with open_services(data, SandboxServices) as sandbox:
        _print_auto_replies(sandbox.cancellation_service.scripts.all())


@auto_reply_app.command("clear")
def clear_auto_replies(
    rfc: Annotated[str | None, typer.Argument(help="RFC of one receiver; all receivers when not given.")] = None,
    data: DataOption = None,
) -> None:
    """Remove the automatic answer of one receiver, or of all."""
    with open_services(data, SandboxServices) as sandbox:
        sandbox.cancellation_service.scripts.clear(rfc)


def answer(uuid: Uuid, answer: ReplyChoice, data: DataOption = None) -> None:
    """Answer a request of cancellation for the receiver; prints UUID, code and meaning of the code."""
    from timbra.cancellation.commands import print_codes
    from timbra.sandbox.cancellation_replies import answer_of

    with open_services(data, SandboxServices) as sandbox:
        receipt = sandbox.cancellation_service.respond(uuid, answer_of(answer.value))
        print_codes({folio.upper(): code for folio, code in receipt.codes.items()})


def history(uuid: Uuid, data: DataOption = None) -> None:
    """List the events of a CFDI in the order of fiscal time (central Mexico)."""
    with open_services(data, SandboxServices) as sandbox:
        print_rows(HISTORY_COLUMNS, [_row(step) for step in sandbox.ledger.history(uuid)])


def _print_auto_replies(replies: list[AutoReply]) -> None:
    print_rows(
        AUTO_REPLY_COLUMNS, [(reply.rfc, reply.answer, str(int(reply.delay.total_seconds()))) for reply in replies]
    )


def _row(step: HistoryStep) -> tuple[str, ...]:
    from timbra.core.clock import to_central_mexico

    details = step.details
    detail = details.get("reason") or details.get("foliosustitucion") or ""
    return (
        to_central_mexico(step.fiscal_at),
        step.step,
        _state(details.get("from")),
        _state(details.get("to")),
        str(details.get("motivo") or ""),
        str(detail),
    )


def _state(values: object) -> str:
    """Format Estado and EstatusCancelacion."""
    return " / ".join(filter(None, values)) if isinstance(values, list) else ""
