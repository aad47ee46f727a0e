"""Endpoints of reconciliations: ordering one with its files, its state, its differences and its reports."""

from __future__ import annotations

import secrets
from mmap import ACCESS_READ, mmap
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from starlette.responses import Response

from timbra.core.errors import ServiceError
from timbra.received.export_pages import TemporaryFile
from timbra.received.reconciliation.column_map import (
    BOOKS_COLUMNS,
    PAYMENT_COLUMNS,
    ColumnMap,
    parse_column_map,
)
from timbra.received.reconciliation.kinds import POSITIONS
from timbra.received.reconciliation.parameters import comparison_of
from timbra.received.reconciliation.result_files import MEDIA_TYPES, ReportForm, write_report
from timbra.received.reconciliation.run_models import PART_ROWS, FileRole, RunFile, RunOptions, StoredReconciliation
from timbra.received.reconciliation.runs import MAX_RUNS, ReconciliationRuns
from timbra.received.reconciliation.serializers import difference_answer, reconciliation_answer
from timbra.web.envelopes import success
from timbra.web.framework.operation import Parameter
from timbra.web.framework.operation_group import OperationGroup
from timbra.web.framework.query_limit import limit_parameter, read_limit
from timbra.web.framework.request_context import RequestContext, json_response
from timbra.web.parsing.body_stream import write_body
from timbra.web.parsing.multipart import declared_boundary, part_file_name, part_places

