"""Validation of documents that suppliers sent: uploads, kept runs, results with filters, and one document."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response, StreamingResponse

from timbra.accounts.services import CertificateServices
from timbra.cfdi.search_words import normalized
from timbra.core.errors import ServiceError
from timbra.received.files import UploadedFile
from timbra.received.store import ResultFilter, StoredRun
from timbra.received.uploads import MAX_DOCUMENTS, MAX_RUNS, ReceivedOptions, ReceivedProgress, ReceivedValidation
from timbra.received.view import RESULTS, STATUSES, result_view
from timbra.web.parsing.request_body import BodyRejectedError
from timbra.web.portal.dispatch.field_errors import FieldError
from timbra.web.portal.dispatch.page import MenuItem, Page
from timbra.web.portal.dispatch.page_request import PageRequest, redirect, text_field
from timbra.web.portal.views.formatting import error_message

PATH = "/portal/proveedores"
FIELD = "archivos"
MEBIBYTE = 1024 * 1024
MAX_BYTES = 40 * MEBIBYTE
MAX_FILES = 1_000
"""Files of one form; with JavaScript the page sends many forms to the same run."""
PAGE_SIZE = 50
MAX_NUMBER = 2**62
MAX_DOCUMENT_NUMBER = 2**31 - 1
FILTER_FIELDS = ("texto", "resultado", "estado", "lista69b", "duplicados", "ajenos")
JSON = "application/json"


async def show(page_request: PageRequest, received: ReceivedValidation) -> Response:
    """Show the form of an upload and the kept runs."""
    return await _render_form(page_request, received, None)


async def upload(page_request: PageRequest, received: ReceivedValidation) -> Response:
    """Create a run; without JavaScript the form has the files, which are validated before the page of the results."""
    wants_json, stored = page_request.request.headers.get("accept", "") == JSON, 0
    try:
        form = await page_request.form(max_files=MAX_FILES)
        files = chosen_files(form)
        if not files and not wants_json:
            raise FieldError(FIELD, "Elija uno o varios archivos XML, ZIP o TXT.")
        label = str(files[0].filename) if files else text_field(form, "nombre")
        run, is_new = await page_request.pools.run_database(
            received.create, page_request.account.account_id, _submission(form), label
        )
        if files and is_new:
            async for step in _validate(page_request, received, run, form):
                stored = step.stored
    except BodyRejectedError:
        raise
    except ServiceError as error:
        if wants_json:
            return _json_error(error)
        return await _render_form(page_request, received, error)
    notice = f"?guardados={stored}" if stored else ""
    return JSONResponse({"run": run}) if wants_json else redirect(f"{PATH}/{run}{notice}")


async def add_files(page_request: PageRequest, received: ReceivedValidation) -> Response:
    """Validate files of a run; the answer has a line of JSON for each step, sent when it is reached."""
    run = await run_of(page_request, received)
    try:
        form = await page_request.form(max_files=MAX_FILES)
        steps = _validate(page_request, received, run.number, form)
        first = await anext(steps, None)
    except BodyRejectedError:
        raise
    except ServiceError as error:
        return _json_error(error)

    async def lines() -> AsyncIterator[bytes]:
        async with aclosing(steps):
            try:
                yield _line(first)
                async for step in steps:
                    yield _line(step)
            except ServiceError as error:
                yield orjson.dumps(_error(error)) + b"\n"

    return StreamingResponse(lines(), media_type="application/x-ndjson")


async def show_run(
    page_request: PageRequest, received: ReceivedValidation, certificates: CertificateServices
) -> Response:
    run = await run_of(page_request, received)
    rfcs = await page_request.pools.run_database(account_rfcs, page_request, certificates)
    repository, run_database = received.repository, page_request.pools.run_database
    fields = fields_of_filter(page_request)
    kept = page_request.query("guardados")
    values = {"run": run, "fields": fields, "rfcs": rfcs, "results": RESULTS, "statuses": STATUSES, "path": PATH}
    values["kept"] = kept if kept.isascii() and kept.isdigit() else ""
    try:
        filters = filter_of(fields, rfcs)
        after = _after(page_request)
    except FieldError as error:
        return page_request.render_error("received_run.html", error, {**values, "rows": (), "found": 0, "counts": ()})
    rows = await run_database(repository.page, run.number, filters, after, PAGE_SIZE + 1)
    counts = [
        ("con errores", {"resultado": "wrong"}, run.wrong),
        (
            "en la lista 69-B",
            {"lista69b": "si"},
            await _count(page_request, received, run, ResultFilter(is_listed=True)),
        ),
        (
            "con folio repetido",
            {"duplicados": "si"},
            await _count(page_request, received, run, ResultFilter(is_duplicate=True)),
        ),
        (
            "cancelados",
            {"estado": "Cancelado"},
            await _count(page_request, received, run, ResultFilter(status="Cancelado")),
        ),
    ]
    if rfcs:
        others = ResultFilter(not_received_by=rfcs)
        counts.append(("de otro receptor", {"ajenos": "si"}, await _count(page_request, received, run, others)))
    return page_request.render(
        "received_run.html",
        {
            **values,
            "rows": [result_view(row, rfcs) for row in rows[:PAGE_SIZE]],
            "found": await run_database(repository.count, run.number, filters),
            "next": rows[PAGE_SIZE - 1].document_id if len(rows) > PAGE_SIZE else None,
            "counts": counts,
        },
    )


async def show_document(
    page_request: PageRequest, received: ReceivedValidation, certificates: CertificateServices
) -> Response:
    """Show one document of a run with its findings."""
    run = await run_of(page_request, received)
    number = page_request.request.path_params["document"]
    if number > MAX_DOCUMENT_NUMBER:
        raise HTTPException(404)
    repository, run_database = received.repository, page_request.pools.run_database
    found = await run_database(repository.page, run.number, ResultFilter(), number - 1, 1)
    if not found or found[0].document_id != number:
        raise HTTPException(404)
    rfcs = await run_database(account_rfcs, page_request, certificates)
    return page_request.render("received_document.html", {"run": run, "row": result_view(found[0], rfcs)})


async def delete(page_request: PageRequest, received: ReceivedValidation) -> Response:
    """Delete a run with its results."""
    await page_request.form()
    run = await run_of(page_request, received)
    await page_request.pools.run_database(received.repository.delete, page_request.account.account_id, run.number)
    return redirect(f"{PATH}?aviso=eliminada")


async def run_of(page_request: PageRequest, received: ReceivedValidation) -> StoredRun:
    """Return the run of the path. HTTPException(404) when the account has no such run."""
    number = page_request.request.path_params["run"]
    run = None
    if number <= MAX_NUMBER:
        find = received.repository.find
        run = await page_request.pools.run_database(find, page_request.account.account_id, number)
    if run is None:
        raise HTTPException(404)
    return run


def account_rfcs(page_request: PageRequest, certificates: CertificateServices) -> tuple[str, ...]:
    """Return the RFC of the account: those of its certificates. Reads the database."""
    stored = certificates.vault.list_certificates(page_request.account.account_id)
    return tuple(sorted({certificate.rfc for certificate in stored}))


def fields_of_filter(page_request: PageRequest) -> dict[str, str]:
    """Return the fields of the search form."""
    return {name: page_request.query(name)[:200] for name in FILTER_FIELDS}


def filter_of(fields: dict[str, str], rfcs: Sequence[str]) -> ResultFilter:
    """Return the selection that the fields describe. FieldError for a value that does not exist.

    Args:
        fields: Fields of the search form.
        rfcs: RFC of the account.
    """
    for name, values in (("resultado", RESULTS), ("estado", STATUSES)):
        if fields[name] not in values:
            raise FieldError(name, f"{name.capitalize()}: elija uno de la lista.")
    return ResultFilter(
        normalized(fields["texto"]),
        fields["resultado"],
        fields["estado"],
        bool(fields["lista69b"]),
        bool(fields["duplicados"]),
        rfcs if fields["ajenos"] else None,
    )


async def _count(page_request: PageRequest, received: ReceivedValidation, run: StoredRun, filters: ResultFilter) -> int:
    repository = received.repository
    return await page_request.pools.run_database(repository.count, run.number, filters)


async def _validate(
    page_request: PageRequest, received: ReceivedValidation, run: int, form: FormData
) -> AsyncGenerator[ReceivedProgress, None]:
    """Validate the files of a form, from temporary files that are removed at the end."""
    leniency = page_request.account.vendor_leniency
    chosen = (form.get(name) == "yes" for name in ("status", "require_stamp", "guardar"))
    with_status, require_stamp, with_xml = chosen
    options = ReceivedOptions(with_status, require_stamp, leniency, with_xml)
    account_id, run_database = page_request.account.account_id, page_request.pools.run_database
    with TemporaryDirectory() as folder:
        files = [await store_file(Path(folder), place, each) for place, each in enumerate(chosen_files(form))]
        await form.close()
        async with aclosing(received.add(account_id, run, files, options, run_database)) as steps:
            async for step in steps:
                yield step


async def store_file(folder: Path, place: int, uploaded: UploadFile) -> UploadedFile:
    """Write an uploaded file; its name is not used as the name of the file."""
    path = folder / str(place)
    with path.open("wb") as file:
        while piece := await uploaded.read(MEBIBYTE):
            file.write(piece)
    return UploadedFile(uploaded.filename or f"documento {place + 1}", str(path))


def chosen_files(form: FormData) -> list[UploadFile]:
    """Return the chosen files; a browser sends one empty file when none was chosen."""
    return [value for value in form.getlist(FIELD) if isinstance(value, UploadFile) and (value.filename or value.size)]


def _submission(form: FormData) -> str:
    return text_field(form, "envio", 100) or secrets.token_urlsafe(16)


def _after(page_request: PageRequest) -> int:
    text = page_request.query("desde")
    if not text:
        return -1
    if not (text.isascii() and text.isdigit() and int(text) <= MAX_DOCUMENT_NUMBER):
        raise FieldError("desde", "La página no existe.")
    return int(text)


async def _render_form(page_request: PageRequest, received: ReceivedValidation, error: ServiceError | None) -> Response:
    account_id = page_request.account.account_id
    values = {
        "runs": await page_request.pools.run_database(received.repository.runs, account_id, MAX_RUNS),
        "days": received.days,
        "submission": secrets.token_urlsafe(16),
        "max_bytes": min(MAX_BYTES, page_request.environment.requests.limits.max_body_bytes),
        "max_files": MAX_FILES,
        "max_documents": MAX_DOCUMENTS,
        "field": FIELD,
    }
    return page_request.render_form("received.html", values, error)


def _line(progress: ReceivedProgress | None) -> bytes:
    if progress is None:
        return b""
    names = ("done", "total", "wrong", "ignored", "stored")
    return orjson.dumps({name: getattr(progress, name) for name in names}) + b"\n"


def _json_error(error: ServiceError) -> Response:
    return JSONResponse(_error(error), 503 if error.retry_after else 422)


def _error(error: ServiceError) -> dict[str, str]:
    return {"error": " ".join(filter(None, (error_message(error.code), error.detail)))}


PAGES = (
    Page("GET", PATH, show, menu=MenuItem("Proveedores", 60), icon="truck", shortcut="p"),
    Page("POST", PATH, upload, max_bytes=MAX_BYTES),
    Page("GET", f"{PATH}/{{run:int}}", show_run),
    Page("POST", f"{PATH}/{{run:int}}/archivos", add_files, max_bytes=MAX_BYTES),
    Page("POST", f"{PATH}/{{run:int}}/eliminar", delete),
    Page("GET", f"{PATH}/{{run:int}}/{{document:int}}", show_document),
)
