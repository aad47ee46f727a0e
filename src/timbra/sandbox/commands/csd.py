"""`timbra csd`: certificates of the sandbox's certificate authority. `timbra.accounts.commands.vault` has `csd add`."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.accounts.commands.vault import add
from timbra.console.command import Command, Panel
from timbra.console.services_option import DataOption, open_services
from timbra.sandbox.services import SandboxServices

if TYPE_CHECKING:
    from timbra.sandbox.certificates import MintedCredential

app = typer.Typer(
    help="Seal certificates (CSD): mint and revoke in the sandbox, add to an account.", no_args_is_help=True
)


class CredentialKind(StrEnum):
    """Kinds of certificate that the sandbox issues; FIEL is the former name of the e.firma."""

    CSD = "csd"
    EFIRMA = "efirma"
    FIEL = "fiel"


Rfc = Annotated[str, typer.Argument(help="RFC of the taxpayer.")]
Out = Annotated[Path, typer.Option("--out", file_okay=False, help="Folder for RFC.cer, RFC.key and RFC.txt.")]
Kind = Annotated[
    CredentialKind,
    typer.Option(
        "--kind",
        help="csd: a seal certificate. fiel or efirma: the taxpayer's e.firma, for tests: seals of it are rejected "
        "with 306.",
    ),
]
Date = Annotated[
    str,
    typer.Option(
        help="Date, or date and time, in central Mexico. By default the validity is four years, from one year ago."
    ),
]
Name = Annotated[str | None, typer.Option(help="Registered name, without régimen de capital.")]
PostalCode = Annotated[str | None, typer.Option(help="Fiscal postal code, to register an unknown RFC.")]
Regimes = Annotated[
    list[str] | None,
    typer.Option("--regime", help="Key of c_RegimenFiscal; repeat the option, or separate keys by commas."),
]
Password = Annotated[str | None, typer.Option(help="Password of the private key; random when not given.")]


@app.command()
def mint(
    rfc: Rfc,
    out: Out,
    kind: Kind = CredentialKind.CSD,
    valid_from: Date = "",
    valid_to: Date = "",
    name: Name = None,
    postal_code: PostalCode = None,
    regime: Regimes = None,
    password: Password = None,
    data: DataOption = None,
) -> None:
    """Issue a certificate (CSD or e.firma) and its private key; prints certificate number, RFC and name.

    An unknown RFC is registered with `--name`, `--postal-code` and `--regime`.
    """
    from timbra.sandbox.certificates import MintRequest
    from timbra.sandbox.taxpayers import TaxpayerChange

    taxpayer = TaxpayerChange(name, postal_code, split_keys(regime))
    issued = CredentialKind.EFIRMA if kind is CredentialKind.FIEL else kind
    request = MintRequest(rfc.upper(), issued.value, valid_from, valid_to, taxpayer, password)
    with open_services(data, SandboxServices) as sandbox:
        minted = sandbox.certificates.mint(request)
    write_credential(out, minted)
    typer.echo(f"{minted.number}\t{minted.rfc}\t{minted.certificate.name}")


@app.command()
def revoke(
    number: Annotated[str, typer.Argument(help="Certificate number, 20 digits.")], data: DataOption = None
) -> None:
    """Revoke a CSD; it is listed as revoked after 00:00 in fiscal time, or after `timbra sandbox refresh`."""
    with open_services(data, SandboxServices) as sandbox:
        sandbox.certificates.revoke(number)


def split_keys(keys: list[str] | None) -> list[str] | None:
    """Split the values of `--regime`, repeated or separated by commas; None when the option was not given."""
    return None if keys is None else [key for text in keys for key in text.replace(",", " ").split()]


def write_credential(folder: Path, minted: MintedCredential) -> None:
    """Write RFC.cer, RFC.key and RFC.txt (the password alone); the last two are readable only by their owner."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{minted.rfc}.cer").write_bytes(minted.certificate_der)
    _write_private(folder / f"{minted.rfc}.key", minted.key_der)
    _write_private(folder / f"{minted.rfc}.txt", minted.password.encode())


def _write_private(path: Path, content: bytes) -> None:
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)


app.command("add")(add)
COMMANDS = (Command("csd", app, Panel.STAMP, 30),)
