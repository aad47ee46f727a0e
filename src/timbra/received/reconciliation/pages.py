"""Pages of reconciliations: the form, the list, and the differences of one."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.responses import Response

from timbra.accounts.services import CertificateServices
from timbra.console.period_option import previous_month
from timbra.core.errors import ServiceError
from timbra.core.text import storable
from timbra.received.documents.selection import ParameterError
from timbra.received.export_pages import TemporaryFile
from timbra.received.pages import account_rfcs
from timbra.received.reconciliation.column_map import BOOKS_COLUMNS, PAYMENT_COLUMNS, ColumnMap
from timbra.received.reconciliation.kinds import POSITIONS
from timbra.received.reconciliation.options import Side
from timbra.received.reconciliation.parameters import comparison_of
from timbra.received.reconciliation.result_files import (
    BOOKS_NAMES,
    MEDIA_TYPES,
    ReportForm,
    shown_text,
    summary_tables,
    write_report,
)
from timbra.received.reconciliation.run_models import (
    PART_ROWS,
    FileRole,
    RunFile,
    RunOptions,
    RunState,
    StoredReconciliation,
)
from timbra.received.reconciliation.runs import ReconciliationRuns, is_finished
from timbra.web.portal.dispatch.field_errors import FieldError
from timbra.web.portal.dispatch.page import MenuItem, Page
from timbra.web.portal.dispatch.page_request import PageRequest, redirect, text_field

PATH = "/portal/conciliaciones"
MEBIBYTE = 1024 * 1024
MAX_BYTES = 256 * MEBIBYTE
MAX_FILES = 200
MAX_NAME = 200
MAX_NUMBER = 2**62
MAX_PART = 10**6
FILE_FIELDS = {"sat": FileRole.SAT, "erp": FileRole.ERP, "pagos": FileRole.PAYMENTS}
PARAMETERS = {"rfc": "rfc", "side": "lado", "month": "mes", "tolerance": "tolerancia", "types": "tipos"}
"""Fields of the form by parameter."""
ERP_HEADINGS = {
    "uuid": "Folio fiscal",
    "rfc": "RFC de la otra parte",
    "fecha": "Fecha",
    "total": "Total",
    "total_mxn": "Total en pesos",
    "moneda": "Moneda",
    "tipo_cambio": "Tipo de cambio",
    "status": "Estado",
}
PAYMENT_HEADINGS = {"uuid": "Folio fiscal", "rfc": "RFC de la otra parte", "fecha": "Fecha", "monto": "Importe"}
"""Columns whose headings the form asks for; a map of the API names further ones."""
SIDES = {Side.RECEIVED: "Recibidos", Side.ISSUED: "Emitidos"}
STATES = {
    RunState.QUEUED: ("en espera", "warn", "clock"),
    RunState.RUNNING: ("en proceso", "warn", "clock"),
    RunState.DONE: ("terminada", "good", "circle-check"),
    RunState.FAILED: ("falló", "bad", "circle-x"),
}
EXPORTS = {
    "conciliacion.xlsx": (ReportForm.XLSX, "Excel (XLSX)"),
    "diferencias.csv": (ReportForm.CSV, "Diferencias (CSV)"),
    "conciliacion.html": (ReportForm.HTML, "Página (HTML)"),
    "conciliacion.json": (ReportForm.JSON, "JSON"),
}


@dataclass(frozen=True, slots=True)
class KindView:
    """A kind of differences of a reconciliation as the page shows it."""

    name: str
    title: str
    meaning: str
    count: int
    sat_amount: str
    books_amount: str


async def show(page_request: PageRequest, runs: ReconciliationRuns, certificates: CertificateServices) -> Response:
    """Show the form of a reconciliation, and the kept ones."""
    return await _render(page_request, runs, certificates, {}, None)


async def order(page_request: PageRequest, runs: ReconciliationRuns, certificates: CertificateServices) -> Response:
    """Receive the files of a reconciliation and queue it; otherwise show why it is not accepted."""
    form = await page_request.form(max_files=MAX_FILES)
    fields = {name: text_field(form, name, 60) for name in (*PARAMETERS.values(), "guardados", "emitidos")}
    headings = {name: text_field(form, name, 120) for name in form if name.startswith(("erp_", "pago_"))}
    try:
        with TemporaryDirectory(prefix="timbra-") as folder:
            files, paths = await _store(form, Path(folder))
            options = _options(fields, headings, files)
            submission = text_field(form, "envio", 100) or secrets.token_urlsafe(16)
            account_id = page_request.account.account_id
            number = await page_request.pools.run_database(runs.submit, account_id, submission, options, paths)
    except ParameterError as error:
        wrong = FieldError(PARAMETERS[error.name], error.detail or "")
        return await _render(page_request, runs, certificates, {**fields, **headings}, wrong)
    except ServiceError as error:
        return await _render(page_request, runs, certificates, {**fields, **headings}, error)
    return redirect(f"{PATH}/{number}")


async def show_run(page_request: PageRequest, runs: ReconciliationRuns) -> Response:
    """Show the numbers of a reconciliation, and the differences of one kind."""
    run = await _run_of(page_request, runs)
    values = {"run": run, "state": STATES[run.state], "path": f"{PATH}/{run.id}", "list_path": PATH, "sides": SIDES}
    if run.summary is None:
        return page_request.render("reconciliation.html", {**values, "is_finished": is_finished(run)})
    names = [each.kind.name for each in run.summary.kinds]
    chosen = page_request.query("clase") or next(iter(names), "")
    part = page_request.query("parte") or "1"
    if (chosen and chosen not in POSITIONS) or not (part.isascii() and part.isdigit() and 0 < int(part[:9]) < MAX_PART):
        raise HTTPException(404)
    number = int(part)
    rows = await page_request.pools.run_database(runs.part, run, chosen, number - 1)
    kinds = [
        KindView(
            each.kind.name,
            each.kind.title,
            each.kind.meaning,
            each.count,
            shown_text(each.sat_amount),
            shown_text(each.books_amount),
        )
        for each in run.summary.kinds
    ]
    tables = summary_tables(run.summary)
    return page_request.render(
        "reconciliation.html",
        {
            **values,
            "is_finished": True,
            "kinds": kinds,
            "kind": next((kind for kind in kinds if kind.name == chosen), None),
            "rows": rows,
            "part": number,
            "parts": -(-next((each.count for each in kinds if each.name == chosen), 0) // PART_ROWS),
            "documents": tables["CFDI del SAT"],
            "books": tables["Registros"],
            "sources": tables["Fuentes"],
            "books_names": BOOKS_NAMES,
            "text": shown_text,
            "exports": {name: label for name, (_, label) in EXPORTS.items()},
        },
    )


async def export(page_request: PageRequest, runs: ReconciliationRuns) -> Response:
    """Send a report as a file."""
    run = await _run_of(page_request, runs)
    name = page_request.path_parameter("file")
    if name not in EXPORTS or run.summary is None:
        raise HTTPException(404)
    folder = TemporaryDirectory(prefix="timbra-")
    try:
        target = Path(folder.name) / name
        result = await page_request.pools.run_database(runs.result, run)
        await page_request.pools.run_database(write_report, result, EXPORTS[name][0], target)
    except BaseException:
        folder.cleanup()
        raise
    return TemporaryFile(folder, target, MEDIA_TYPES[EXPORTS[name][0]])


async def delete(page_request: PageRequest, runs: ReconciliationRuns) -> Response:
    """Delete a reconciliation."""
    await page_request.form()
    run = await _run_of(page_request, runs)
    await page_request.pools.run_database(runs.delete, page_request.account.account_id, run.id)
    return redirect(f"{PATH}?aviso=eliminada")


async def _render(
    page_request: PageRequest,
    runs: ReconciliationRuns,
    certificates: CertificateServices,
    fields: Mapping[str, str],
    error: ServiceError | None,
) -> Response:
    run_database, account_id = page_request.pools.run_database, page_request.account.account_id
    rfcs = await run_database(account_rfcs, page_request, certificates)
    first = {"rfc": next(iter(rfcs), ""), "mes": previous_month(runs.today()), "tolerancia": "0.01", "tipos": "IE"}
    values = {
        "runs": await run_database(runs.newest, account_id),
        "fields": defaultdict(str, {**first, "lado": Side.RECEIVED.value, "guardados": "si", **fields}),
        "rfcs": rfcs,
        "sides": SIDES,
        "states": STATES,
        "erp_headings": ERP_HEADINGS,
        "payment_headings": PAYMENT_HEADINGS,
        "path": PATH,
        "days": runs.days,
        "is_available": runs.is_available,
        "max_mib": MAX_BYTES // MEBIBYTE,
        "submission": secrets.token_urlsafe(16),
        "deleted": page_request.query("aviso") == "eliminada",
    }
    return page_request.render_form("reconciliations.html", values, error)


async def _run_of(page_request: PageRequest, runs: ReconciliationRuns) -> StoredReconciliation:
    number = page_request.request.path_params["run"]
    if number > MAX_NUMBER:
        raise HTTPException(404)
    try:
        return await page_request.pools.run_database(runs.find, page_request.account.account_id, number)
    except ServiceError as error:
        if error.code == "TB4041":
            raise HTTPException(404) from error
        raise


async def _store(form: FormData, folder: Path) -> tuple[tuple[RunFile, ...], list[Path]]:
    """Write the uploaded files; a browser sends an empty one where none was chosen."""
    files: list[RunFile] = []
    paths: list[Path] = []
    for field, role in FILE_FIELDS.items():
        for uploaded in form.getlist(field):
            if not isinstance(uploaded, UploadFile) or not (uploaded.filename or uploaded.size):
                continue
            path = folder / str(len(paths))
            with path.open("wb") as file:
                while piece := await uploaded.read(MEBIBYTE):
                    file.write(piece)
            files.append(RunFile(role, storable(uploaded.filename or field, MAX_NAME)))
            paths.append(path)
    await form.close()
    return tuple(files), paths


def _options(fields: Mapping[str, str], headings: Mapping[str, str], files: tuple[RunFile, ...]) -> RunOptions:
    comparison = comparison_of({name: fields[field] for name, field in PARAMETERS.items()})
    return RunOptions(
        comparison,
        bool(fields["guardados"]),
        bool(fields["emitidos"]),
        files,
        _map(headings, "erp_", BOOKS_COLUMNS),
        _map(headings, "pago_", PAYMENT_COLUMNS),
    )


def _map(headings: Mapping[str, str], prefix: str, names: tuple[str, ...]) -> ColumnMap:
    """Return the map of the headings that were written; the others are recognized."""
    written = {name: headings[prefix + name] for name in names if headings.get(prefix + name)}
    return ColumnMap(written, recognize=True)


PAGES = (
    Page("GET", PATH, show, menu=MenuItem("Conciliación", 62), icon="scale"),
    Page("POST", PATH, order, max_bytes=MAX_BYTES),
    Page("GET", f"{PATH}/{{run:int}}", show_run),
    Page("POST", f"{PATH}/{{run:int}}/eliminar", delete),
    Page("GET", f"{PATH}/{{run:int}}/{{file}}", export),
)
