"""Batches of the account: their progress and their results, and the upload of a ZIP."""

from __future__ import annotations

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.responses import Response

from timbra.batches.batches import BatchService
from timbra.batches.store.models import CANCELLED, DONE, EXPIRED, FAILED, QUEUED, RUNNING, Batch
from timbra.core.errors import ServiceError
from timbra.core.scopes import STAMP
from timbra.rendering.branding import TEMPLATES
from timbra.stamping.models import StampingOperation
from timbra.web.portal.dispatch.page import MenuItem, Page
from timbra.web.portal.dispatch.page_request import PageRequest, redirect, text_field

PATH = "/portal/lotes"
MAX_FORM_BYTES = 32 * 1024 * 1024
NOTICES = {"recibido": "El lote se recibió; se procesa en segundo plano.", "cancelado": "El lote se canceló."}
STATES = {
    QUEUED: ("en espera", "warn"),
    RUNNING: ("en proceso", "warn"),
    DONE: ("terminado", "good"),
    FAILED: ("falló", "bad"),
    EXPIRED: ("vencido", ""),
    CANCELLED: ("cancelado", ""),
}
OPERATIONS = {
    StampingOperation.STAMP.value: "Timbrar: los documentos ya están sellados",
    StampingOperation.ISSUE.value: "Emitir: el servidor los sella con el CSD de la cuenta",
}


async def show(page_request: PageRequest, service: BatchService) -> Response:
    """List the batches of the account, newest first."""
    return page_request.render("batches.html", await _values(page_request, service))


async def upload(page_request: PageRequest, service: BatchService) -> Response:
    """Receive a ZIP and queue it; otherwise show why it is not accepted."""
    form = await page_request.form(max_files=1)
    archive = form.get("archivo")
    operation, pdf = text_field(form, "operacion", 20), bool(form.get("pdf"))
    if not isinstance(archive, UploadFile) or not archive.size:
        missing = ServiceError("TB4030", "Elija un archivo ZIP.")
        return page_request.render_error("batches.html", missing, await _values(page_request, service))
    try:
        account_id, base_url = page_request.account.account_id, page_request.base_url
        await page_request.pools.run_database(
            service.submit,
            account_id,
            archive.file,
            archive.filename or "",
            operation,
            base_url,
            pdf=pdf,
            pdf_template=text_field(form, "plantilla", 20),
        )
    except ServiceError as error:
        return page_request.render_error("batches.html", error, await _values(page_request, service))
    return redirect(f"{PATH}?aviso=recibido")


async def cancel(page_request: PageRequest, service: BatchService) -> Response:
    """Cancel a batch that is still queued."""
    await page_request.form()
    account_id, batch_id = page_request.account.account_id, page_request.path_parameter("batch_id")
    try:
        await page_request.pools.run_database(service.cancel, account_id, batch_id)
    except ServiceError as error:
        if error.code == "TB4041":
            raise HTTPException(404) from error
        return page_request.render_error("batches.html", error, await _values(page_request, service))
    return redirect(f"{PATH}?aviso=cancelado")


async def _values(page_request: PageRequest, service: BatchService) -> dict[str, object]:
    batches = await page_request.pools.run_database(service.list, page_request.account.account_id)
    return {
        "batches": [(batch, service.addresses(batch), _percent(batch)) for batch in batches],
        "runs": any(batch.state in (QUEUED, RUNNING) for batch in batches),
        "states": STATES,
        "operations": OPERATIONS,
        "templates": TEMPLATES,
        "max_mib": min(MAX_FORM_BYTES, service.limits.archive_bytes) // (1024 * 1024),
        "max_files": service.limits.files,
        "notice_text": NOTICES.get(page_request.query("aviso"), ""),
    }


def _percent(batch: Batch) -> int:
    return 100 * batch.processed // batch.files if batch.files else 0


PAGES = (
    Page("GET", PATH, show, menu=MenuItem("Lotes", 50), icon="copy-plus"),
    Page("POST", PATH, upload, max_bytes=MAX_FORM_BYTES, scope=STAMP),
    Page("POST", f"{PATH}/{{batch_id}}/cancelar", cancel, scope=STAMP),
)
