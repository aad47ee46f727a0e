"""`timbra received`: the documents that a taxpayer received and issued, from the SAT and by other ways."""

from __future__ import annotations

import time
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.accounts.services import AccountServices
from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.progress import print_line, progress_bar, track
from timbra.console.services_option import DataOption, open_services
from timbra.console.tables import print_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from timbra.received.synchronization.models import SyncReport

app = typer.Typer(
    help="Received and issued documents, from the SAT's bulk download, files and e-mail.", no_args_is_help=True
)

Account = Annotated[str, typer.Option("--account", help="User name of the account that gets the documents.")]
Rfc = Annotated[str, typer.Option("--rfc", help="RFC of the taxpayer, whose e.firma the account has.")]
COLUMNS = (
    "rfc",
    "kind",
    "side",
    "state",
    "since",
    "asked until",
    "documents",
    "without XML",
    "open",
    "given up",
    "broken",
    "reason",
)
POLL_SECONDS = 5.0


@app.command()
def efirma(
    account: Account,
    cer: Annotated[Path, typer.Option("--cer", exists=True, dir_okay=False, help="Certificate file (.cer).")],
    key: Annotated[Path, typer.Option("--key", exists=True, dir_okay=False, help="Private key file (.key).")],
    password: Annotated[
        str | None, typer.Option(help="Password of the private key; the command prompts for it when it is not given.")
    ] = None,
    data: DataOption = None,
) -> None:
    """Store the e.firma of a taxpayer, encrypted; prints RFC, certificate number and the end of its validity.

    It signs requests to the SAT's bulk download and nothing else.
    """
    from timbra.accounts.vault.efirma import EfirmaVault

    with open_services(data, AccountServices, EfirmaVault) as (services, vault):
        owner = services.accounts.find(account)
        if password is None:
            password = str(typer.prompt(translate("Password"), hide_input=True))
        stored = vault.save(owner.account_id, cer.read_bytes(), key.read_bytes(), password)
        typer.echo(f"{stored.rfc}\t{stored.number}\t{stored.valid_to:%Y-%m-%dT%H:%M:%SZ}")


@app.command()
def sync(
    account: Account,
    rfc: Rfc,
    since: Annotated[datetime, typer.Option(formats=["%Y-%m-%d"], help="First issue date.")],
    side: Annotated[list[str] | None, typer.Option(help="received, issued; both by default.")] = None,
    kind: Annotated[list[str] | None, typer.Option(help="cfdi, retenciones; both by default.")] = None,
    detach: Annotated[bool, typer.Option("--detach", help="Leave the work to a running server.")] = False,
    data: DataOption = None,
) -> None:
    """Download the documents of a taxpayer; ends when all until yesterday are stored.

    The SAT takes minutes to days. A run that is stopped is continued by the next one, or by a server: no request is
    sent twice. Exits with 1 when a period was given up or the e.firma is not accepted.
    """
    from timbra.received.synchronization.service import SIDES, SyncRunner, SyncService

    with open_services(data, AccountServices, SyncService, SyncRunner) as (services, syncs, runner):
        owner = services.accounts.find(account).account_id
        reports = syncs.start(owner, rfc, since.date(), side or SIDES, kind or None)
        with progress_bar() as show:
            while not detach:
                due = runner.run(owner, reports[0].sync.rfc)
                reports = syncs.reports(owner, reports[0].sync.rfc)
                if due is None or not any(report.is_working for report in reports):
                    break
                total = sum(sum(report.requests.values()) for report in reports)
                documents = sum(report.documents for report in reports)
                label = translate("requests done, {documents} documents").format(documents=documents)
                show(label, total - sum(report.open_requests for report in reports), total)
                seconds = (due - syncs.wall.now()).total_seconds()
                time.sleep(min(max(seconds, 0.1), POLL_SECONDS))
    _print(reports)
    if not detach and any(report.requests.get("failed") or report.sync.reason for report in reports):
        raise typer.Exit(1)


@app.command()
def status(
    account: Account,
    rfc: Annotated[str | None, typer.Option("--rfc", help="RFC of one taxpayer.")] = None,
    data: DataOption = None,
) -> None:
    """Show what is synchronized, its documents, and its requests that are open or were given up."""
    from timbra.received.synchronization.service import SyncService

    with open_services(data, AccountServices, SyncService) as (services, syncs):
        _print(syncs.reports(services.accounts.find(account).account_id, rfc and rfc.upper()))


@app.command()
def stop(account: Account, rfc: Rfc, data: DataOption = None) -> None:
    """Stop the synchronization of a taxpayer; its documents stay, and `sync` continues it."""
    from timbra.received.synchronization.service import SyncService

    with open_services(data, AccountServices, SyncService) as (services, syncs):
        _print(syncs.stop(services.accounts.find(account).account_id, rfc))


