"""The branding of the account's printed documents: template, colour, footer and logo, with a sample."""

from __future__ import annotations

from base64 import b64encode
from functools import cache

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.responses import Response

from timbra import examples
from timbra.accounts.administration.branding import BrandingChange
from timbra.accounts.services import AccountServices
from timbra.core.errors import ServiceError
from timbra.documents.build import DocumentServices
from timbra.rendering.branding import MAX_FOOTER, TEMPLATES
from timbra.rendering.logo import MAX_BYTES
from timbra.web.portal.dispatch.page import MenuGroup, MenuItem, Page
from timbra.web.portal.dispatch.page_request import PageRequest, redirect, text_field

PATH = "/portal/impresion"
MAX_FORM_BYTES = MAX_BYTES + 64 * 1024
COLOR_LENGTH = len("#12324f")
CONCEPTS = 8


@cache
def sample_document() -> bytes:
    """Return an invoice without a stamp."""
    return examples.ingreso(concepts=CONCEPTS).encode()


async def show(page_request: PageRequest, services: AccountServices) -> Response:
    return page_request.render("branding.html", await _values(page_request, services))


async def save(page_request: PageRequest, services: AccountServices) -> Response:
    """Change the branding; otherwise show what is wrong with the form."""
    form = await page_request.form(max_files=1)
    account = page_request.account.account_id
    try:
        change = BrandingChange(
            template=text_field(form, "plantilla"),
            color=text_field(form, "color", COLOR_LENGTH),
            footer=text_field(form, "pie", MAX_FOOTER + 1),
            logo=await _logo(form.get("logo"), remove=bool(form.get("sin_logo"))),
        )
        await page_request.pools.run_database(services.branding.change, account, change)
    except ServiceError as error:
        return page_request.render_error("branding.html", error, await _values(page_request, services))
    return redirect(f"{PATH}?aviso=guardado")


async def reset(page_request: PageRequest, services: AccountServices) -> Response:
    await page_request.form()
    await page_request.pools.run_database(services.branding.reset, page_request.account.account_id)
    return redirect(f"{PATH}?aviso=restablecido")


async def sample(page_request: PageRequest, accounts: AccountServices, documents: DocumentServices) -> Response:
    """Print an example document with the branding of the account."""
    account = page_request.account.account_id
    branding = await page_request.pools.run_database(accounts.branding.find, account)
    try:
        content = await documents.printing.print_sample(page_request.pools.account, sample_document(), branding)
    except ServiceError as error:
        raise HTTPException(503 if error.retry_after else 422, error.detail or error.code) from error
    headers = {"Content-Disposition": 'inline; filename="muestra.pdf"'}
    return Response(content, media_type="application/pdf", headers=headers)


async def _logo(file: object, *, remove: bool) -> bytes | None:
    """Return the uploaded image; empty bytes to remove the logo, None to leave it as it is."""
    content = await file.read() if isinstance(file, UploadFile) else b""
    return content or (b"" if remove else None)


async def _values(page_request: PageRequest, services: AccountServices) -> dict[str, object]:
    branding = await page_request.pools.run_database(services.branding.find, page_request.account.account_id)
    logo = branding.logo
    return {
        "branding": branding,
        "templates": TEMPLATES,
        "logo": "" if logo is None else f"data:image/{logo.mime_subtype};base64,{b64encode(logo.content).decode()}",
        "max_footer": MAX_FOOTER,
        "max_kib": MAX_BYTES // 1024,
    }


PAGES = (
    Page("GET", PATH, show, menu=MenuItem("Impresión", 100, MenuGroup.ACCOUNT), icon="printer"),
    Page("POST", PATH, save, max_bytes=MAX_FORM_BYTES),
    Page("POST", f"{PATH}/restablecer", reset),
    Page("GET", f"{PATH}/muestra", sample),
)
