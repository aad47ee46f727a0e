"""The e-mails that the sandbox kept instead of sending them."""

from __future__ import annotations

from functools import partial

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.responses import Response

from timbra.core.errors import ServiceError
from timbra.documents.pages import attachment
from timbra.sandbox.caught_mails import MailContent
from timbra.sandbox.services import SandboxServices
from timbra.stamping.services import StampingServices
from timbra.web.portal.dispatch.forms import submit_form
from timbra.web.portal.dispatch.page import Page, PageAccess
from timbra.web.portal.dispatch.page_request import PageRequest

PATH = "/portal/ambiente/correos"
MAX_NUMBER = 2**53
SHOWN_HEADERS = ("From", "To", "Subject", "Date", "Message-ID")


async def show(page_request: PageRequest, services: SandboxServices, stamping: StampingServices) -> Response:
    """List the kept e-mails, newest first."""
    return await _render(page_request, services, stamping)


async def show_mail(page_request: PageRequest, services: SandboxServices) -> Response:
    """Show one e-mail with its text and its attachments."""
    found = await _read(page_request, services)
    headers = [(name, value) for name, value in found.headers if name in SHOWN_HEADERS]
    return page_request.render("sandbox/mail.html", {"found": found, "headers": headers})


async def download_source(page_request: PageRequest, services: SandboxServices) -> Response:
    """Download the message as it would have been sent."""
    found = await _read(page_request, services)
    return attachment(found.source, "message/rfc822", f"correo-{found.mail.number}.eml")


async def download_attachment(page_request: PageRequest, services: SandboxServices) -> Response:
    """Download an attachment by its place, from 1."""
    found = await _read(page_request, services)
    place = _number(page_request.path_parameter("place"))
    if not 1 <= place <= len(found.attachments):
        raise HTTPException(404)
    chosen = found.attachments[place - 1]
    return attachment(chosen.content, chosen.media_type, chosen.name)


async def clear(page_request: PageRequest, services: SandboxServices, stamping: StampingServices) -> Response:
    """Delete the kept e-mails."""

    def delete(_: FormData) -> None:
        services.mails.clear()

    return await submit_form(
        page_request, delete, f"{PATH}?aviso=vacio", partial(_render, page_request, services, stamping)
    )


async def _render(
    page_request: PageRequest,
    services: SandboxServices,
    stamping: StampingServices,
    error: ServiceError | None = None,
    _form: FormData | None = None,
) -> Response:
    mails = await page_request.pools.run_database(services.mails.newest)
    return page_request.render_form(
        "sandbox/mails.html", {"mails": mails, "mail_enabled": stamping.mail_enabled}, error
    )


async def _read(page_request: PageRequest, services: SandboxServices) -> MailContent:
    """Return the e-mail of the path. HTTPException(404) when it does not exist."""
    number = _number(page_request.path_parameter("number"))
    try:
        return await page_request.pools.run_database(services.mails.read, number)
    except ServiceError as error:
        if error.code != "document-unknown":
            raise
        raise HTTPException(404) from error


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) < MAX_NUMBER):
        raise HTTPException(404)
    return int(text)


PAGES = (
    Page("GET", PATH, show, PageAccess.SANDBOX),
    Page("POST", f"{PATH}/vaciar", clear, PageAccess.SANDBOX),
    Page("GET", f"{PATH}/{{number}}", show_mail, PageAccess.SANDBOX),
    Page("GET", f"{PATH}/{{number}}/original", download_source, PageAccess.SANDBOX),
    Page("GET", f"{PATH}/{{number}}/adjuntos/{{place}}", download_attachment, PageAccess.SANDBOX),
)
