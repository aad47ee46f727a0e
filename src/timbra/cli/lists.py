"""`timbra lists`: imports and fetches the published lists: LCO, l_RFC, L_CNE, article 69-B and exchange rates."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from timbra.accounts.commands.approval import require_approval
from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.progress import progress_bar
from timbra.console.services_option import DataOption, open_services
from timbra.console.tables import print_rows
from timbra.core.approvals import ProtectedAction
from timbra.core.errors import ServiceError
from timbra.operations.services import OperationsServices

if TYPE_CHECKING:
    from timbra.lists.administration import FetchOutcome, FetchRecord, ListEdition, ListKind

app = typer.Typer(help="The published lists: LCO, l_RFC, L_CNE, article 69-B and exchange rates.", no_args_is_help=True)

FILE_OPTIONS = ("--lco", "--lrfc", "--lcne")
COLUMNS = ("list", "day", "rows", "certificates", "skipped", "signed by", "signed", "imported", "age")
FETCH_COLUMNS = ("list", "result", "day", "rows", "added", "removed", "changed", "detail")
STATUS_COLUMNS = ("list", "day", "age", "queried", "failing since", "code", "detail")
HISTORY_COLUMNS = (
    *("node", "list", "day", "published", "imported", "delay (s)", "rows", "added", "removed", "changed"),
    *("signed by", "SHA-256"),
)
ListArgument = Annotated[
    list[str] | None, typer.Argument(metavar="LIST", help="LCO, l_RFC, L_CNE, 69-B or tipos-de-cambio. Default: all.")
]


class FilesCommand(TyperCommand):
    """A command whose file options accept every value that follows them, such as the expansion of a shell pattern."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments after `repeat_options`."""
        return super().parse_args(ctx, repeat_options(args, FILE_OPTIONS))


def repeat_options(args: Sequence[str], options: Sequence[str]) -> list[str]:
    """Repeat each of the options before every one of its values.

    Args:
        args: arguments of the command.
        options: the options that accept several values.

    Returns:
        The arguments in the form that click parses.
    """
    result: list[str] = []
    current = ""
    for argument in args:
        if argument.startswith("-"):
            current = argument if argument in options else ""
        elif current and result[-1] != current:
            result.append(current)
        result.append(argument)
    return result


@app.command("import", cls=FilesCommand)
def import_lists(
    lco: Annotated[list[Path] | None, typer.Option(help="All files of an LCO (gzip of PKCS#7).")] = None,
    lrfc: Annotated[list[Path] | None, typer.Option(help="All files of an l_RFC (gzip of PKCS#7).")] = None,
    lcne: Annotated[list[Path] | None, typer.Option(help="All files of an L_CNE (gzip of PKCS#7).")] = None,
    article_69b: Annotated[
        Path | None, typer.Option("--69b", help="The SAT's list of article 69-B of the CFF (CSV).")
    ] = None,
    exchange_rates: Annotated[
        Path | None,
        typer.Option(help="Exchange rates: JSON of Banco de México's SIE, or a CSV fecha,moneda,pesos."),
    ] = None,
    day: Annotated[
        str, typer.Option("--date", metavar="YYYY-MM-DD", help="Date of the lists, for file names without a date.")
    ] = "",
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HEADER=FIELD",
            help="Meaning of an additional column of l_RFC: name, postal_code, regimes, withholding, cancelled, sncf, "
            "subcontracting or unused. Added to those of TIMBRA_LRFC_COLUMNS.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Accept a list that is older or much smaller than the current one.")
    ] = False,
    data: DataOption = None,
) -> None:
    """Verify and import the SAT's files.

    Each list is replaced as a whole after all its files were verified; a failure leaves the current list unchanged.
    A running server uses the new lists from its next request on.
    """
    from timbra.lists.administration import ListKind

    files = {
        ListKind.LCO: lco,
        ListKind.LRFC: lrfc,
        ListKind.LCNE: lcne,
        ListKind.ARTICLE_69B: article_69b and [article_69b],
        ListKind.EXCHANGE_RATES: exchange_rates and [exchange_rates],
    }
    if not any(files.values()):
        raise typer.BadParameter(translate("the files of a list are required, such as --lco FILE..."))
    dated = _date(day)
    if force:
        require_approval(data, ProtectedAction.FORCE_LISTS, _subject(files))
    with open_services(data, OperationsServices) as operations:
        importer = operations.list_importer(column or ())
        editions = []
        for kind, paths in files.items():
            if paths:
                with progress_bar() as progress:
                    editions.append(importer.run(kind, paths, dated=dated, force=force, on_progress=progress))
                operations.list_refresh().record_import(editions[-1])
                _print_editions(editions[-1:], operations.wall.now())


def _subject(files: Mapping[ListKind, Path | Sequence[Path] | None]) -> str:
    """Return the lists of an import, each with the digest of its files, to which the confirmation is bound."""
    parts = []
    for kind, given in files.items():
        digest, paths = hashlib.sha256(), [given] if isinstance(given, Path) else given
        for path in paths or ():
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        if paths:
            parts.append(f"{kind.value} sha256:{digest.hexdigest()}")
    return " ".join(parts)