@app.command()
def add(
    account: Account,
    paths: Annotated[list[Path], typer.Argument(help="XML, PDF with an attached CFDI, ZIP, and folders of them.")],
    rfc: Annotated[
        str, typer.Option("--rfc", help="Party that each document must have, instead of the RFC of the account.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON for each document.")] = False,
    data: DataOption = None,
) -> None:
    """Add documents from files; each is validated and stored once by its UUID.

    Rejected are documents that cannot be read, without a stamp, or of other parties; findings reject none. Exits with 1
    when a document was rejected.
    """
    from timbra.console.sources import existing_sources, list_sources
    from timbra.received.documents.intake import DocumentIntake, IntakeTerms
    from timbra.received.documents.local_files import arrival_line, arrivals_of
    from timbra.received.documents.models import FILE
    from timbra.received.examination import Examiner

    ignored: list[str] = []
    sources = list(list_sources(existing_sources(paths), ignored, with_unreadable=True, with_pdf=True))
    counts: Counter[str] = Counter()
    with open_services(data, AccountServices, DocumentIntake, Examiner) as (services, intake, examiner):
        owner, terms = services.accounts.find(account).account_id, IntakeTerms(FILE, rfc=rfc.upper())
        arrivals = arrivals_of(owner, sources, terms, intake, examiner)
        for arrival in track(arrivals, len(sources), translate("documents")):
            counts[arrival.word] += 1
            if as_json:
                print_line(arrival_line(arrival))
            for reason in arrival.reasons:
                print_line(f"{arrival.name}: {reason.text}", err=True)
    if not as_json:
        print_rows(("outcome", "documents"), [(word, str(number)) for word, number in sorted(counts.items())])
    if ignored:
        typer.echo(translate("{count} files are no documents").format(count=len(ignored)), err=True)
    if counts["rejected"]:
        raise typer.Exit(1)


@app.command("mail-account")
def mail_account(
    account: Account,
    host: Annotated[str, typer.Option("--host", help="IMAP server; the connection is TLS.")],
    user: Annotated[str, typer.Option("--user", help="User of the mail account.")],
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="Port of the server.")] = 993,
    folder: Annotated[str, typer.Option("--folder", help="Folder of the mail account.")] = "INBOX",
    password: Annotated[
        str | None, typer.Option(help="Password of the user; the command prompts for it when it is not given.")
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Do not read this mail account any more.")] = False,
    data: DataOption = None,
) -> None:
    """Receive documents by e-mail: store a mail account, its password encrypted, after its folder was opened.

    A running server reads it from then on; messages are neither changed nor deleted.
    """
    from timbra.received.submissions.mail_accounts import MailAccounts

    with open_services(data, AccountServices, MailAccounts) as (services, mail_accounts):
        owner = services.accounts.find(account).account_id
        if remove:
            mail_accounts.remove(owner, host, user, folder)
            return
        if password is None:
            password = str(typer.prompt(translate("Password"), hide_input=True))
        mail_accounts.save(owner, host, port, user, folder, password)


@app.command()
def mail(
    account: Account,
    data: DataOption = None,
) -> None:
    """Read the new messages of the mail accounts of an account now.

    Prints sender, subject, and numbers of new, known and rejected documents of each message with documents; why a
    document was rejected goes to standard error. Exits with 1 when one was rejected.
    """
    from timbra.received.documents.models import Outcome
    from timbra.received.submissions.mail_accounts import MailAccounts

    is_rejected = False
    with open_services(data, AccountServices, MailAccounts) as (services, mail_accounts):
        for each in mail_accounts.of_account(services.accounts.find(account).account_id):
            for read in mail_accounts.read(each):
                for arrival in read.arrivals:
                    for reason in arrival.reasons:
                        typer.echo(f"{arrival.name}: {reason.text}", err=True)
                rejected = sum(not arrival.is_stored for arrival in read.arrivals)
                known = sum(arrival.outcome is Outcome.KNOWN for arrival in read.arrivals)
                numbers = (len(read.arrivals) - rejected - known, known, rejected)
                is_rejected = is_rejected or rejected > 0
                if read.arrivals:
                    message = read.message
                    typer.echo("\t".join((message.sender, message.subject, *map(str, numbers))))
    if is_rejected:
        raise typer.Exit(1)


def _print(reports: Sequence[SyncReport]) -> None:
    print_rows(COLUMNS, [_row(report) for report in reports])


def _row(report: SyncReport) -> tuple[str, ...]:
    sync, requests = report.sync, report.requests
    return (
        sync.rfc,
        sync.kind,
        "issued" if sync.is_issued else "received",
        sync.state,
        f"{sync.since:%Y-%m-%d}",
        "" if sync.planned_until is None else f"{sync.planned_until:%Y-%m-%d}",
        str(report.documents),
        str(report.missing),
        str(report.open_requests),
        str(requests.get("failed", 0)),
        str(report.broken),
        sync.reason,
    )


COMMANDS = (Command("received", app, Panel.OPERATE, 65),)
