"""`timbra csd add` and `timbra vault`: seal certificates (CSD) and private keys of accounts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from timbra.accounts.commands.approval import require_approval
from timbra.accounts.services import AccountServices, CertificateServices
from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.services_option import DataOption, open_services

app = typer.Typer(help="The vault: private keys, encrypted with the master key.", no_args_is_help=True)

Account = Annotated[str, typer.Option("--account", help="User name of the account that seals with it.")]
CertificateFile = Annotated[
    Path, typer.Option("--cer", exists=True, dir_okay=False, help="Certificate file (.cer), DER or PEM.")
]
KeyFile = Annotated[
    Path, typer.Option("--key", exists=True, dir_okay=False, help="Private key file (.key), DER or PEM.")
]
Password = Annotated[
    str | None,
    typer.Option(
        help="Password of the private key; the command prompts for it when it is not given and the key is encrypted."
    ),
]


def add(
    account: Account, cer: CertificateFile, key: KeyFile, password: Password = None, data: DataOption = None
) -> None:
    """Store a CSD and its private key; prints certificate number, RFC and name."""
    from timbra.seals.keys.private_key import is_encrypted

    with open_services(data, AccountServices, CertificateServices) as (services, certificates):
        owner, content = services.accounts.find(account), key.read_bytes()
        if password is None and is_encrypted(content):
            password = str(typer.prompt(translate("Password"), hide_input=True))
        stored = certificates.vault.save(owner.account_id, cer.read_bytes(), content, password or "")
        typer.echo(f"{stored.number}\t{stored.rfc}\t{stored.name}")


@app.callback()
def _vault() -> None:
    """Make typer keep the name `rotate`: it would merge the only command of a group into the group."""


@app.command()
def rotate(data: DataOption = None) -> None:
    """Re-encrypt every value that an older master key encrypted; prints the number of values."""
    from timbra.core.approvals import ProtectedAction

    require_approval(data, ProtectedAction.ROTATE_MASTER_KEY)
    with open_services(data, CertificateServices) as certificates:
        typer.echo(str(certificates.vault.rotate()))


COMMANDS = (Command("vault", app, Panel.OPERATE, 50),)
