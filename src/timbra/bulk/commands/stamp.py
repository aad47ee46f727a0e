"""`timbra bulk stamp`: seals and stamps documents by servers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from timbra.bulk.commands.endings import WITH_INVALID, errors
from timbra.bulk.commands.runs import new_description, prepare, print_results, run_engine
from timbra.console.language import translate
from timbra.console.services_option import command_settings
from timbra.core.errors import ServiceError

STAMPED = ("stamped", "repeated", "rejected", "unreadable")
"""Results that the command counts."""
STAMP_TASK_DOCUMENTS = 100


def stamp(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="XML documents, folders, zip archives, URLs and @FILE as for `timbra bulk validate`, JSON lines "
            "(.jsonl), and CSV with --template.",
        ),
    ],
    out: Annotated[str, typer.Option("--out", help="Result folder.")],
    url: Annotated[list[str], typer.Option("--url", help="Base address of a server; may be repeated for its nodes.")],
    token: Annotated[
        str, typer.Option("--token", envvar="TIMBRA_TOKEN", help="Token of the account. Others see an option in `ps`.")
    ],
    sealed: Annotated[bool, typer.Option("--sealed", help="The documents are sealed: only stamp them.")] = False,
    template: Annotated[
        Path | None,
        typer.Option(dir_okay=False, help="JSON document with {COLUMN} in its texts, which each row of a CSV fills."),
    ] = None,
    pdf: Annotated[bool, typer.Option("--pdf", help="Also print the stamped documents, into pdf/.")] = False,
    concurrency: Annotated[int, typer.Option(min=1, max=512, help="Requests at a time.")] = 16,
) -> None:
    """Seal and stamp documents by servers into a result folder.

    Each request has a customid from the content of its document, so that a repeated command stamps nothing twice: it
    completes what is missing. Stamped documents are in xml/. rejected.csv lists the others with the reason; rejected/
    has their copies and their rows of CSV files, to be corrected and stamped with another result folder. Exit code 0:
    all documents are stamped, and printed with --pdf. 1: a document is rejected, cannot be read or cannot be printed.
    2: wrong usage, or no document found. 3: interrupted; repeat the command. 4: a server or the result folder cannot
    be used.
    """
    with errors():
        import httpx2

        from timbra.bulk.locations import absolute, is_remote
        from timbra.bulk.plan import Planner
        from timbra.bulk.reading import TaskReader
        from timbra.bulk.stamping.client import StampClient
        from timbra.bulk.stamping.engine import StampEngine
        from timbra.bulk.stamping.records import JsonTemplate, RecordReader
        from timbra.bulk.stamping.rejected import LIST, write_rejected

        if is_remote(out):
            text = f"{out} es una dirección; los documentos timbrados se escriben en una carpeta local."
            raise ServiceError("bulk-folder", text)
        filled = JsonTemplate(template) if template is not None else None
        options = {"sealed": sealed, "template": filled.sha256 if filled is not None else None, "pdf": pdf}
        description = new_description("stamp", "", tuple(map(absolute, sources)), options)
        results = prepare(out, description, Planner(STAMP_TASK_DOCUMENTS, RecordReader(filled).count))
        limits = httpx2.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
        headers = {"Authorization": f"Bearer {token}"}
        with httpx2.Client(headers=headers, limits=limits, timeout=120) as http:
            client = StampClient(http, url, sealed=sealed)
            documents = TaskReader(command_settings(None).max_body_bytes)
            engine = StampEngine(client, documents, RecordReader(filled), Path(out), concurrency, is_printed=pdf)
            progress = run_engine(results, engine.write, translate("stamping"))
        rejected = write_rejected(results)
    print_results(progress, results, STAMPED)
    unprinted = results.count_null("stamps", "pdf", "uuid") if pdf else 0
    if unprinted:
        text = translate("{count} stamped documents could not be printed; the table stamps has the reason.")
        typer.echo(text.format(count=unprinted), err=True)
    if rejected:
        text = translate("{count} documents to be corrected: {file}")
        typer.echo(text.format(count=rejected, file=Path(results.location, LIST)), err=True)
    if rejected or unprinted:
        raise typer.Exit(WITH_INVALID)
