"""Pages of the links of suppliers: their management, and the page on which a supplier delivers documents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.responses import Response

from timbra.core.errors import ServiceError
from timbra.received.documents.intake import Arrival
from timbra.received.documents.models import MAIL, SUPPLIER
from timbra.received.pages import MAX_NUMBER, MEBIBYTE, chosen_files, store_file
from timbra.received.pages import PATH as RUNS_PATH
from timbra.received.submissions.links import MAX_DOCUMENTS, MAX_FILES, MAX_NAME, SupplierLinks
from timbra.received.submissions.models import SupplierLink
from timbra.received.submissions.serializers import added_answer
from timbra.web.parsing.request_body import BodyRejectedError
from timbra.web.portal.dispatch.field_errors import FieldError
from timbra.web.portal.dispatch.forms import integer_field
from timbra.web.portal.dispatch.log_path import SUPPLIER_LINK
from timbra.web.portal.dispatch.page import Page, PageAccess
from timbra.web.portal.dispatch.page_request import PageRequest, redirect, text_field

PATH: Final = f"{RUNS_PATH}/enlaces"
MAX_BYTES: Final = 10 * MEBIBYTE
SHOWN: Final = 30
NOT_FOUND: Final = 404
DEFAULT_DAYS: Final = 365
SOURCES: Final = {SUPPLIER: "enlace", MAIL: "correo"}
OUTCOMES: Final = {
    "new": ("aceptado", "good", "circle-check"),
    "replaced": ("aceptado", "good", "circle-check"),
    "known": ("ya se había recibido", "good", "circle-check"),
    "different": ("ya se había recibido otro XML con este folio fiscal", "warn", "triangle-alert"),
    "rejected": ("no se aceptó", "bad", "circle-x"),
}


async def show(page_request: PageRequest, links: SupplierLinks) -> Response:
    """Show the links of the account, and what was sent."""
    return await _render(page_request, links, None)


async def create(page_request: PageRequest, links: SupplierLinks) -> Response:
    """Create a link; only this response shows its address."""
    form = await page_request.form()
    try:
        name, issuer_rfc = text_field(form, "nombre", MAX_NAME), text_field(form, "rfc", 13)
        days = integer_field(form, "dias", "Días") or DEFAULT_DAYS
        account_id = page_request.account.account_id
        link, path = await page_request.pools.run_database(links.create, account_id, name, issuer_rfc, days)
    except ServiceError as error:
        return await _render(page_request, links, error, form)
    created = {"created": link, "address": f"{page_request.base_url}{path}"}
    return page_request.render("supplier_links.html", {**await _values(page_request, links), **created})


async def revoke(page_request: PageRequest, links: SupplierLinks) -> Response:
    """Revoke a link."""
    await page_request.form()
    number = page_request.request.path_params["link"]
    try:
        if number > MAX_NUMBER:
            raise HTTPException(NOT_FOUND)
        await page_request.pools.run_database(links.revoke, page_request.account.account_id, number)
    except ServiceError as error:
        raise HTTPException(NOT_FOUND) from error
    return redirect(f"{PATH}?aviso=revocado")


async def show_supplier(page_request: PageRequest, links: SupplierLinks) -> Response:
    """Show a supplier the form."""
    try:
        link, rfcs = await _find(page_request, links)
    except ServiceError as error:
        return page_request.render("supplier.html", {"link": None, "error": error}, status=NOT_FOUND)
    return page_request.render("supplier.html", _supplier_values(link, rfcs))


async def upload(page_request: PageRequest, links: SupplierLinks) -> Response:
    """Store what a supplier sends, and show what became of each document."""
    try:
        link, rfcs = await _find(page_request, links)
    except ServiceError as error:
        return page_request.render("supplier.html", {"link": None, "error": error}, status=NOT_FOUND)
    run_database = page_request.pools.run_database
    values = _supplier_values(link, rfcs)
    try:
        await run_database(links.count_upload, link)
        form = await page_request.form(max_files=MAX_FILES)
        found = chosen_files(form)
        if not found:
            raise FieldError("archivos", "Elija uno o varios archivos XML, PDF o ZIP.")
        with TemporaryDirectory(prefix="timbra-") as folder:
            files = [await store_file(Path(folder), place, each) for place, each in enumerate(found)]
            await form.close()
            arrivals = await links.submit(link, files, run_database)
    except BodyRejectedError:
        raise
    except ServiceError as error:
        return page_request.render_error("supplier.html", error, values)
    return page_request.render("supplier.html", {**values, **_arrival_values(arrivals)})


async def _find(page_request: PageRequest, links: SupplierLinks) -> tuple[SupplierLink, tuple[str, ...]]:
    return await page_request.pools.run_database(links.find, str(page_request.request.path_params["token"]))


def _supplier_values(link: SupplierLink, rfcs: Sequence[str]) -> dict[str, object]:
    limits = {"max_bytes": MAX_BYTES, "max_files": MAX_FILES, "max_documents": MAX_DOCUMENTS}
    return {"link": link, "rfcs": rfcs, "arrivals": None, **limits}


def _arrival_values(arrivals: Sequence[Arrival]) -> dict[str, object]:
    answer = added_answer(sorted(arrivals, key=lambda each: each.is_stored))
    return {"arrivals": answer.files, "rejected": answer.rejected, "outcomes": OUTCOMES}


async def _values(page_request: PageRequest, links: SupplierLinks) -> dict[str, object]:
    run_database, account_id = page_request.pools.run_database, page_request.account.account_id
    return {
        "links": await run_database(links.links.of_account, account_id),
        "submissions": await run_database(links.submissions.newest, account_id, SHOWN),
        "now": links.wall.now(),
        "sources": SOURCES,
        "path": PATH,
        "fields": {"nombre": "", "rfc": "", "dias": str(DEFAULT_DAYS)},
        "revoked": page_request.query("aviso") == "revocado",
        "created": None,
    }


async def _render(
    page_request: PageRequest, links: SupplierLinks, error: ServiceError | None, form: FormData | None = None
) -> Response:
    values = await _values(page_request, links)
    if form is not None:
        values["fields"] = {name: str(form.get(name) or "") for name in ("nombre", "rfc", "dias")}
    return page_request.render_form("supplier_links.html", values, error)


PAGES = (
    Page("GET", PATH, show),
    Page("POST", PATH, create),
    Page("POST", f"{PATH}/{{link:int}}/revocar", revoke),
    Page("GET", f"{SUPPLIER_LINK}{{token}}", show_supplier, PageAccess.PUBLIC),
    Page("POST", f"{SUPPLIER_LINK}{{token}}", upload, PageAccess.PUBLIC, max_bytes=MAX_BYTES),
)
