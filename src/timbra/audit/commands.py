"""`timbra audit`: the audit log: list, verify, export."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.accounts.services import AccountServices
from timbra.console.command import Command, Panel
from timbra.console.language import translate
from timbra.console.services_option import DataOption, open_services
from timbra.console.tables import print_rows
from timbra.events.audit.recorder import AuditRecorder

if TYPE_CHECKING:
    from timbra.audit.verification import AuditVerification

app = typer.Typer(help="The audit log: who changed what, chained by hashes and signed.", no_args_is_help=True)

COLUMNS = ("sequence", "time (UTC)", "event", "actor", "address", "account", "subject", "request", "content")
TEXTS = {
    "link-changed": "The event or its link was changed.",
    "event-missing": "The event was deleted.",
    "link-missing": "The link was deleted.",
    "head-changed": "The head and the chain differ: the chain was computed again.",
    "head-signature": "No known key of this server signed the head.",
    "head-missing": "A head that was known before is not in the log.",
    "tail-missing": "The end of the log was removed from here on.",
    "tail-unsigned": "No head covers the end of the log.",
    "event-unchained": "The event is not in the chain.",
    "log-empty": "The server has accounts, but its audit log has no events.",
    "head-file-missing": "The data folder has no file audit-head.json, although the log has heads.",
}
WITHOUT_HEAD = (
    "Without a head that was kept on another machine (--head, --heads), a log that was made again is not detected."
)
Day = Annotated[str, typer.Option(metavar="YYYY-MM-DD", help="Day in UTC.")]
Head = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SEQUENCE:HASH", help="A head that was printed before, which the log must contain; repeatable."
    ),
]


@app.command("list")
def list_events(
    account: Annotated[str | None, typer.Option(help="Only events about this account.")] = None,
    kind: Annotated[str, typer.Option(help="Only this kind (token.created), or this group of kinds (token).")] = "",
    actor: Annotated[str, typer.Option(help="Only events of this user.")] = "",
    subject: Annotated[str, typer.Option(help="Only this subject: a user, token, certificate or folio.")] = "",
    since: Day = "",
    until: Day = "",
    limit: Annotated[int, typer.Option(min=1, max=500, help="Maximum number of events.")] = 50,
    data: DataOption = None,
) -> None:
    """List events, newest first; the sequence is empty for an event that is not in the chain yet."""
    from timbra.audit.audit_log import AuditLog
    from timbra.events.audit.events import AuditFilter

    with open_services(data, AccountServices, AuditLog) as (services, audit):
        users = {one.account_id: one.user for one in services.accounts.list_accounts()}
        account_id = services.accounts.find(account).account_id if account else None
        end = _midnight(until)
        filters = AuditFilter(
            account_id, kind, actor, subject, _midnight(since), None if end is None else end + timedelta(days=1)
        )
        print_rows(
            COLUMNS,
            (
                (
                    "" if entry.sequence is None else str(entry.sequence),
                    f"{entry.event.at:%Y-%m-%dT%H:%M:%SZ}",
                    entry.event.kind,
                    f"{entry.event.actor_kind} {entry.event.actor}".strip(),
                    entry.event.address,
                    users.get(entry.event.account_id or 0, str(entry.event.account_id or "")),
                    entry.event.subject,
                    entry.event.request_id,
                    entry.event.body,
                )
                for entry in audit.page(filters, limit=limit)
            ),
        )


@app.command()
def verify(
    file: Annotated[
        Path | None, typer.Option("--file", exists=True, dir_okay=False, help="An export, instead of the database.")
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(help="With --file: public key, or its identifier, that must have signed; repeatable."),
    ] = None,
    head: Head = None,
    heads_file: Annotated[
        Path | None,
        typer.Option(
            "--heads",
            exists=True,
            dir_okay=False,
            help="File with the heads that a destination of TIMBRA_AUDIT_HEADS has.",
        ),
    ] = None,
    data: DataOption = None,
) -> None:
    """Verify every event, link and head; prints what is wrong, and ends with code 1 then.

    Give it a head that is kept on another machine: only that proves that the log was not shortened or made again.
    """
    heads = [_head(text) for text in head or ()]
    if heads_file is not None:
        heads += _heads_of(heads_file)
    if file is not None:
        result = _verify_file(file, key or [], heads)
    else:
        from timbra.audit.audit_log import AuditLog

        with open_services(data, AuditLog) as audit:
            audit.chain.run()
            result = audit.verify(heads)
    if not heads:
        typer.echo(translate(WITHOUT_HEAD), err=True)
    for finding in result.findings:
        place = f"{finding.sequence}" if finding.sequence else translate("event {}").format(finding.event_id)
        typer.echo(f"{finding.kind}\t{place}\t{translate(TEXTS[finding.kind])}")
    typer.echo(translate("events: {links}, heads: {heads}").format(links=result.links, heads=result.heads))
    for key_id, public in result.keys.items():
        typer.echo(translate("key: {id} {public}").format(id=key_id, public=public.hex()))
    typer.echo(translate("head: {head}").format(head=f"{result.sequence}:{result.hash.hex()}"))
    if result.findings:
        raise typer.Exit(1)


@app.command()
def export(
    file: Annotated[Path | None, typer.Argument(help="File to write; standard output by default.")] = None,
    first: Annotated[int, typer.Option("--from", min=1, help="First sequence.")] = 1,
    last: Annotated[int | None, typer.Option("--to", min=1, help="Last sequence.")] = None,
    data: DataOption = None,
) -> None:
    """Write events, links, heads and public keys as JSON lines, for `timbra audit verify --file`."""
    from timbra.audit.audit_log import AuditLog
    from timbra.audit.export import export_lines, write_lines

    with open_services(data, AuditLog, AuditRecorder) as (audit, recorder), ExitStack() as stack:
        audit.chain.run()
        output = stack.enter_context(file.open("xb")) if file is not None else sys.stdout.buffer
        with audit.content(first, last) as content:
            write_lines(export_lines(content), output)
        recorder.record("audit.exported", None, file.name if file is not None else "")


def _verify_file(file: Path, keys: list[str], heads: list[tuple[int, str]]) -> AuditVerification:
    from timbra.audit.export import read_export
    from timbra.audit.verification import verify as verify_content
    from timbra.core.clock import WallClock

    with file.open("rb") as lines:
        content, _ = read_export(lines, keys, heads)
    return verify_content(content, WallClock().now())


def _heads_of(file: Path) -> list[tuple[int, str]]:
    import orjson

    try:
        rows = [orjson.loads(line) for line in file.read_bytes().splitlines() if line.strip()]
        return [(int(row["sequence"]), str(row["hash"]).lower()) for row in rows]
    except (ValueError, KeyError, TypeError) as error:
        raise typer.BadParameter(translate("--heads must be a file of heads, one JSON object per line")) from error


def _head(text: str) -> tuple[int, str]:
    sequence, _, digest = text.partition(":")
    if not sequence.isdigit() or not digest:
        raise typer.BadParameter(translate("--head must be SEQUENCE:HASH"))
    return int(sequence), digest.lower()


def _midnight(text: str) -> datetime | None:
    try:
        return datetime.combine(date.fromisoformat(text), time(), UTC) if text else None
    except ValueError as error:
        raise typer.BadParameter(translate("a day must be YYYY-MM-DD")) from error


COMMANDS = (Command("audit", app, Panel.OPERATE, 180),)
