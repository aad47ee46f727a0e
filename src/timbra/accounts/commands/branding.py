"""`timbra account branding`: template, colour, footer and logo of an account's printed documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.accounts.services import AccountServices
from timbra.console import tables
from timbra.console.services_option import DataOption, open_services

if TYPE_CHECKING:
    from timbra.rendering.branding import Branding

app = typer.Typer(help="Branding of an account's printed documents.", no_args_is_help=True)

User = Annotated[str, typer.Argument(help="User name of the account.")]
Template = Annotated[str | None, typer.Option(help="Template: clasica, moderna or compacta.")]
Color = Annotated[str | None, typer.Option(help="Colour of titles, #RRGGBB.")]
Footer = Annotated[str | None, typer.Option(help="Text at the foot of every page.")]
LogoFile = Annotated[
    Path | None, typer.Option("--logo", exists=True, dir_okay=False, help="PNG or JPEG file of at most 512 KiB.")
]
NoLogo = Annotated[bool, typer.Option("--no-logo", help="Remove the logo.")]
COLUMNS = ("template", "colour", "logo", "footer")


@app.command()
def show(user: User, data: DataOption = None) -> None:
    """Show the branding of an account: template, colour, size of the logo in bytes, footer."""
    with open_services(data, AccountServices) as services:
        _print(services.branding.find(services.accounts.find(user).account_id))


@app.command("set")
def change(
    user: User,
    template: Template = None,
    color: Color = None,
    footer: Footer = None,
    logo: LogoFile = None,
    no_logo: NoLogo = False,
    data: DataOption = None,
) -> None:
    """Change the options that are given; prints the branding."""
    from timbra.accounts.administration.branding import BrandingChange

    image = logo.read_bytes() if logo is not None else b"" if no_logo else None
    with open_services(data, AccountServices) as services:
        account = services.accounts.find(user).account_id
        _print(services.branding.change(account, BrandingChange(template, color, footer, image)))


@app.command()
def reset(user: User, data: DataOption = None) -> None:
    """Return an account to the default branding."""
    with open_services(data, AccountServices) as services:
        _print(services.branding.reset(services.accounts.find(user).account_id))


def _print(branding: Branding) -> None:
    size = "" if branding.logo is None else str(len(branding.logo.content))
    tables.print_rows(COLUMNS, [(branding.template, branding.color, size, branding.footer)])
