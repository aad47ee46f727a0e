"""Pages of the bulk download: the e.firma of the account, and the progress of each taxpayer."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from urllib.parse import quote

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.responses import Response

from timbra.accounts.pages.certificate_view import days_left
from timbra.accounts.vault.efirma import EfirmaVault
from timbra.core.errors import ServiceError
from timbra.received.documents.pages import PATH as DOCUMENTS
from timbra.received.synchronization.models import SyncReport
from timbra.received.synchronization.service import SIDES, SyncService
from timbra.received.synchronization.texts import PACKAGE_STATES, REQUEST_STATES, SYNC_STATES, cause_of
from timbra.web.portal.dispatch.field_errors import FieldError
from timbra.web.portal.dispatch.page import MenuItem, Page
from timbra.web.portal.dispatch.page_request import PageRequest, redirect, text_field

PATH = "/portal/descargas"
MAX_BYTES = 128 * 1024
MAX_RFC = 13
SHOWN = 50
MAX_DIGITS = 18
SIDE_NAMES = {"received": "Recibidos", "issued": "Emitidos"}
Work = Callable[[int, str], list[SyncReport]]
KIND_NAMES = {"cfdi": "CFDI", "retenciones": "Retenciones"}


async def show(page_request: PageRequest, syncs: SyncService, vault: EfirmaVault) -> Response:
    """Show the e.firma, the form of a download, and what is downloaded."""
    return await _render(page_request, syncs, vault, None)


async def save_efirma(page_request: PageRequest, syncs: SyncService, vault: EfirmaVault) -> Response:
    """Store an e.firma; otherwise show what is wrong."""
    form = await page_request.form(max_files=2)
    files = [form.get(name) for name in ("cer", "key")]
    certificate, key = [await file.read() if isinstance(file, UploadFile) else b"" for file in files]
    account_id = page_request.account.account_id
    try:
        password = str(form.get("password") or "")
        await page_request.pools.run_keys(vault.save, account_id, certificate, key, password)
    except ServiceError as error:
        return await _render(page_request, syncs, vault, error)
    return redirect(f"{PATH}?aviso=guardada")


async def delete_efirma(page_request: PageRequest, vault: EfirmaVault) -> Response:
    """Delete an e.firma with its key."""
    await page_request.form()
    account_id, rfc = page_request.account.account_id, page_request.path_parameter("rfc")
    try:
        await page_request.pools.run_database(vault.delete, account_id, rfc)
    except ServiceError as error:
        if error.code == "efirma-unknown":
            raise HTTPException(404) from error
        raise
    return redirect(f"{PATH}?aviso=eliminada")


async def start(page_request: PageRequest, syncs: SyncService, vault: EfirmaVault) -> Response:
    """Start a download, or add days to it."""
    form = await page_request.form()
    rfc, since = text_field(form, "rfc", MAX_RFC), text_field(form, "desde", 10)
    sides = [str(each) for each in form.getlist("lado")]
    try:
        first = _day(since)
        await page_request.pools.run_database(syncs.start, page_request.account.account_id, rfc, first, sides)
    except ServiceError as error:
        return await _render(page_request, syncs, vault, error, {"rfc": rfc, "desde": since, "lado": sides})
    return redirect(f"{PATH}/{quote(rfc.upper())}")


async def show_taxpayer(page_request: PageRequest, syncs: SyncService) -> Response:
    """Show the progress of one taxpayer, and its requests with their packages."""
    account_id, rfc = page_request.account.account_id, page_request.path_parameter("rfc")
    text, run = page_request.query("cursor"), page_request.pools.run_database
    if text and not (text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS):
        raise HTTPException(404)
    reports = await _found(page_request, syncs.reports_of, rfc)
    requests, following = await run(syncs.requests_page, account_id, rfc, SHOWN, int(text) if text else None)
    values = {
        **_names(),
        "rfc": rfc,
        "path": PATH,
        "here": f"{PATH}/{quote(rfc)}",
        "documents_path": DOCUMENTS,
        "reports": reports,
        "requests": requests,
        "cursor": following,
        "request_states": REQUEST_STATES,
        "package_states": PACKAGE_STATES,
        "cause_of": cause_of,
        "is_working": not text and any(report.is_working for report in reports),
        "states": sorted({report.sync.state.value for report in reports}),
    }
    return page_request.render("synchronization.html", values)


async def stop(page_request: PageRequest, syncs: SyncService) -> Response:
    """Stop the download of one taxpayer."""
    return await _change(page_request, syncs.stop)


async def resume(page_request: PageRequest, syncs: SyncService) -> Response:
    """Continue the download of one taxpayer."""
    return await _change(page_request, syncs.resume)


async def _change(page_request: PageRequest, work: Work) -> Response:
    await page_request.form()
    rfc = page_request.path_parameter("rfc")
    await _found(page_request, work, rfc)
    return redirect(f"{PATH}/{quote(rfc)}")


async def _found(page_request: PageRequest, work: Work, rfc: str) -> list[SyncReport]:
    """Return what a function says about a taxpayer. HTTPException(404) when the account downloads nothing of it."""
    try:
        return await page_request.pools.run_database(work, page_request.account.account_id, rfc)
    except ServiceError as error:
        if error.code == "TB4041":
            raise HTTPException(404) from error
        raise


async def _render(
    page_request: PageRequest,
    syncs: SyncService,
    vault: EfirmaVault,
    error: ServiceError | None,
    fields: dict[str, object] | None = None,
) -> Response:
    run, account_id = page_request.pools.run_database, page_request.account.account_id
    efirmas = await run(vault.list_for, account_id)
    first = {"rfc": efirmas[0].rfc if efirmas else "", "desde": syncs.first_day(30).isoformat(), "lado": SIDES}
    values = {
        **_names(),
        "path": PATH,
        "documents_path": DOCUMENTS,
        "efirmas": [(each, days_left(each.valid_to, syncs.wall.now())) for each in efirmas],
        "reports": await run(syncs.reports, account_id),
        "fields": {**first, **(fields or {})},
        "is_configured": bool(syncs.kinds),
    }
    return page_request.render_form("synchronizations.html", values, error)


def _names() -> dict[str, object]:
    return {"sides": SIDE_NAMES, "kinds": KIND_NAMES, "sync_states": SYNC_STATES}


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise FieldError("desde", "Las fechas se escriben como AAAA-MM-DD.") from error


PAGES = (
    Page("GET", PATH, show, menu=MenuItem("Descarga del SAT", 61), icon="download"),
    Page("POST", PATH, start),
    Page("POST", f"{PATH}/efirma", save_efirma, max_bytes=MAX_BYTES),
    Page("POST", f"{PATH}/efirma/{{rfc}}/eliminar", delete_efirma),
    Page("GET", f"{PATH}/{{rfc}}", show_taxpayer),
    Page("POST", f"{PATH}/{{rfc}}/detener", stop),
    Page("POST", f"{PATH}/{{rfc}}/continuar", resume),
)
