"""`timbra sandbox`: the simulated authority's registry, fiscal clock, fault injection and ledger."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.console.command import Command, Panel
from timbra.console.services_option import DataOption, open_services, rejection_line
from timbra.console.tables import print_rows
from timbra.sandbox.commands import cancellation_replies, state
from timbra.sandbox.commands.csd import split_keys
from timbra.sandbox.services import SandboxServices

if TYPE_CHECKING:
    from timbra.sandbox.faults import Fault
    from timbra.sandbox.taxpayers import TaxpayerChange, TaxpayerEntry

app = typer.Typer(help="The simulated tax authority.", no_args_is_help=True)
taxpayer_app = typer.Typer(help="Registered taxpayers (l_RFC) and their obligations (LCO).", no_args_is_help=True)
clock_app = typer.Typer(help="The fiscal clock of all workers.", no_args_is_help=True)
fault_app = typer.Typer(help="Fault injection.", no_args_is_help=True)
ledger_app = typer.Typer(help="CFDI that the simulated authority has registered.", no_args_is_help=True)
app.add_typer(taxpayer_app, name="taxpayer")
app.add_typer(clock_app, name="clock")
app.add_typer(fault_app, name="fault")
app.add_typer(ledger_app, name="ledger")
app.add_typer(cancellation_replies.auto_reply_app, name="script")
app.command()(cancellation_replies.answer)
app.command()(cancellation_replies.history)
app.command()(state.reset)
app.add_typer(state.app, name="state")

Rfc = Annotated[str, typer.Argument(help="RFC of the taxpayer.")]
Name = Annotated[str | None, typer.Option(help="Exact registered name, without régimen de capital.")]
PostalCode = Annotated[
    str | None, typer.Option(help="Fiscal postal code; rules that need it are not evaluated without it.")
]
Regimes = Annotated[
    list[str] | None,
    typer.Option("--regime", help="Key of c_RegimenFiscal; repeat the option, or separate keys by commas."),
]
Obligations = Annotated[
    int | None, typer.Option(min=0, max=4, help="ValidezObligaciones: 0 none, 1 enabled, 2 to 4 with border stimulus.")
]
Situation = Annotated[
    str | None,
    typer.Option(
        "--situation",
        help="Situation in the list of article 69-B, such as Definitivo; empty to remove the taxpayer from it.",
    ),
]
Cancelled = Annotated[bool | None, typer.Option("--cancelled/--active", help="Whether the RFC is cancelled.")]
TAXPAYER_COLUMNS = ("RFC", "name", "postal code", "regimes", "obligations", "state", "pending")
# A duration may begin with a minus sign, which click would parse as an option.
SIGNED_ARGUMENTS = {"ignore_unknown_options": True}


@taxpayer_app.command("add")
def add_taxpayer(
    rfc: Rfc,
    name: Name = None,
    postal_code: PostalCode = None,
    regime: Regimes = None,
    obligations: Obligations = None,
    cancelled: Cancelled = None,
    situation: Situation = None,
    data: DataOption = None,
) -> None:
    """Register a taxpayer; it is listed at once."""
    with open_services(data, SandboxServices) as sandbox:
        change = _taxpayer_change(name, postal_code, regime, obligations, cancelled, situation)
        _print_taxpayers([sandbox.registry.add(rfc.upper(), change)])


@taxpayer_app.command("set")
def set_taxpayer(
    rfc: Rfc,
    name: Name = None,
    postal_code: PostalCode = None,
    regime: Regimes = None,
    obligations: Obligations = None,
    cancelled: Cancelled = None,
    situation: Situation = None,
    data: DataOption = None,
) -> None:
    """Change a taxpayer; the lists change with the next refresh."""
    with open_services(data, SandboxServices) as sandbox:
        change = _taxpayer_change(name, postal_code, regime, obligations, cancelled, situation)
        _print_taxpayers([sandbox.registry.change(rfc.upper(), change)])


@taxpayer_app.command("list")
def list_taxpayers(
    rfc: Annotated[str | None, typer.Argument(help="RFC of one taxpayer; all taxpayers when not given.")] = None,
    data: DataOption = None,
) -> None:
    """List taxpayers: RFC, name, postal code, regimes, obligations, state, changes of the next refresh."""
    with open_services(data, SandboxServices) as sandbox:
        _print_taxpayers(sandbox.registry.entries() if rfc is None else [sandbox.registry.entry(rfc.upper())])


@app.command()
def refresh(data: DataOption = None) -> None:
    """Publish the lists now; prints their date and the number of changed rows."""
    with open_services(data, SandboxServices) as sandbox:
        changed = sandbox.registry.refresh()
        typer.echo(f"{sandbox.registry.lists_version}\t{changed}")


@clock_app.command("show")
def show_clock(data: DataOption = None) -> None:
    """Show fiscal time (central Mexico), and whether the clock is fixed, shifted or real."""
    with open_services(data, SandboxServices) as sandbox:
        _print_clock(sandbox)


@clock_app.command("set")
def set_clock(
    instant: Annotated[str, typer.Argument(help="ISO date and time; central Mexico unless it has a UTC offset.")],
    running: Annotated[bool, typer.Option("--running", help="Let the clock run from the given time on.")] = False,
    data: DataOption = None,
) -> None:
    """Set fiscal time; the clock stays fixed, so that tests see one instant, unless `--running` is given."""
    with open_services(data, SandboxServices) as sandbox:
        sandbox.clock_control.set(instant, running=running)
        _print_clock(sandbox)


@clock_app.command("advance", context_settings=SIGNED_ARGUMENTS)
def advance_clock(
    duration: Annotated[str, typer.Argument(help="Duration, such as 72h, 1d12h, 90m or -2d.")], data: DataOption = None
) -> None:
    """Move fiscal time by a duration; a fixed clock stays fixed."""
    with open_services(data, SandboxServices) as sandbox:
        sandbox.clock_control.advance(duration)
        _print_clock(sandbox)


@clock_app.command("reset")
def reset_clock(data: DataOption = None) -> None:
    """Reset fiscal time to real time."""
    with open_services(data, SandboxServices) as sandbox:
        sandbox.clock_control.reset()
        _print_clock(sandbox)


@fault_app.command("set")
def set_fault(
    name: Annotated[str, typer.Argument(help="Name of the fault, such as answer-lost; an unknown one prints all.")],
    times: Annotated[
        int | None,
        typer.Option("--for", help="Number of affected requests. By default the fault stays until it is cleared."),
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Delay, or the value of Retry-After, in seconds.")] = None,
    probability: Annotated[float, typer.Option(help="Share of the affected requests, up to 1.")] = 1.0,
    seed: Annotated[int, typer.Option(help="Number from which the decisions of a probability follow.")] = 1,
    route: Annotated[str, typer.Option(help="Only paths that begin so, such as /cfdi33/issue.")] = "",
    account: Annotated[str, typer.Option(help="Only requests of this user.")] = "",
    data: DataOption = None,
) -> None:
    """Activate a fault."""
    from timbra.sandbox.fault_selection import FaultSelection

    selection = FaultSelection(probability, seed, route, account)
    with open_services(data, SandboxServices) as sandbox:
        _print_faults([sandbox.faults.set(name, times, seconds, selection)])


@fault_app.command("clear")
def clear_fault(
    name: Annotated[str | None, typer.Argument(help="Name of one fault; all faults when not given.")] = None,
    data: DataOption = None,
) -> None:
    """Deactivate one fault, or all."""
    with open_services(data, SandboxServices) as sandbox:
        sandbox.faults.clear(name)


@fault_app.command("list")
def list_faults(data: DataOption = None) -> None:
    """List active faults: name, remaining requests, seconds, share, route, account."""
    with open_services(data, SandboxServices) as sandbox:
        _print_faults(sandbox.faults.active())


@ledger_app.command("import")
def import_documents(
    files: Annotated[list[Path], typer.Argument(exists=True, dir_okay=False, help="Stamped CFDI.")],
    data: DataOption = None,
) -> None:
    """Register CFDI of other providers as Vigente; prints folio, `new` or `known`, and the file.

    A rejected document gives a line on standard error, and exit code 1 after all documents.
    """
    from timbra.core.errors import ServiceError

    rejected = False
    with open_services(data, SandboxServices) as sandbox:
        for file in files:
            try:
                folio, new = sandbox.ledger.import_document(file.read_bytes())
            except ServiceError as error:
                if error.code not in {"301", "document-invalid"}:
                    raise
                typer.echo(f"{file}: {rejection_line(error)}", err=True)
                rejected = True
            else:
                typer.echo(f"{folio}\t{'new' if new else 'known'}\t{file}")
    if rejected:
        raise typer.Exit(1)


def _taxpayer_change(
    name: str | None,
    postal_code: str | None,
    regimes: list[str] | None,
    obligations: int | None,
    cancelled: bool | None,
    situation: str | None,
) -> TaxpayerChange:
    from timbra.sandbox.taxpayers import TaxpayerChange

    return TaxpayerChange(name, postal_code, split_keys(regimes), obligations, cancelled, situation)


def _print_taxpayers(entries: list[TaxpayerEntry]) -> None:
    print_rows(TAXPAYER_COLUMNS, map(_taxpayer_row, entries))


def _taxpayer_row(entry: TaxpayerEntry) -> tuple[str, ...]:
    taxpayer = entry.taxpayer
    state = "cancelled" if taxpayer.cancelled else "active"
    if taxpayer.situation:
        state = f"{state}, 69-B: {taxpayer.situation}"
    pending = " ".join(f"{column}={value!r}" for column, value in entry.pending.items())
    return (
        taxpayer.rfc,
        taxpayer.name,
        taxpayer.postal_code,
        " ".join(sorted(taxpayer.regimes)),
        str(entry.obligations),
        state if entry.listed else f"{state}, not listed yet",
        pending,
    )


def _print_clock(sandbox: SandboxServices) -> None:
    """Print fiscal time and the state of the clock; publishes the lists if a fiscal midnight has passed."""
    from timbra.core.clock import to_central_mexico

    sandbox.registry.refresh_if_due()
    reading = sandbox.clock_control.reading()
    kind = "fixed" if reading.frozen_at is not None else "shifted" if reading.offset else "real"
    typer.echo(f"{to_central_mexico(sandbox.clock_control.now())}\t{kind}")


def _print_faults(faults: list[Fault]) -> None:
    rows = [
        (
            fault.name,
            "" if fault.remaining is None else str(fault.remaining),
            f"{fault.seconds:g}" * bool(fault.seconds),
            f"{fault.selection.probability:g}" * (fault.selection.probability < 1),
            fault.selection.route,
            fault.selection.account,
        )
        for fault in faults
    ]
    print_rows(("fault", "requests left", "seconds", "share", "route", "account"), rows)


COMMANDS = (Command("sandbox", app, Panel.SANDBOX, 10),)
