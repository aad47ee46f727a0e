"""`timbra csd`: credentials of the sandbox's certificate authority. `add`, of the vault, is mounted beside these."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.cli.opened import Data, opened

if TYPE_CHECKING:
    from timbra.authority.sandbox.ca import MintedCredential

app = typer.Typer(help="Seal certificates: mint and revoke in the sandbox, add to an account.", no_args_is_help=True)


class CredentialKind(StrEnum):
    """What can be minted."""

    CSD = "csd"
    EFIRMA = "efirma"


Rfc = Annotated[str, typer.Argument(help="RFC of the taxpayer.")]
Out = Annotated[Path, typer.Option("--out", file_okay=False, help="Folder for RFC.cer, RFC.key and RFC.txt.")]
Day = Annotated[str, typer.Option(help="A day or an instant, central Mexico; default: four years around now.")]
Name = Annotated[str | None, typer.Option(help="Registered name, without régimen de capital.")]
PostalCode = Annotated[str | None, typer.Option(help="Fiscal postal code, to register an unknown RFC.")]
Regimes = Annotated[
    list[str] | None, typer.Option("--regime", help="Key of c_RegimenFiscal; repeat it or separate by commas.")
]
Password = Annotated[str | None, typer.Option(help="Of the private key; drawn when not given.")]


@app.command()
def mint(
    rfc: Rfc,
    out: Out,
    kind: CredentialKind = CredentialKind.CSD,
    valid_from: Day = "",
    valid_to: Day = "",
    name: Name = None,
    postal_code: PostalCode = None,
    regime: Regimes = None,
    password: Password = None,
    data: Data = None,
) -> None:
    """Issue a certificate with its key; prints number, RFC and name. Registers an unknown RFC with what is given."""
    from timbra.authority.sandbox.listing import Change
    from timbra.service import sandbox

    given = Change(name, postal_code, split_keys(regime))
    order = sandbox.MintOrder(rfc.upper(), kind.value, valid_from, valid_to, given, password)
    with opened(data) as house:
        minted = sandbox.mint(order, house.authority_ca, house.registry, house.faults, house.fiscal)
    write_credential(out, minted)
    typer.echo(f"{minted.number}\t{minted.rfc}\t{minted.certificate.name}")


@app.command()
def revoke(number: Annotated[str, typer.Argument(help="Certificate number, 20 digits.")], data: Data = None) -> None:
    """Have the next lists name a CSD as revoked: after 00:00 in fiscal time, or `timbra sandbox refresh`."""
    with opened(data) as house:
        house.registry.revoke(number)


def split_keys(keys: list[str] | None) -> list[str] | None:
    """`--regime 601 --regime 626` and `--regime 601,626` alike; None when the option was not given."""
    return None if keys is None else [key for text in keys for key in text.replace(",", " ").split()]


def write_credential(folder: Path, minted: MintedCredential) -> None:
    """RFC.cer, RFC.key and RFC.txt (the password, nothing else); the last two for their owner alone."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{minted.rfc}.cer").write_bytes(minted.certificate_der)
    write_private(folder / f"{minted.rfc}.key", minted.key_der)
    write_private(folder / f"{minted.rfc}.txt", minted.password.encode())


def write_private(path: Path, content: bytes) -> None:
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
