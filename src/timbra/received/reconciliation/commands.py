"""`timbra reconcile`: the CFDI of the SAT against the ledger, an ERP's export and payments."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.app.command_container import open_command_container
from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.period_option import period_of
from timbra.console.services_option import DataOption, rejection_line
from timbra.console.tables import print_rows
from timbra.core.errors import ServiceError
from timbra.received.reconciliation.options import ALL_TYPES, ReconciliationOptions, Side, tolerance_of, types_of

if TYPE_CHECKING:
    from timbra.received.reconciliation.engine import Reconciliation

WITH_DIFFERENCES, UNUSABLE = 1, 4
"""Exit codes; 0 without differences."""


def reconcile(
    rfc: Annotated[str, typer.Option("--rfc", help="RFC of the taxpayer.")],
    side: Annotated[Side, typer.Option("--side", help="Issued or received CFDI.")] = Side.RECEIVED,
    sat: Annotated[
        list[Path] | None,
        typer.Option(
            "--sat",
            help="What the SAT has: metadata files, XML, ZIP packages, folders of them, or a result folder of "
            "`timbra bulk validate`; may be repeated.",
        ),
    ] = None,
    ledger: Annotated[
        bool,
        typer.Option("--ledger", help="Compare with the CFDI that this server stamped; without --sat, the reference."),
    ] = False,
    account: Annotated[
        str, typer.Option("--account", help="User name whose stored documents are what the SAT has, instead of --sat.")
    ] = "",
    erp: Annotated[
        Path | None, typer.Option("--erp", dir_okay=False, help="Export of the ERP: CSV or workbook.")
    ] = None,
    erp_map: Annotated[
        Path | None, typer.Option("--erp-map", dir_okay=False, help="JSON file that names the columns of the export.")
    ] = None,
    payments: Annotated[
        Path | None, typer.Option("--payments", dir_okay=False, help="List of payments: CSV or workbook.")
    ] = None,
    payments_map: Annotated[
        Path | None,
        typer.Option("--payments-map", dir_okay=False, help="JSON file that names the columns of the list."),
    ] = None,
    month: Annotated[str, typer.Option(metavar="YYYY-MM", help="Month. By default everything is compared.")] = "",
    since: Annotated[str, typer.Option("--from", metavar="YYYY-MM-DD", help="First day.")] = "",
    until: Annotated[str, typer.Option("--to", metavar="YYYY-MM-DD", help="Last day, inclusive.")] = "",
    tolerance: Annotated[str, typer.Option(help="Largest difference of amounts that counts as equal.")] = "0.01",
    types: Annotated[
        str, typer.Option(help="Types of CFDI that the ERP must have: letters of I, E, T, N, P, and R for retenciones.")
    ] = "IE",
    memory: Annotated[
        int, typer.Option(min=128, help="Memory of the database in MiB; more is written to disk.")
    ] = 1024,
    html: Annotated[Path | None, typer.Option("--html", dir_okay=False, help="Write the report as a page.")] = None,
    xlsx: Annotated[Path | None, typer.Option("--xlsx", dir_okay=False, help="Write the report as a workbook.")] = None,
    csv: Annotated[Path | None, typer.Option("--csv", dir_okay=False, help="Write the differences as CSV.")] = None,
    json: Annotated[Path | None, typer.Option("--json", dir_okay=False, help="Write the report as JSON.")] = None,
    data: DataOption = None,
) -> None:
    """Compare the CFDI that the SAT has with the ledger, an ERP's export and payments.

    Documents are matched by UUID, then by RFC, total and day. Prints the number of differences of each kind. Exit code
    0: no differences. 1: differences. 2: wrong usage. 4: a source cannot be used.
    """
    if not (sat or account or ledger):
        raise typer.BadParameter(translate("--sat, --account or --ledger is required"))
    if sat and account:
        raise typer.BadParameter(translate("--sat and --account exclude each other"))
    options = ReconciliationOptions(
        rfc.strip().upper(), side, *_period(month, since, until), _tolerance(tolerance), _types(types), memory
    )
    with _errors(), ExitStack() as stack:
        from timbra.received.reconciliation.column_map import BOOKS_COLUMNS, PAYMENT_COLUMNS, read_column_map
        from timbra.received.reconciliation.engine import open_reconciliation
        from timbra.received.reconciliation.exports import read_books, read_payments
        from timbra.received.reconciliation.sat_source import read_sat

        found = stack.enter_context(open_reconciliation(options))
        if sat:
            read_sat(found.workspace, sat)
        if ledger:
            _read_ledger(found, data)
        if erp is not None:
            read_books(found.workspace, erp, read_column_map(erp_map, BOOKS_COLUMNS))
        if payments is not None:
            read_payments(found.workspace, payments, read_column_map(payments_map, PAYMENT_COLUMNS))
        if account:
            _read_stored(found, account, data)
        found.run()
        _write(found, html, xlsx, csv, json)
        summary = found.summary
    print_rows(("difference", "number"), [(each.kind.name, str(each.count)) for each in summary.kinds])
    for source in summary.sources:
        text = translate("{name}: {rows} read, {repaired} repaired, {unreadable} unreadable")
        values = {"rows": source.rows, "repaired": source.repaired, "unreadable": source.unreadable}
        typer.echo(text.format(name=source.name, **values), err=True)
    if summary.differences:
        raise typer.Exit(WITH_DIFFERENCES)


def _read_ledger(found: Reconciliation, data: Path | None) -> None:
    from timbra.database.build import opened_database
    from timbra.received.reconciliation.ledger import Ledger

    with open_command_container(data) as container:
        Ledger(container.get(opened_database)).read(found.workspace)


def _read_stored(found: Reconciliation, account: str, data: Path | None) -> None:
    from timbra.accounts.build import account_services
    from timbra.received.build import document_store
    from timbra.received.reconciliation.stored_source import StoredDocuments

    with open_command_container(data) as container:
        owner = container.get(account_services).accounts.find(account)
        StoredDocuments(container.get(document_store), owner.account_id).read(found.workspace)


def _write(found: Reconciliation, html: Path | None, xlsx: Path | None, csv: Path | None, json: Path | None) -> None:
    from timbra.received.reconciliation.result_files import ReportForm, write_report

    files = {ReportForm.HTML: html, ReportForm.XLSX: xlsx, ReportForm.CSV: csv, ReportForm.JSON: json}
    try:
        for form, target in files.items():
            if target is not None:
                write_report(found.result, form, target)
    except OSError as error:
        raise ServiceError("reconciliation-failed", f"{error.filename}: {error.strerror}") from error


def _period(month: str, since: str, until: str) -> tuple[date | None, date | None]:
    if not (month or since or until):
        return None, None
    period = period_of(month, since or until, until or since, date.min)
    return period.first, period.last


def _tolerance(text: str) -> Decimal:
    value = tolerance_of(text)
    if value is None:
        raise typer.BadParameter(translate("the tolerance is an amount such as 0.05"))
    return value


def _types(text: str) -> tuple[str, ...]:
    chosen = types_of(text)
    if chosen is None:
        raise typer.BadParameter(translate("the types are letters of {types}").format(types="".join(ALL_TYPES)))
    return chosen


@contextmanager
def _errors() -> Iterator[None]:
    """End the command with code 4 and one line for a ServiceError, or for a library that is not installed."""
    try:
        yield
    except ServiceError as error:
        typer.echo(rejection_line(error), err=True)
        raise typer.Exit(UNUSABLE) from error
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("timbra"):
            raise
        text = translate("This command needs the library {name}: install timbra[reconciliation].")
        typer.echo(text.format(name=error.name), err=True)
        raise typer.Exit(UNUSABLE) from error


COMMANDS = (Command("reconcile", reconcile, Panel.VALIDATE, 50),)
