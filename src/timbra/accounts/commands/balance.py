"""`timbra account balance`: prepaid stamps of accounts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from timbra.accounts.services import AccountServices
from timbra.console import tables
from timbra.console.services_option import DataOption, open_services

if TYPE_CHECKING:
    from timbra.accounts.store.models import Account

app = typer.Typer(help="Stamp balances of accounts.", no_args_is_help=True)

User = Annotated[str, typer.Argument(help="User name of the account.")]
Stamps = Annotated[int, typer.Argument(min=1, help="Number of stamps.")]
Comment = Annotated[str, typer.Option(help="Comment of the balance entry.")]
COLUMNS = ("user", "remaining", "assigned", "used")
MOVEMENT_COLUMNS = ("number", "date (UTC)", "in", "out", "current", "comment")


@app.command()
def show(user: User, data: DataOption = None) -> None:
    """Show the balance of an account: user, remaining stamps or `unlimited`, assigned, used."""
    with open_services(data, AccountServices) as services:
        tables.print_rows(COLUMNS, [_row(services, services.accounts.find(user))])


@app.command("list")
def list_balances(data: DataOption = None) -> None:
    """List the balances of all accounts: user, remaining stamps or `unlimited`, assigned, used."""
    with open_services(data, AccountServices) as services:
        tables.print_rows(COLUMNS, [_row(services, account) for account in services.accounts.list_accounts()])


@app.command()
def add(user: User, stamps: Stamps, comment: Comment = "", data: DataOption = None) -> None:
    """Add stamps to a balance; prints the new balance."""
    with open_services(data, AccountServices) as services:
        typer.echo(services.balances.add(services.accounts.find(user).account_id, stamps, comment))


@app.command()
def remove(user: User, stamps: Stamps, comment: Comment = "", data: DataOption = None) -> None:
    """Remove stamps from a balance; prints the new balance."""
    with open_services(data, AccountServices) as services:
        typer.echo(services.balances.remove(services.accounts.find(user).account_id, stamps, comment))


@app.command()
def unlimited(user: User, data: DataOption = None) -> None:
    """Let an account stamp without a limit; its remaining stamps are kept."""
    with open_services(data, AccountServices) as services:
        services.balances.set_unlimited(services.accounts.find(user).account_id, True)


@app.command()
def limited(user: User, data: DataOption = None) -> None:
    """Deduct each stamp of an account from its balance."""
    with open_services(data, AccountServices) as services:
        services.balances.set_unlimited(services.accounts.find(user).account_id, False)


@app.command()
def movements(
    user: User,
    before: Annotated[int | None, typer.Option(help="Only entries with a smaller number.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="Maximum number of entries.")] = 50,
    data: DataOption = None,
) -> None:
    """List balance entries, newest first: number, date (UTC), in, out, resulting balance, comment."""
    with open_services(data, AccountServices) as services:
        entries = services.balances.list_entries(services.accounts.find(user).account_id, before=before, limit=limit)
        tables.print_rows(
            MOVEMENT_COLUMNS,
            [
                (
                    str(entry.number),
                    f"{entry.at:%Y-%m-%dT%H:%M:%SZ}",
                    str(entry.stamps_in),
                    str(entry.stamps_out),
                    str(entry.current),
                    entry.comment,
                )
                for entry in entries
            ],
        )


def _row(services: AccountServices, account: Account) -> tuple[str, str, str, str]:
    remaining = "unlimited" if account.unlimited else str(account.remaining)
    return account.user, remaining, str(account.assigned), str(services.balances.used(account))
