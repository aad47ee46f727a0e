"""Certificates of the simulated authority: issue, download and revocation; keys of confirmation."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from zipfile import ZIP_DEFLATED, ZipFile

from starlette.datastructures import FormData
from starlette.responses import Response

from timbra.core.errors import ServiceError
from timbra.sandbox.certificates import CertificateEntry, MintedCredential, MintRequest
from timbra.sandbox.services import SandboxServices
from timbra.sandbox.taxpayers import TaxpayerChange
from timbra.web.portal.dispatch.forms import key_list_field, submit_form
from timbra.web.portal.dispatch.page import Page, PageAccess
from timbra.web.portal.dispatch.page_request import PageRequest, text_field

PATH = "/portal/ambiente/certificados"
MAX_ROWS = 100
MAX_KEYS = 20
MAX_PASSWORD_LENGTH = 100


async def show(page_request: PageRequest, services: SandboxServices) -> Response:
    """List certificates that match the search: those of the account, or all for an administrator."""
    return await _render(page_request, services)


async def issue(page_request: PageRequest, services: SandboxServices) -> Response:
    """Issue a credential as a ZIP file; the server does not store its private key."""
    form = await page_request.form()
    try:
        credential = await page_request.pools.run_database(_mint, services, form, page_request.account.account_id)
    except ServiceError as error:
        return await _render(page_request, services, error, form)
    disposition = f'attachment; filename="{credential.number}.zip"'
    return Response(
        zip_credential(credential), media_type="application/zip", headers={"Content-Disposition": disposition}
    )


async def revoke(page_request: PageRequest, services: SandboxServices) -> Response:
    """Revoke a certificate with the next publication of the lists."""
    number = page_request.path_parameter("number")
    return await submit_form(
        page_request,
        lambda _: services.certificates.revoke(number),
        f"{PATH}?aviso=revocado",
        partial(_render, page_request, services),
    )


async def issue_confirmation(page_request: PageRequest, services: SandboxServices) -> Response:
    """Issue a key of confirmation to an issuer."""
    account_id = page_request.account.account_id
    return await submit_form(
        page_request,
        lambda form: services.confirmations.issue(text_field(form, "issuer"), account_id).key,
        f"{PATH}?aviso=clave",
        partial(_render, page_request, services),
    )


def zip_credential(credential: MintedCredential) -> bytes:
    """Pack RFC.cer, RFC.key and RFC.txt with the password, as `timbra csd mint` writes them."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        archive.writestr(f"{credential.rfc}.cer", credential.certificate_der)
        archive.writestr(f"{credential.rfc}.key", credential.key_der)
        archive.writestr(f"{credential.rfc}.txt", credential.password)
    return buffer.getvalue()


def _mint(services: SandboxServices, form: FormData, account_id: int) -> MintedCredential:
    taxpayer = TaxpayerChange(
        text_field(form, "name") or None, text_field(form, "postal_code") or None, key_list_field(form, "regimes")
    )
    request = MintRequest(
        rfc=text_field(form, "rfc").upper(),
        kind=text_field(form, "kind"),
        valid_from=text_field(form, "valid_from"),
        valid_to=text_field(form, "valid_to"),
        given=taxpayer,
        password=text_field(form, "password", MAX_PASSWORD_LENGTH) or None,
        account_id=account_id,
    )
    try:
        return services.certificates.mint(request)
    except ServiceError as error:
        if error.code != "taxpayer-unknown":
            raise
        detail = f"Escriba también nombre, código postal y régimen de {request.rfc}, y queda registrado."
        raise ServiceError(error.code, detail) from error


async def _render(
    page_request: PageRequest,
    services: SandboxServices,
    error: ServiceError | None = None,
    form: FormData | None = None,
) -> Response:
    query, caller = page_request.query("q"), page_request.account
    owner = None if caller.is_administrator else caller.account_id
    certificates, total, published = await page_request.pools.run_database(_search, services, query, owner)
    keys = await page_request.pools.run_database(services.confirmations.latest, owner)
    fields = {name: value for name, value in (form or {}).items() if name != "password"}
    values: dict[str, object] = {
        "certificates": certificates,
        "published": published,
        "total": total,
        "query": query,
        "keys": keys[:MAX_KEYS],
        "fields": fields or {"rfc": page_request.query("rfc"), "kind": "csd"},
    }
    return page_request.render_form("sandbox/certificates.html", values, error)


def _search(
    services: SandboxServices, query: str, account_id: int | None
) -> tuple[Sequence[CertificateEntry], int, datetime]:
    services.poll()
    services.refresh()
    certificates, total = services.certificates.search(query, MAX_ROWS, account_id)
    return certificates, total, services.registry.published


PAGES = (
    Page("GET", PATH, show, PageAccess.SANDBOX_ACCOUNT),
    Page("POST", PATH, issue, PageAccess.SANDBOX_ACCOUNT),
    Page("POST", f"{PATH}/confirmaciones", issue_confirmation, PageAccess.SANDBOX_ACCOUNT),
    Page("POST", f"{PATH}/{{number}}/revocar", revoke, PageAccess.SANDBOX),
)
