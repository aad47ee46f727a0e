"""Seal certificates (CSD) of an account: list, upload and deactivation."""

from __future__ import annotations

from starlette.datastructures import FormData, UploadFile
from starlette.responses import Response

from timbra.accounts.pages.certificate_view import (
    UploadedCertificate,
    account_certificates,
    check_pair,
    read_uploaded,
)
from timbra.accounts.services import CertificateServices
from timbra.core.approvals import ProtectedAction
from timbra.core.errors import ServiceError
from timbra.web.portal.dispatch.page import MenuGroup, MenuItem, Page
from timbra.web.portal.dispatch.page_request import PageRequest, redirect

PATH = "/portal/certificados"
MAX_BYTES = 128 * 1024
FILES = ("cer", "key")


async def show(page_request: PageRequest, services: CertificateServices) -> Response:
    """List the certificates of the account."""
    return page_request.render("certificates.html", await _values(page_request, services))


async def upload(page_request: PageRequest, services: CertificateServices) -> Response:
    """Store a certificate and its private key after the checks of stamping; otherwise show what is wrong."""
    form = await page_request.form(max_files=len(FILES))
    password = str(form.get("password") or "")
    certificate, key = [await _file_content(form, name) for name in FILES]
    account = page_request.account.account_id
    try:
        await page_request.pools.run_keys(check_pair, certificate, key, password, services.fiscal)
        await page_request.pools.run_keys(services.vault.save, account, certificate, key, password)
    except ServiceError as error:
        values = await _values(page_request, services, read_uploaded(certificate))
        return page_request.render_error("certificates.html", error, values)
    return redirect(f"{PATH}?aviso=guardado")


async def deactivate(page_request: PageRequest, services: CertificateServices) -> Response:
    await page_request.form()
    caller, number, pools = page_request.account, page_request.request.path_params["number"], page_request.pools
    action, account = ProtectedAction.DISABLE_CERTIFICATE, caller.account_id
    try:
        await pools.run_database(services.approvals.use_or_request, caller, action, number, account)
    except ServiceError as error:
        return page_request.render_error("certificates.html", error, await _values(page_request, services))
    await pools.run_database(services.vault.disable, account, number)
    return redirect(f"{PATH}?aviso=desactivado")


async def _file_content(form: FormData, name: str) -> bytes:
    file = form.get(name)
    return await file.read() if isinstance(file, UploadFile) else b""


async def _values(
    page_request: PageRequest, services: CertificateServices, uploaded: UploadedCertificate | None = None
) -> dict[str, object]:
    stored = await page_request.pools.run_database(account_certificates, services, page_request.account.account_id)
    return {"certificates": stored, "uploaded": uploaded}


PAGES = (
    Page("GET", PATH, show, menu=MenuItem("Certificados", 90, MenuGroup.ACCOUNT), icon="badge-check", shortcut="c"),
    Page("POST", PATH, upload, max_bytes=MAX_BYTES),
    Page("POST", f"{PATH}/{{number}}/desactivar", deactivate),
)
