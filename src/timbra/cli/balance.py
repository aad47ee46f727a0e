"""`timbra account balance`: how many stamps accounts have left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from timbra.cli import tables
from timbra.cli.opened import Data, opened

if TYPE_CHECKING:
    from timbra.accounts.records import Account

app = typer.Typer(help="Balances: how many stamps accounts have left.", no_args_is_help=True)

User = Annotated[str, typer.Argument(help="User name of the account.")]
Stamps = Annotated[int, typer.Argument(min=1, help="How many stamps.")]
Comment = Annotated[str, typer.Option(help="What the movement is for.")]
COLUMNS = ("user", "remaining", "assigned", "used")
MOVEMENT_COLUMNS = ("number", "date (UTC)", "in", "out", "current", "comment")


@app.command()
def show(user: User, data: Data = None) -> None:
    """One account: user, stamps left or `unlimited`, assigned, used."""
    with opened(data) as house:
        tables.show(COLUMNS, [_row(house.accounts.find(user))])


@app.command("list")
def list_balances(data: Data = None) -> None:
    """All accounts: user, stamps left or `unlimited`, assigned, used."""
    with opened(data) as house:
        tables.show(COLUMNS, map(_row, house.accounts.list_accounts()))


@app.command()
def add(user: User, stamps: Stamps, comment: Comment = "", data: Data = None) -> None:
    """Give stamps; prints the new balance."""
    with opened(data) as house:
        typer.echo(house.balances.add(house.accounts.find(user).account_id, stamps, comment))


@app.command()
def remove(user: User, stamps: Stamps, comment: Comment = "", data: Data = None) -> None:
    """Take stamps; prints the new balance."""
    with opened(data) as house:
        typer.echo(house.balances.remove(house.accounts.find(user).account_id, stamps, comment))


@app.command()
def unlimited(user: User, data: Data = None) -> None:
    """Let an account stamp without a balance; what it has left stays."""
    with opened(data) as house:
        house.balances.set_unlimited(house.accounts.find(user).account_id, True)


@app.command()
def limited(user: User, data: Data = None) -> None:
    """Let each stamp of an account take one from its balance."""
    with opened(data) as house:
        house.balances.set_unlimited(house.accounts.find(user).account_id, False)


@app.command()
def movements(
    user: User,
    before: Annotated[int | None, typer.Option(help="Only those with a smaller number.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many at most.")] = 50,
    data: Data = None,
) -> None:
    """Stamps given and taken, newest first: number, date (UTC), in, out, balance afterwards, comment."""
    with opened(data) as house:
        found = house.balances.movements(house.accounts.find(user).account_id, before=before, limit=limit)
        tables.show(
            MOVEMENT_COLUMNS,
            [
                (
                    str(one.number),
                    f"{one.at:%Y-%m-%dT%H:%M:%SZ}",
                    str(one.stamps_in),
                    str(one.stamps_out),
                    str(one.current),
                    one.comment,
                )
                for one in found
            ],
        )


def _row(account: Account) -> tuple[str, str, str, str]:
    left = "unlimited" if account.unlimited else str(account.remaining)
    return account.user, left, str(account.assigned), str(account.used)
