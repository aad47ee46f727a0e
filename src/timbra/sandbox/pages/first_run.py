"""First run of a sandbox: the first account, and the steps from a test certificate to a stamp over the API."""

from __future__ import annotations

from starlette.datastructures import FormData
from starlette.responses import Response

from timbra import examples
from timbra.accounts.services import AccountServices, CertificateServices
from timbra.accounts.store.models import AccountHolder
from timbra.core.errors import ServiceError
from timbra.documents.build import DocumentServices
from timbra.documents.editor_view import examples as example_names
from timbra.sandbox.certificates import MintRequest
from timbra.sandbox.services import SandboxServices
from timbra.stamps.search import StampFilter
from timbra.web.portal.dispatch import sessions
from timbra.web.portal.dispatch.page import Page, PageAccess
from timbra.web.portal.dispatch.page_request import PageRequest, redirect, text_field

WELCOME = "/portal/bienvenida"
STEPS = "/portal/primeros-pasos"
ISSUERS = (examples.KEMPER, examples.ROBOTICA, examples.ILUMINADORA, examples.CASAS)
"""Taxpayers of the simulated lists that a certificate is minted for with one button."""


async def welcome(page_request: PageRequest, services: AccountServices) -> Response:
    """Show the form of the first account; other visitors are redirected to the sign-in form."""
    if not await page_request.pools.run_database(services.accounts.is_empty):
        return redirect("/portal/entrar")
    return page_request.render("sandbox/welcome.html", {"fields": {}})


async def create_first(page_request: PageRequest, services: AccountServices) -> Response:
    """Create the administrator, open its session, and show the first steps."""
    form = await page_request.form()
    fields = {name: str(form.get(name) or "") for name in ("user", "name")}
    try:
        holder = AccountHolder(text_field(form, "name"))
        password = form.get("password")
        user, written = text_field(form, "user"), password if isinstance(password, str) else ""
        await page_request.pools.run_database(services.accounts.create_first, user, written, holder)
        session = await page_request.pools.run_database(services.accounts.session_token, user)
    except ServiceError as error:
        return page_request.render_error("sandbox/welcome.html", error, {"fields": fields})
    response = redirect(STEPS)
    sessions.open_session(response, session.token, secure=page_request.secure)
    return response


async def show_steps(
    page_request: PageRequest, certificates: CertificateServices, documents: DocumentServices
) -> Response:
    """Show what is done and what comes next."""
    return await _render(page_request, certificates, documents)


async def mint_and_store(
    page_request: PageRequest,
    certificates: CertificateServices,
    documents: DocumentServices,
    sandbox: SandboxServices,
) -> Response:
    """Mint a CSD for a taxpayer of the simulated lists and store it for the account."""
    account_id = page_request.account.account_id

    def mint(form: FormData) -> None:
        rfc = text_field(form, "rfc").upper()
        minted = sandbox.certificates.mint(MintRequest(rfc, account_id=account_id))
        certificates.vault.save(account_id, minted.certificate_der, minted.key_der, minted.password)

    form = await page_request.form()
    try:
        await page_request.pools.run_database(mint, form)
    except ServiceError as error:
        return await _render(page_request, certificates, documents, error)
    return redirect(f"{STEPS}?aviso=certificado")


async def _render(
    page_request: PageRequest,
    certificates: CertificateServices,
    documents: DocumentServices,
    error: ServiceError | None = None,
) -> Response:
    account_id = page_request.account.account_id
    stored = await page_request.pools.run_database(certificates.vault.list_certificates, account_id)
    page = await page_request.pools.run_database(documents.listing.page, StampFilter(account_id), None, 1)
    values = {
        "certificates": [certificate for certificate in stored if certificate.active],
        "stamped": page.rows[0] if page.rows else None,
        "issuers": ISSUERS,
        "examples": example_names(),
    }
    return page_request.render_form("sandbox/first_steps.html", values, error)


PAGES = (
    Page("GET", WELCOME, welcome, PageAccess.SANDBOX_PUBLIC),
    Page("POST", WELCOME, create_first, PageAccess.SANDBOX_PUBLIC),
    Page("GET", STEPS, show_steps, PageAccess.SANDBOX_ACCOUNT),
    Page("POST", f"{STEPS}/certificado", mint_and_store, PageAccess.SANDBOX_ACCOUNT),
)
