"""`timbra verify-proof` and `timbra log`: proofs of the transparency log, its checkpoints and their cosignatures."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.services_option import DataOption, open_services, rejection_line

if TYPE_CHECKING:
    from timbra.transparency.notes import NoteKey, SignedNote

app = typer.Typer(help="The transparency log: checkpoints, their consistency, and cosignatures.", no_args_is_help=True)

STANDARD_INPUT = "-"
Keys = Annotated[
    list[str] | None,
    typer.Option(metavar="VKEY", help="Verifier key of the log or of a witness, which must have signed; repeatable."),
]


def verify_proof(
    file: Annotated[str, typer.Argument(help="A proof of a folio, or of two checkpoints; - for standard input.")],
    xml: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="The stamped XML that the leaf must be of.")
    ] = None,
    old: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="With a proof of two checkpoints: the older checkpoint."),
    ] = None,
    key: Keys = None,
) -> None:
    """Verify a proof of a transparency log without a server, and print what it proves.

    Exit code 1 when it proves nothing: also without a key, because any person can make a proof without a signature.
    """
    from timbra.core.errors import ServiceError
    from timbra.transparency.notes import NoteKey
    from timbra.transparency.proofs import INVALID, OLD, parse_consistency, parse_inclusion

    with _errors_printed():
        text = _read(file)
        if text.startswith(OLD):
            consistent = parse_consistency(text)
            if consistent.old and old is None:
                raise ServiceError(INVALID, "Falta el checkpoint anterior: --old.")
            if old is not None and _note(old).checkpoint.size != consistent.old:
                raise ServiceError(INVALID, f"La prueba es de un checkpoint de {consistent.old} hojas.")
            consistent.check(b"" if old is None else _note(old).checkpoint.root)
            typer.echo(translate("continues the checkpoint of {old} leaves").format(old=consistent.old))
            note = consistent.note
        else:
            inclusion = parse_inclusion(text)
            inclusion.check()
            if xml is not None:
                _check_document(inclusion.leaf, xml.read_bytes())
            typer.echo(inclusion.leaf.decode("utf-8", "replace"))
            typer.echo(translate("leaf: {index}").format(index=inclusion.index))
            note = inclusion.note
        _print_checkpoint(note)
        keys = [NoteKey.parse(each) for each in key or ()]
        if not all(note.is_signed_by(each) for each in keys):
            raise ServiceError(INVALID, "El checkpoint no tiene la firma de una de las llaves.")
    if not keys:
        typer.echo(translate("Without --key the signature was not verified: this proves nothing."), err=True)
        raise typer.Exit(1)


@app.command()
def checkpoint(
    key: Annotated[
        bool, typer.Option("--key", help="Print the verifier keys of the log, and of this server as a witness.")
    ] = False,
    add: Annotated[
        str, typer.Option(metavar="FILE", help="A cosigned checkpoint of this log to store; - for standard input.")
    ] = "",
    witness: Annotated[
        list[str] | None,
        typer.Option(metavar="VKEY", help="With --add: verifier key of a witness that cosigned it; repeatable."),
    ] = None,
    data: DataOption = None,
) -> None:
    """Print the newest signed checkpoint of the log, to keep, print or mail."""
    from timbra.transparency.log import TransparencyLog
    from timbra.transparency.notes import NoteKey, parse_note

    with open_services(data, TransparencyLog) as log, _errors_printed():
        if key:
            for each in log.keys:
                typer.echo(str(each))
        elif add:
            witnesses = [NoteKey.parse(each) for each in witness or ()]
            if not witnesses:
                raise typer.BadParameter(translate("--add needs --witness"))
            typer.echo(str(log.add_cosignatures(parse_note(_read(add)), witnesses)), nl=False)
        else:
            log.run()
            typer.echo(str(log.newest()), nl=False)


@app.command()
def consistency(
    old: Annotated[str, typer.Argument(help="File of the older checkpoint; 0 for the empty log.")],
    new: Annotated[
        Path | None, typer.Argument(exists=True, dir_okay=False, help="File of the newer one; the newest by default.")
    ] = None,
    data: DataOption = None,
) -> None:
    """Print the proof that a checkpoint continues another one, for `timbra log cosign` and `timbra verify-proof`."""
    from timbra.transparency.log import TransparencyLog

    with open_services(data, TransparencyLog) as log, _errors_printed():
        before = None if old == "0" else _note(Path(old))
        typer.echo(log.consistency(before, None if new is None else _note(new)).text(), nl=False)


@app.command("cosign")
def cosign_checkpoint(
    file: Annotated[str, typer.Argument(help="What `timbra log consistency` printed; - for standard input.")],
    key: Annotated[
        str, typer.Option(metavar="VKEY", help="Verifier key of the log; needed for its first checkpoint only.")
    ] = "",
    data: DataOption = None,
) -> None:
    """As a witness of another log, cosign its checkpoint when it continues the last one that was cosigned here."""
    from timbra.transparency.log import TransparencyLog
    from timbra.transparency.notes import NoteKey

    with open_services(data, TransparencyLog) as log, _errors_printed():
        of_log: NoteKey | None = NoteKey.parse(key) if key else None
        typer.echo(str(log.cosign(_read(file), of_log)), nl=False)


def _check_document(leaf: bytes, document: bytes) -> None:
    from hashlib import sha256

    import orjson

    from timbra.core.errors import ServiceError
    from timbra.transparency.proofs import INVALID

    try:
        stated = orjson.loads(leaf)["sha256"]
    except (ValueError, KeyError, TypeError):
        stated = ""
    if stated != sha256(document).hexdigest():
        raise ServiceError(INVALID, "La hoja no es la de ese XML.")


def _print_checkpoint(note: SignedNote) -> None:
    found = note.checkpoint
    line = translate("checkpoint: {origin}, {size} leaves, root {root}")
    typer.echo(line.format(origin=found.origin, size=found.size, root=found.root.hex()))


def _read(file: str) -> str:
    """Return the text of a file. Raises ServiceError: "log-unreadable"."""
    from timbra.core.errors import ServiceError
    from timbra.transparency.notes import UNREADABLE

    try:
        content = sys.stdin.buffer.read() if file == STANDARD_INPUT else Path(file).read_bytes()
        return content.decode()
    except (OSError, UnicodeDecodeError) as error:
        raise ServiceError(UNREADABLE, f"{file}: {error}") from error


def _note(file: Path) -> SignedNote:
    from timbra.transparency.notes import parse_note

    return parse_note(_read(str(file)))


@contextmanager
def _errors_printed() -> Iterator[None]:
    from timbra.core.errors import ServiceError

    try:
        yield
    except ServiceError as error:
        typer.echo(rejection_line(error), err=True)
        raise typer.Exit(1) from error


COMMANDS = (
    Command("verify-proof", verify_proof, Panel.VALIDATE, 90),
    Command("log", app, Panel.OPERATE, 181),
)
