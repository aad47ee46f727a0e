"""`timbra bulk status`: queries the authority for the status of documents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.app.command_container import open_command_container
from timbra.bulk.commands.endings import (
    INTERRUPTED,
    WITH_INVALID,
    ResultsArgument,
    errors,
    terminations_as_interrupts,
)
from timbra.console.ephemeral_services import ephemeral_data
from timbra.console.language import translate
from timbra.console.progress import track
from timbra.core.errors import ServiceError
from timbra.validation.commands import ValidationDataOption

if TYPE_CHECKING:
    from timbra.bulk.result_folder import ResultFolder
    from timbra.bulk.statuses import StatusAnswer
    from timbra.validation.tables import Row

STATUS_ROWS = 2_000
"""Answers of the authority that are stored at a time."""


def status(
    folder: ResultsArgument,
    rate: Annotated[float, typer.Option(min=0.01, max=10_000, help="Queries per second of the whole run.")] = 20,
    concurrency: Annotated[int, typer.Option(min=1, max=256, help="Queries at a time.")] = 8,
    max_age: Annotated[
        int, typer.Option("--max-age", min=0, help="Days after which a status in force is queried again.")
    ] = 30,
    data: ValidationDataOption = None,
) -> None:
    """Query the authority for the status of the documents of a result folder, where it is unknown or old.

    Answers are stored as they arrive: the same command goes on after an interruption. A cancelled document is not
    queried again. Exit code 0: every due document has a status. 1: some have none; repeat the command. 3: interrupted.
    4: the result folder or the authority cannot be used.
    """
    from datetime import timedelta

    with errors(), ephemeral_data(data) as chosen, open_command_container(chosen) as container:
        from timbra.bulk.report.database import open_database
        from timbra.bulk.result_folder import ResultFolder
        from timbra.bulk.statuses import Pacer, StatusRun, count_due, due_queries
        from timbra.sat.ports import direct_status_service

        results, service = ResultFolder(folder), container.get(direct_status_service)
        if service is None:
            raise ServiceError("authority-down", translate("The settings have no status service."))
        results.description()
        run = StatusRun(service, container.wall, Pacer(rate), concurrency)
        before = container.wall.now() - timedelta(days=max_age)
        with results.lock(), open_database(results) as database, terminations_as_interrupts():
            due = count_due(database, before)
            answers = run.run(due_queries(database, before))
            interrupted = _store_answers(results, track(answers, due, translate("querying")))
    text = translate("{due} due, {answered} answered, {failed} without an answer")
    typer.echo(text.format(due=due, answered=run.totals.answered, failed=run.totals.failed), err=True)
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    if run.totals.failed:
        raise typer.Exit(WITH_INVALID)


def _store_answers(results: ResultFolder, answers: Iterable[StatusAnswer]) -> bool:
    """Store answers in parts as they arrive, the last part also after an error.

    Returns:
        Whether the user interrupted.
    """
    rows: list[Row] = []
    try:
        for answer in answers:
            rows.append(answer.to_row())
            if len(rows) == STATUS_ROWS:
                results.write_statuses(rows)
                rows = []
    except KeyboardInterrupt:
        return True
    finally:
        if rows:
            results.write_statuses(rows)
    return False