MAX_UPLOAD_BYTES = 256 * 1024 * 1024
MAX_FIELD_BYTES = 16 * 1024
MAX_NUMBER = 2**62
TRUE, FALSE = ("true", "1"), ("", "false", "0")
REPORTS = {f"report.{form.value}": form for form in ReportForm if form is not ReportForm.CSV} | {
    "differences.csv": ReportForm.CSV
}
HEADERS = {"Cache-Control": "no-store", "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}


async def create(request: RequestContext, runs: ReconciliationRuns) -> Response:
    """Receive the files of a reconciliation, and queue it."""
    if not request.content_type.lower().startswith("multipart/"):
        raise ServiceError("TB4030", "Se espera multipart/form-data con los campos y los archivos.")
    declared_boundary(request.content_type)
    with TemporaryDirectory(prefix="timbra-") as name:
        folder = Path(name)
        with (folder / "body").open("w+b") as spool:
            chunks = request.chunks(MAX_UPLOAD_BYTES)
            await write_body(chunks, spool, request.pools.run_database)
            account_id = request.caller.account_id
            run = await request.pools.run_database(_submit, runs, account_id, spool, folder, request.content_type)
    return json_response(success(reconciliation_answer(run)), 202)


async def list_runs(request: RequestContext, runs: ReconciliationRuns) -> Response:
    """Answer with the newest reconciliations of the account."""
    found = await request.run_for_account(runs.newest, read_limit(request.query("limit"), MAX_RUNS))
    return json_response(success([reconciliation_answer(run) for run in found]))


async def read(request: RequestContext, runs: ReconciliationRuns) -> Response:
    """Answer with a reconciliation and its numbers."""
    return json_response(success(reconciliation_answer(await _find(request, runs))))


async def delete(request: RequestContext, runs: ReconciliationRuns) -> Response:
    """Delete a reconciliation."""
    run = await _find(request, runs)
    await request.run_for_account(runs.delete, run.id)
    return Response(status_code=204)


async def differences(request: RequestContext, runs: ReconciliationRuns) -> Response:
    """Answer with a page of the differences of one kind."""
    run = await _find(request, runs)
    kind, page = request.query("kind") or "", request.query("page") or "0"
    if kind not in POSITIONS:
        raise ServiceError("TB4005", f"kind: uno de {', '.join(POSITIONS)}.")
    if not (page.isascii() and page.isdigit() and len(page) < 9):
        raise ServiceError("TB4005", "page: un número desde 0.")
    found = await request.pools.run_database(runs.part, run, kind, int(page))
    return json_response(success([difference_answer(each) for each in found]))


async def report(request: RequestContext, runs: ReconciliationRuns) -> Response:
    """Answer with a report as a file."""
    run = await _find(request, runs)
    name = request.parameters["file"].lower()
    if name not in REPORTS:
        raise ServiceError("TB4041", f"Los archivos son {', '.join(REPORTS)}.")
    form = REPORTS[name]
    folder = TemporaryDirectory(prefix="timbra-")
    try:
        target = Path(folder.name) / name
        result = await request.pools.run_database(runs.result, run)
        await request.pools.run_database(write_report, result, form, target)
    except BaseException:
        folder.cleanup()
        raise
    answer = TemporaryFile(folder, target, MEDIA_TYPES[form], f"{run.id}-{name}")
    answer.headers.update(HEADERS)
    return answer


async def _find(request: RequestContext, runs: ReconciliationRuns) -> StoredReconciliation:
    text = request.parameters["id"]
    if not (text.isascii() and text.isdigit() and int(text[:20]) <= MAX_NUMBER):
        raise ServiceError("TB4041", "La cuenta no tiene esa conciliación.")
    return await request.run_for_account(runs.find, int(text))


def _submit(
    runs: ReconciliationRuns, account_id: int, spool: IO[bytes], folder: Path, content_type: str
) -> StoredReconciliation:
    """Find the parts of the body in its file, and queue the reconciliation."""
    if not spool.tell():
        raise ServiceError("TB4030", "La petición no trae nada.")
    files: list[RunFile] = []
    paths: list[Path] = []
    fields: dict[str, str] = {}
    with mmap(spool.fileno(), 0, access=ACCESS_READ) as body:
        for name, (start, end) in part_places(body, content_type).items():
            if name in [role.value for role in FileRole]:
                path = folder / name
                path.write_bytes(memoryview(body)[start:end].tobytes())
                files.append(RunFile(FileRole(name), part_file_name(body, content_type, name) or name))
                paths.append(path)
            elif end - start > MAX_FIELD_BYTES:
                raise ServiceError("TB4005", f"Un campo de la petición pasa de {MAX_FIELD_BYTES} bytes.")
            else:
                fields[name] = body[start:end].decode("utf-8", "replace").strip()
    options = RunOptions(
        comparison_of(fields),
        _flag(fields, "stored"),
        _flag(fields, "ledger"),
        tuple(files),
        _map(fields, "erpcolumns", BOOKS_COLUMNS),
        _map(fields, "paymentscolumns", PAYMENT_COLUMNS),
    )
    return runs.find(account_id, runs.submit(account_id, secrets.token_urlsafe(16), options, paths))


def _flag(fields: dict[str, str], name: str) -> bool:
    value = fields.get(name, "").lower()
    if value not in (*TRUE, *FALSE):
        raise ServiceError("TB4005", f"El campo {name} debe ser true o false.")
    return value in TRUE


def _map(fields: dict[str, str], name: str, columns: tuple[str, ...]) -> ColumnMap:
    return parse_column_map(fields[name].encode(), columns) if fields.get(name) else ColumnMap()


operation = OperationGroup("reconciliations", "/reconciliations").build
OPERATIONS = (
    operation(
        "create",
        "POST",
        "",
        create,
        "Reconcile the CFDI of the SAT with books and payments",
        "Reconciliation",
        body="ReconciliationUpload",
        description="`sat`: a metadata file, an XML or a ZIP of them; `stored`: the documents that the account has "
        "received; `ledger`: the CFDI that it stamped; `erp` and `payments`: CSV or workbooks, with the maps of their "
        "columns in `erpColumns` and `paymentsColumns`. The period is `month`, or `since` and `until`. "
        "docs/reconciliation.md describes files, maps and kinds.",
        success_status=202,
    ),
    operation(
        "list",
        "GET",
        "",
        list_runs,
        "List the newest reconciliations of the account",
        "ReconciliationList",
        parameters=(limit_parameter(MAX_RUNS),),
    ),
    operation("read", "GET", "/{id}", read, "Read a reconciliation, with its numbers", "Reconciliation"),
    operation(
        "differences",
        "GET",
        "/{id}/differences",
        differences,
        "Read the differences of one kind",
        "ReconciliationDifferences",
        description=f"Pages of {PART_ROWS} differences, by date and UUID; an empty page is behind the last one.",
        parameters=(
            Parameter("kind", "query", "Name of the kind.", required=True),
            Parameter("page", "query", "Number of the page, from 0."),
        ),
    ),
    operation(
        "report",
        "GET",
        "/{id}/{file}",
        report,
        "Download the report of a reconciliation",
        "file",
        description=f"`file`: {', '.join(f'`{name}`' for name in REPORTS)}; all have the same numbers.",
        media_types=tuple(media_type.partition(";")[0] for media_type in MEDIA_TYPES.values()),
    ),
    operation("delete", "DELETE", "/{id}", delete, "Delete a reconciliation", "nothing"),
)