@app.command("show")
def show_lists(data: DataOption = None) -> None:
    """Show the current lists; prints nothing when none was imported."""
    with open_services(data, OperationsServices) as operations:
        lists = operations.lists.current
        _print_editions([lists.editions[kind] for kind in sorted(lists.editions)], operations.wall.now())


@app.command("fetch")
def fetch_lists(
    names: ListArgument = None,
    force: Annotated[
        bool, typer.Option("--force", help="Import what the source has, even an older or much smaller list.")
    ] = False,
    data: DataOption = None,
) -> None:
    """Query the sources of the lists now and import what changed; exits with 1 when a list failed.

    A list that fails (source, hash, signature, content) leaves the list in force unchanged. A running server queries
    the sources by itself: TIMBRA_LISTS_SOURCE, TIMBRA_ARTICLE_69B_SOURCE, TIMBRA_EXCHANGE_RATES_SOURCE.
    """
    if force:
        require_approval(data, ProtectedAction.FORCE_LISTS, " ".join(sorted(names or ["all"])))
    with open_services(data, OperationsServices) as operations:
        refresh = operations.list_refresh()
        if not refresh.kinds:
            raise ServiceError("list-source", "TIMBRA_LISTS_SOURCE no está configurada.")
        outcomes = refresh.fetch(_kinds(names, refresh.kinds), force=force)
    print_rows(FETCH_COLUMNS, [_fetch_row(outcome) for outcome in outcomes])
    if any(outcome.failure is not None for outcome in outcomes):
        raise typer.Exit(1)


@app.command("status")
def list_status(data: DataOption = None) -> None:
    """Show age and last query of each list; exits with 1 when a needed list is missing or old, or a source fails."""
    with open_services(data, OperationsServices) as operations:
        editions, records = operations.lists.current.editions, operations.fetch_records()
        now = operations.wall.now()
        problems = [*operations.list_health.stale(), *operations.list_health.failures()]
        print_rows(
            STATUS_COLUMNS,
            [_status_row(kind, editions.get(kind), records.get(kind), now) for kind in sorted({*editions, *records})],
        )
    for problem in problems:
        typer.echo(problem, err=True)
    if problems:
        raise typer.Exit(1)


@app.command("history")
def list_history(
    names: ListArgument = None,
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of rows, newest first.")] = 100,
    data: DataOption = None,
) -> None:
    """Show the imported lists, newest first, each with its differences from the list before."""
    from timbra.core.spreadsheets import text_of

    with open_services(data, OperationsServices) as operations:
        rows = operations.list_history(tuple(names or ()), limit)
    print_rows(HISTORY_COLUMNS, [[text_of(cell) for cell in row] for row in rows])


def _kinds(names: Sequence[str] | None, known: Sequence[ListKind]) -> list[ListKind]:
    if not names:
        return list(known)
    found = {str(kind).lower(): kind for kind in known}
    missing = [name for name in names if name.lower() not in found]
    if missing:
        raise typer.BadParameter(translate("no source is configured for {names}").format(names=", ".join(missing)))
    return [found[name.lower()] for name in names]


def _fetch_row(outcome: FetchOutcome) -> tuple[str, ...]:
    edition, failure = outcome.edition, outcome.failure
    detail = "" if failure is None else f"{failure.code}: {failure.detail or ''}"
    if edition is None:
        return (outcome.kind, outcome.status, "", "", "", "", "", detail)
    counts = (edition.added, edition.removed, edition.changed)
    numbers = ("" if count is None else str(count) for count in counts)
    return (outcome.kind, outcome.status, edition.dated.isoformat(), str(edition.rows), *numbers, detail)


def _status_row(
    kind: ListKind, edition: ListEdition | None, record: FetchRecord | None, now: datetime
) -> tuple[str, ...]:
    from timbra.lists.administration import age_in_days

    day, age = ("", "") if edition is None else (edition.dated.isoformat(), f"{age_in_days(edition, now)}d")
    if record is None:
        return (kind, day, age, "", "", "", "")
    since = record.failing_since
    return (
        kind,
        day,
        age,
        f"{record.checked_at:%Y-%m-%dT%H:%M:%SZ}",
        "" if since is None else f"{since:%Y-%m-%dT%H:%M:%SZ}",
        record.code,
        record.detail,
    )


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as error:
        raise typer.BadParameter(translate("--date must be YYYY-MM-DD")) from error


def _print_editions(editions: Sequence[ListEdition], now: datetime) -> None:
    from timbra.lists.administration import age_in_days

    print_rows(
        COLUMNS,
        (
            (
                edition.kind,
                edition.dated.isoformat(),
                f"{edition.rows}",
                f"{edition.certificates}",
                f"{edition.skipped}",
                ",".join(edition.signers),
                f"{edition.signed_at:%Y-%m-%dT%H:%M:%SZ}" if edition.signed_at else "",
                f"{edition.imported_at:%Y-%m-%dT%H:%M:%SZ}",
                f"{age_in_days(edition, now)}d",
            )
            for edition in editions
        ),
    )


COMMANDS = (Command("lists", app, Panel.OPERATE, 80),)
