"""Drafts of invoices, and the customers and products that the form fills in: lists, and their deletion."""

from __future__ import annotations

from starlette.responses import Response

from timbra.core.scopes import STAMP
from timbra.invoices.memory import keys_of
from timbra.invoices.paths import PATH
from timbra.invoices.services import InvoiceServices
from timbra.invoices.store import MAX_DRAFTS, MAX_ENTRIES, MAX_NUMBER, EntryKind
from timbra.web.portal.dispatch.field_errors import FieldError
from timbra.web.portal.dispatch.page import Page
from timbra.web.portal.dispatch.page_request import PageRequest, redirect, text_field

DRAFTS = f"{PATH}/borradores"


async def show(page_request: PageRequest, services: InvoiceServices) -> Response:
    """List the drafts, customers and products of the account."""
    account, run = page_request.account.account_id, page_request.pools.run_database
    entries = await run(services.repository.entries, account)
    values = {
        "drafts": await run(services.repository.drafts, account),
        "customers": keys_of(entries, EntryKind.CUSTOMER),
        "products": keys_of(entries, EntryKind.PRODUCT),
        "path_of_form": PATH,
        "most_drafts": MAX_DRAFTS,
        "most_entries": MAX_ENTRIES,
    }
    return page_request.render("invoice_drafts.html", values)


async def delete_draft(page_request: PageRequest, services: InvoiceServices) -> Response:
    """Delete a draft."""
    await page_request.form()
    number = page_request.request.path_params["draft"]
    if number <= MAX_NUMBER:
        account = page_request.account.account_id
        await page_request.pools.run_database(services.repository.delete_draft, account, number)
    return redirect(DRAFTS)


async def forget(page_request: PageRequest, services: InvoiceServices) -> Response:
    """Delete a customer or a product."""
    form = await page_request.form()
    kind, key = text_field(form, "tipo"), text_field(form, "clave", 1000)
    if kind not in {*EntryKind}:
        raise FieldError("tipo", "No se guarda eso.")
    account = page_request.account.account_id
    await page_request.pools.run_database(services.repository.forget, account, EntryKind(kind), key)
    return redirect(DRAFTS)


PAGES = (
    Page("GET", DRAFTS, show, scope=STAMP),
    Page("POST", f"{DRAFTS}/{{draft:int}}/eliminar", delete_draft, scope=STAMP),
    Page("POST", f"{DRAFTS}/olvidar", forget, scope=STAMP),
)
