"""`timbra sandbox reset` and `timbra sandbox state`: reset, save and restore the whole sandbox."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated

import typer

from timbra.accounts.services import AccountServices
from timbra.console.language import translate
from timbra.console.services_option import DataOption, open_services
from timbra.sandbox.services import SandboxServices

app = typer.Typer(help="Save the sandbox to a file, and restore it.", no_args_is_help=True)


def reset(
    accounts: Annotated[
        bool, typer.Option("--accounts", help="Remove the accounts too, except those of administrators.")
    ] = False,
    account: Annotated[str | None, typer.Option("--account", help="Remove the data of this account only.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before the data of the account are removed.")] = False,
    data: DataOption = None,
) -> None:
    """Remove everything that testing produced; accounts, tokens, certificates and the authority's keys stay."""
    if account is not None:
        if accounts:
            raise typer.BadParameter(translate("not with --accounts"), param_hint="--account")
        _reset_account(account, data, confirmed=yes)
        return
    with open_services(data, SandboxServices) as sandbox:
        removed = sandbox.state.reset(accounts=accounts)
    text = translate("Removed: {stamps} stamps, {documents} CFDI of the ledger, {rejections} rejections")
    typer.echo(text.format(stamps=removed.stamps, documents=removed.documents, rejections=removed.rejections))
    if accounts:
        typer.echo(translate("Removed: {accounts} accounts").format(accounts=removed.accounts))


def _reset_account(user: str, data: Path | None, *, confirmed: bool) -> None:
    with open_services(data, SandboxServices, AccountServices) as (sandbox, accounts):
        found = accounts.accounts.find(user)
        if not confirmed:
            typer.confirm(translate("Remove all stamps, rejections and calls of {user}?").format(user=user), abort=True)
        removed = sandbox.account_reset.reset(found.account_id, found.user, found.user)
    text = translate("Removed: {stamps} stamps, {documents} CFDI of the ledger, {rejections} rejections, {calls} calls")
    typer.echo(
        text.format(
            stamps=removed.stamps, documents=removed.documents, rejections=removed.rejections, calls=removed.calls
        )
    )


@app.command()
def save(
    file: Annotated[Path, typer.Argument(dir_okay=False, help="File to write; an existing one is replaced.")],
    data: DataOption = None,
) -> None:
    """Save the sandbox to a file while the server runs; its secrets stay encrypted under the master key."""
    draft = file.with_name(f".{file.name}.{os.getpid()}.part")
    with open_services(data, SandboxServices) as sandbox, _storage():
        try:
            with _private(draft) as content:
                summary = sandbox.state.save(content)
            size = draft.stat().st_size
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)
    typer.echo(translate("Saved: {rows} rows, {size} bytes").format(rows=summary.rows, size=size))


@app.command()
def load(
    file: Annotated[Path, typer.Argument(dir_okay=False, help="File of `timbra sandbox state save`.")],
    data: DataOption = None,
) -> None:
    """Replace the sandbox by a saved one while the server runs: all or nothing."""
    with open_services(data, SandboxServices) as sandbox, _storage(), file.open("rb") as content:
        summary = sandbox.state.load(content)
    text = translate("Restored: {rows} rows, saved at {saved_at}")
    typer.echo(text.format(rows=summary.rows, saved_at=summary.header.saved_at))


@contextmanager
def _storage() -> Iterator[None]:
    """Translate OSError (no such file, no permission, disk full) into ServiceError("state-storage")."""
    from timbra.core.errors import ServiceError

    try:
        yield
    except OSError as error:
        raise ServiceError("state-storage", f"{error.strerror}: {error.filename or ''}".rstrip(": ")) from error


def _private(path: Path) -> IO[bytes]:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
