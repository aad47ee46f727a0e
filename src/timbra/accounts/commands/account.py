"""`timbra account`: user accounts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.accounts.commands import balance, branding
from timbra.accounts.services import AccountServices
from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.services_option import DataOption, command_settings, open_services

if TYPE_CHECKING:
    from timbra.accounts.users import AccountChange

LOCAL_URL = "http://127.0.0.1:8080"
"""The base URL of `timbra serve` and `timbra dev` with their default port."""

STDIN_HINT = "Hint: --password-stdin keeps the password out of the list of processes and of the shell's history."
WEAK_PASSWORD = "Warning: the password is short or easy to guess; a production server rejects it."  # noqa: S105

HAS_ACCOUNTS = "The database has an account already; a new link: timbra account link {user}"

app = typer.Typer(help="User accounts.", no_args_is_help=True)
app.add_typer(balance.app, name="balance")
app.add_typer(branding.app, name="branding")

User = Annotated[str, typer.Argument(help="User name, usually an e-mail address; case-insensitive.")]
Password = Annotated[
    str | None, typer.Option(help="Password; the command prompts for it when it is not given. Others see it in `ps`.")
]
PasswordStdin = Annotated[bool, typer.Option("--password-stdin", help="Read the password from standard input.")]
Administrator = Annotated[
    bool,
    typer.Option(
        "--administrator", help="Create an administrator: all accounts, the server's state, sandbox controls."
    ),
]


@app.command()
def create(
    user: User,
    password: Password = None,
    password_stdin: PasswordStdin = False,
    administrator: Administrator = False,
    data: DataOption = None,
) -> None:
    """Create an account, and the data folder if it does not exist; prints the user name and the role."""
    from timbra.core.caller import ACCOUNT, ADMINISTRATOR

    chosen = read_password(password, password_stdin)
    with open_services(data, AccountServices, may_create=True) as services:
        account = services.accounts.create(user, chosen, ADMINISTRATOR if administrator else ACCOUNT)
        typer.echo(f"{account.user} ({account.role})")
        _advise(services, user, chosen, in_command_line=password is not None)


@app.command()
def init(
    user: User,
    url: Annotated[str, typer.Option(help="Base URL of the server; by default the setting TIMBRA_PUBLIC_URL.")] = "",
    data: DataOption = None,
) -> None:
    """Create the first administrator, with a random password, and print a link that signs in once.

    Does nothing, with exit code 0, when the database has an account.
    """
    import secrets

    from timbra.core.caller import ADMINISTRATOR

    with open_services(data, AccountServices, may_create=True) as services:
        if services.accounts.list_accounts():
            typer.echo(translate(HAS_ACCOUNTS).format(user=user))
            return
        account = services.accounts.create(user, secrets.token_urlsafe(), ADMINISTRATOR)
        typer.echo(f"{account.user} ({account.role})")
        typer.echo(f"{_base_url(url, data)}{services.sign_in_links.create(account.user).path}")


@app.command()
def password(
    user: User, password: Password = None, password_stdin: PasswordStdin = False, data: DataOption = None
) -> None:
    """Change a password: session tokens of the old password expire, infinite tokens stay valid."""
    chosen = read_password(password, password_stdin)
    with open_services(data, AccountServices) as services:
        services.accounts.set_password(user, chosen)
        _advise(services, user, chosen, in_command_line=password is not None)


@app.command()
def promote(user: User, data: DataOption = None) -> None:
    """Make an account an administrator; prints its user name and role."""
    from timbra.core.caller import ADMINISTRATOR

    _set_role(user, ADMINISTRATOR, data)


@app.command()
def demote(user: User, data: DataOption = None) -> None:
    """Make an administrator an ordinary account, except the last active one; prints its user name and role."""
    from timbra.core.caller import ACCOUNT

    _set_role(user, ACCOUNT, data)


@app.command("list")
def list_accounts(data: DataOption = None) -> None:
    """List all accounts: user, role, state, time of creation (UTC)."""
    with open_services(data, AccountServices) as services:
        for account in services.accounts.list_accounts():
            state = "active" if account.active else "disabled"
            typer.echo(f"{account.user}\t{account.role}\t{state}\t{account.created_at:%Y-%m-%dT%H:%M:%SZ}")


@app.command()
def disable(user: User, data: DataOption = None) -> None:
    """Disable an account: login and all its tokens are rejected."""
    with open_services(data, AccountServices) as services:
        services.accounts.set_active(user, False)


@app.command()
def enable(user: User, data: DataOption = None) -> None:
    """Enable a disabled account again."""
    with open_services(data, AccountServices) as services:
        services.accounts.set_active(user, True)


@app.command("article-69b")
def article_69b(
    user: User,
    policy: Annotated[str | None, typer.Argument(help="ignore, warn, block, or default for the server's.")] = None,
    data: DataOption = None,
) -> None:
    """Set what stamping does with listed parties of article 69-B; prints the policy of the account."""
    from timbra.accounts.article_69b import SERVER_DEFAULT
    from timbra.accounts.users import AccountChange

    with open_services(data, AccountServices) as services:
        if policy is not None:
            _choose(services, user, AccountChange(article_69b=policy))
        typer.echo(services.accounts.find(user).article_69b or SERVER_DEFAULT)


@app.command("vendor-leniency")
def vendor_leniency(
    user: User,
    names: Annotated[
        str | None, typer.Argument(help="Comma separated names, all, none, or default for the server's.")
    ] = None,
    data: DataOption = None,
) -> None:
    """Set what the vendor stamps although a rule rejects it; prints the choice of the account."""
    from timbra.accounts.article_69b import SERVER_DEFAULT
    from timbra.accounts.users import AccountChange

    with open_services(data, AccountServices) as services:
        if names is not None:
            _choose(services, user, AccountChange(vendor_leniency=names))
        typer.echo(services.accounts.find(user).vendor_leniency or SERVER_DEFAULT)


@app.command()
def link(
    user: User,
    url: Annotated[str, typer.Option(help="Base URL of the server; by default the setting TIMBRA_PUBLIC_URL.")] = "",
    data: DataOption = None,
) -> None:
    """Print a link that signs in to the portal once, within 15 minutes, without a password."""
    with open_services(data, AccountServices) as services:
        typer.echo(f"{_base_url(url, data)}{services.sign_in_links.create(user).path}")


def _base_url(given: str, data: Path | None) -> str:
    return (given or command_settings(data).public_url or LOCAL_URL).rstrip("/")


def read_password(given: str | None, from_stdin: bool) -> str:
    """Return the password of the option, of the first line of standard input, or of a prompt without echo."""
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    return str(typer.prompt(translate("Password"), hide_input=True)) if given is None else given


def _advise(services: AccountServices, user: str, password: str, *, in_command_line: bool) -> None:
    """Print what to do better next time, after the password was stored."""
    if in_command_line:
        typer.echo(translate(STDIN_HINT), err=True)
    if services.accounts.policy.warning(user, password):
        typer.echo(translate(WEAK_PASSWORD), err=True)


def _choose(services: AccountServices, user: str, change: AccountChange) -> None:
    """Change an account; the present choice is not an error."""
    from timbra.core.errors import ServiceError

    try:
        services.users.update(services.accounts.find(user).guid, change)
    except ServiceError as error:
        if error.code != "user-unchanged":
            raise


def _set_role(user: str, role: str, data: Path | None) -> None:
    with open_services(data, AccountServices) as services:
        account = services.accounts.set_role(user, role)
        typer.echo(f"{account.user} ({account.role})")


COMMANDS = (Command("account", app, Panel.OPERATE, 20),)
