"""`timbra csd add` and `timbra vault`: seal certificates of accounts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from timbra.cli.opened import Data, opened

app = typer.Typer(help="The vault: private keys, encrypted under the master key.", no_args_is_help=True)

Account = Annotated[str, typer.Option("--account", help="User name of the account that will seal with it.")]
CertificateFile = Annotated[Path, typer.Option("--cer", exists=True, dir_okay=False, help="The certificate (.cer).")]
KeyFile = Annotated[Path, typer.Option("--key", exists=True, dir_okay=False, help="The private key (.key).")]
Password = Annotated[
    str, typer.Option(help="Of the private key; asked for when not given.", prompt=True, hide_input=True)
]


def add(account: Account, cer: CertificateFile, key: KeyFile, password: Password, data: Data = None) -> None:
    """Store a seal certificate (CSD) and its key; prints number, RFC and name."""
    with opened(data) as house:
        owner = house.accounts.find(account)
        stored = house.vault.save(owner.account_id, cer.read_bytes(), key.read_bytes(), password)
        typer.echo(f"{stored.number}\t{stored.rfc}\t{stored.name}")


@app.callback()
def _vault() -> None:
    """Keep `rotate` a command of its own name while it is the only one."""


@app.command()
def rotate(data: Data = None) -> None:
    """Encrypt everything anew that lies under an older master key; prints how many values that were."""
    with opened(data) as house:
        typer.echo(str(house.vault.rotate()))
