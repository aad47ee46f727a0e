"""`timbra sandbox`: the simulated authority's registry, clock, faults and ledger, also of a running server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.cli import receivers
from timbra.cli.csd import split_keys
from timbra.cli.opened import Data, opened, refusal_line
from timbra.cli.tables import show

if TYPE_CHECKING:
    from timbra.authority.sandbox.faults import Fault
    from timbra.authority.sandbox.listing import Change, Entry
    from timbra.wiring import House

app = typer.Typer(help="The simulated tax authority.", no_args_is_help=True)
taxpayer_app = typer.Typer(help="Registered taxpayers (l_RFC) and their obligations (LCO).", no_args_is_help=True)
clock_app = typer.Typer(help="Fiscal time, seen by every worker within a second.", no_args_is_help=True)
fault_app = typer.Typer(help="Faults on demand.", no_args_is_help=True)
ledger_app = typer.Typer(help="What the authority knows of CFDI.", no_args_is_help=True)
app.add_typer(taxpayer_app, name="taxpayer")
app.add_typer(clock_app, name="clock")
app.add_typer(fault_app, name="fault")
app.add_typer(ledger_app, name="ledger")
app.add_typer(receivers.script_app, name="script")
app.command()(receivers.answer)
app.command()(receivers.history)

Rfc = Annotated[str, typer.Argument(help="RFC of the taxpayer.")]
Name = Annotated[str | None, typer.Option(help="Exact registered name, without régimen de capital.")]
PostalCode = Annotated[str | None, typer.Option(help="Fiscal postal code; nothing is judged by an unknown one.")]
Regimes = Annotated[
    list[str] | None, typer.Option("--regime", help="Key of c_RegimenFiscal; repeat it or separate by commas.")
]
Obligations = Annotated[
    int | None, typer.Option(min=0, max=4, help="ValidezObligaciones: 0 none, 1 enabled, 2 to 4 with border stimulus.")
]
Situation = Annotated[
    str | None,
    typer.Option("--situation", help="Situation in the list of article 69-B, such as Definitivo; empty: not in it."),
]
Cancelled = Annotated[bool | None, typer.Option("--cancelled/--active", help="Whether the RFC is cancelled.")]
# A duration may begin with a minus sign, which would read as an option otherwise.
SIGNED = {"ignore_unknown_options": True}


@taxpayer_app.command("add")
def add_taxpayer(
    rfc: Rfc,
    name: Name = None,
    postal_code: PostalCode = None,
    regime: Regimes = None,
    obligations: Obligations = None,
    cancelled: Cancelled = None,
    situation: Situation = None,
    data: Data = None,
) -> None:
    """Register a taxpayer; listed at once."""
    with opened(data) as house:
        given = _change(name, postal_code, regime, obligations, cancelled, situation)
        _show_taxpayers([house.registry.add(rfc.upper(), given)])


@taxpayer_app.command("set")
def set_taxpayer(
    rfc: Rfc,
    name: Name = None,
    postal_code: PostalCode = None,
    regime: Regimes = None,
    obligations: Obligations = None,
    cancelled: Cancelled = None,
    situation: Situation = None,
    data: Data = None,
) -> None:
    """Change a taxpayer; what is listed changes with the next refresh."""
    with opened(data) as house:
        given = _change(name, postal_code, regime, obligations, cancelled, situation)
        _show_taxpayers([house.registry.change(rfc.upper(), given)])


@taxpayer_app.command("list")
def list_taxpayers(
    rfc: Annotated[str | None, typer.Argument(help="One taxpayer; all of them when not given.")] = None,
    data: Data = None,
) -> None:
    """RFC, name, postal code, regimes, obligations, state, and what the next refresh changes."""
    with opened(data) as house:
        _show_taxpayers(house.registry.entries() if rfc is None else [house.registry.entry(rfc.upper())])


@app.command()
def refresh(data: Data = None) -> None:
    """Publish the lists now; prints their date and how many rows changed."""
    with opened(data) as house:
        changed = house.registry.refresh()
        typer.echo(f"{house.registry.lists_version}\t{changed}")


@clock_app.command("show")
def show_clock(data: Data = None) -> None:
    """Fiscal time (central Mexico), and whether it stands still (fixed), is shifted, or is real."""
    with opened(data) as house:
        _show_clock(house)


@clock_app.command("set")
def set_clock(
    instant: Annotated[str, typer.Argument(help="ISO date and time, central Mexico unless it names a zone.")],
    running: Annotated[bool, typer.Option("--running", help="Run on from there instead of standing still.")] = False,
    data: Data = None,
) -> None:
    """Put fiscal time somewhere; it stands still there, so that tests see one instant."""
    with opened(data) as house:
        house.clock_control.set(instant, running=running)
        _show_clock(house)


@clock_app.command("advance", context_settings=SIGNED)
def advance_clock(
    duration: Annotated[str, typer.Argument(help="Such as 72h, 1d12h, 90m or -2d.")], data: Data = None
) -> None:
    """Move fiscal time, standing or running."""
    with opened(data) as house:
        house.clock_control.advance(duration)
        _show_clock(house)


@clock_app.command("reset")
def reset_clock(data: Data = None) -> None:
    """Back to real time."""
    with opened(data) as house:
        house.clock_control.reset()
        _show_clock(house)


@fault_app.command("set")
def set_fault(
    name: Annotated[str, typer.Argument(help="latency, authority-down, answer-lost or list-late.")],
    times: Annotated[
        int | None, typer.Option("--for", help="How many requests meet it; until cleared otherwise.")
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="How long a request waits (latency only).")] = None,
    data: Data = None,
) -> None:
    """Switch a fault on."""
    with opened(data) as house:
        _show_faults([house.faults.set(name, times, seconds)])


@fault_app.command("clear")
def clear_fault(
    name: Annotated[str | None, typer.Argument(help="One fault; all of them when not given.")] = None,
    data: Data = None,
) -> None:
    """Switch a fault off, or all of them."""
    with opened(data) as house:
        house.faults.clear(name)


@fault_app.command("list")
def list_faults(data: Data = None) -> None:
    """What is switched on: name, requests it still meets, seconds."""
    with opened(data) as house:
        _show_faults(house.faults.active())


@ledger_app.command("import")
def import_documents(
    files: Annotated[list[Path], typer.Argument(exists=True, dir_okay=False, help="Stamped CFDI.")],
    data: Data = None,
) -> None:
    """Make CFDI stamped elsewhere known, as in force; prints folio, `new` or `known`, and the file."""
    from timbra.errors import ServiceError

    refused = False
    with opened(data) as house:
        for file in files:
            try:
                folio, new = house.ledger.import_document(file.read_bytes())
            except ServiceError as error:
                if error.code not in {"301", "document-invalid"}:
                    raise
                typer.echo(f"{file}: {refusal_line(error)}", err=True)
                refused = True
            else:
                typer.echo(f"{folio}\t{'new' if new else 'known'}\t{file}")
    if refused:
        raise typer.Exit(1)


def _change(
    name: str | None,
    postal_code: str | None,
    regimes: list[str] | None,
    obligations: int | None,
    cancelled: bool | None,
    situation: str | None,
) -> Change:
    from timbra.authority.sandbox.listing import Change

    return Change(name, postal_code, split_keys(regimes), obligations, cancelled, situation)


def _show_taxpayers(entries: list[Entry]) -> None:
    columns = ("RFC", "name", "postal code", "regimes", "obligations", "state", "pending")
    show(columns, map(_taxpayer_row, entries))


def _taxpayer_row(entry: Entry) -> tuple[str, ...]:
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


def _show_clock(house: House) -> None:
    """Time, kind of clock and shift; lists whose night has passed are published before this returns."""
    from timbra.clock import to_central_mexico

    house.registry.refresh_if_due()
    reading = house.clock_control.reading()
    kind = "fixed" if reading.frozen_at is not None else "shifted" if reading.offset else "real"
    typer.echo(f"{to_central_mexico(house.fiscal.now())}\t{kind}")


def _show_faults(faults: list[Fault]) -> None:
    rows = [
        (
            fault.name,
            "" if fault.remaining is None else str(fault.remaining),
            f"{fault.seconds:g}" * bool(fault.seconds),
        )
        for fault in faults
    ]
    show(("fault", "requests left", "seconds"), rows)
