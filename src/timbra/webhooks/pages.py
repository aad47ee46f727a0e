"""Webhooks of the account: endpoints, their secrets, and their delivery log."""

from __future__ import annotations

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.responses import Response

from timbra.core.errors import ServiceError
from timbra.web.portal.dispatch.page import MenuGroup, MenuItem, Page
from timbra.web.portal.dispatch.page_request import PageRequest, redirect, text_field
from timbra.webhooks import kinds
from timbra.webhooks.address_policy import MAX_URL
from timbra.webhooks.endpoints import MAX_CREDENTIAL, MAX_DESCRIPTION, NewWebhook, WebhookChange, WebhookService
from timbra.webhooks.store.models import EVENTS, SW_BATCH

PATH = "/portal/webhooks"
ONE = f"{PATH}/{{webhook_id}}"
NOTICES = {
    "guardado": "Los cambios se guardaron.",
    "habilitado": "El webhook está habilitado.",
    "deshabilitado": "El webhook está deshabilitado; sus eventos en espera no se envían.",
    "borrado": "El webhook se borró.",
    "prueba": "El evento de prueba va en camino; su resultado aparece abajo en unos segundos.",
    "documento": "Los eventos del documento se envían otra vez; el resultado aparece en la página de cada destino.",
    "sin-eventos": "Ningún destino habilitado tiene eventos de ese documento.",
    "reenvio": "Los eventos se envían otra vez; el resultado aparece abajo en unos segundos.",
}
KIND_TEXTS = {
    kinds.STAMPED: "un documento se timbró",
    kinds.REJECTED: "un documento se rechazó (son muchos: no está entre los predeterminados)",
    kinds.DELIVERED: "el SAT recibió un documento",
    kinds.CANCELLATION_REQUESTED: "se pidió una cancelación",
    kinds.CANCELLATION_ACCEPTED: "el receptor la aceptó",
    kinds.CANCELLATION_REJECTED: "el receptor la rechazó",
    kinds.CANCELLATION_EXPIRED: "venció el plazo del receptor",
    kinds.CANCELLATION_DONE: "el documento quedó cancelado",
    kinds.PENDING_CREATED: "una cancelación espera su respuesta como receptor",
    kinds.BATCH_DONE: "un lote terminó",
    kinds.CERTIFICATE_EXPIRING: "un certificado vence en menos de 30 días",
    kinds.BALANCE_LOW: "quedan pocos timbres",
    kinds.RECEIVED_CANCELLED: "el emisor canceló un documento recibido",
    kinds.RECEIVED_PENDING: "la cancelación de un documento recibido espera su respuesta",
    kinds.RECEIVED_LISTED: "un emisor entró en la lista 69-B o salió de ella",
    kinds.RECEIVED_DIFFERENT: "llegó un XML distinto de otro con el mismo folio fiscal",
    kinds.WEBHOOK_DISABLED: "otro webhook se deshabilitó porque falla",
}
NOTHING_TYPED = NewWebhook("")
STATES = {
    "waiting": ("en espera", "warn"),
    "delivered": ("entregado", "good"),
    "failed": ("fallido", "bad"),
}


async def show(page_request: PageRequest, webhooks: WebhookService) -> Response:
    """List the endpoints of the account."""
    return page_request.render("webhooks.html", await _values(page_request, webhooks))


async def create(page_request: PageRequest, webhooks: WebhookService) -> Response:
    """Create an endpoint; only this response shows its secret."""
    new = _new(await page_request.form())
    try:
        webhook, secret = await page_request.pools.run_database(webhooks.create, page_request.account.account_id, new)
    except ServiceError as error:
        return page_request.render_error("webhooks.html", error, await _values(page_request, webhooks, new))
    values = {**await _values(page_request, webhooks), "created": webhook, "secret": secret}
    return page_request.render("webhooks.html", values)


async def one(page_request: PageRequest, webhooks: WebhookService) -> Response:
    """Show an endpoint and its delivery log."""
    return page_request.render("webhook.html", await _one_values(page_request, webhooks))


async def save(page_request: PageRequest, webhooks: WebhookService) -> Response:
    """Change address, events and description."""
    form = await page_request.form()
    change = WebhookChange(
        text_field(form, "url", MAX_URL),
        [str(kind) for kind in form.getlist("event")] or None,
        text_field(form, "description", MAX_DESCRIPTION),
    )
    return await _changed(page_request, webhooks, change, "guardado")


async def enable(page_request: PageRequest, webhooks: WebhookService) -> Response:
    await page_request.form()
    return await _changed(page_request, webhooks, WebhookChange(enabled=True), "habilitado")


async def disable(page_request: PageRequest, webhooks: WebhookService) -> Response:
    await page_request.form()
    return await _changed(page_request, webhooks, WebhookChange(enabled=False), "deshabilitado")


async def rotate(page_request: PageRequest, webhooks: WebhookService) -> Response:
    """Replace the secret; only this response shows the new one."""
    await page_request.form()
    account, webhook_id = page_request.account.account_id, _webhook_id(page_request)
    try:
        secret = await page_request.pools.run_database(webhooks.rotate_secret, account, webhook_id)
    except ServiceError as error:
        return await _error_page(page_request, webhooks, error)
    return page_request.render("webhook.html", {**await _one_values(page_request, webhooks), "secret": secret})


async def test(page_request: PageRequest, webhooks: WebhookService) -> Response:
    """Send the test event."""
    await page_request.form()
    account, webhook_id = page_request.account.account_id, _webhook_id(page_request)
    try:
        await page_request.pools.run_database(webhooks.send_test, account, webhook_id)
    except ServiceError as error:
        return await _error_page(page_request, webhooks, error)
    return redirect(f"{PATH}/{webhook_id}?aviso=prueba")


async def redeliver(page_request: PageRequest, webhooks: WebhookService) -> Response:
    """Deliver one event again, or all failed ones."""
    form = await page_request.form()
    account, webhook_id = page_request.account.account_id, _webhook_id(page_request)
    event = text_field(form, "event", 100) or None
    try:
        await page_request.pools.run_database(webhooks.redeliver, account, webhook_id, event)
    except ServiceError as error:
        return await _error_page(page_request, webhooks, error)
    return redirect(f"{PATH}/{webhook_id}?aviso=reenvio")


async def redeliver_document(page_request: PageRequest, webhooks: WebhookService) -> Response:
    """Deliver the events of a document again, to every endpoint that they are for."""
    folio = text_field(await page_request.form(), "folio", 36)
    account = page_request.account.account_id
    count = await page_request.pools.run_database(webhooks.redeliver_document, account, folio)
    return redirect(f"{PATH}?aviso={'documento' if count else 'sin-eventos'}")


async def remove(page_request: PageRequest, webhooks: WebhookService) -> Response:
    """Delete an endpoint."""
    await page_request.form()
    account, webhook_id = page_request.account.account_id, _webhook_id(page_request)
    try:
        await page_request.pools.run_database(webhooks.delete, account, webhook_id)
    except ServiceError as error:
        raise HTTPException(404) from error
    return redirect(f"{PATH}?aviso=borrado")


def _new(form: FormData) -> NewWebhook:
    is_sw = text_field(form, "format") == SW_BATCH
    return NewWebhook(
        url=text_field(form, "url", MAX_URL),
        events=[str(kind) for kind in form.getlist("event")],
        description=text_field(form, "description", MAX_DESCRIPTION),
        format=SW_BATCH if is_sw else EVENTS,
        user=text_field(form, "user", MAX_CREDENTIAL),
        password=text_field(form, "password", MAX_CREDENTIAL),
    )


def _webhook_id(page_request: PageRequest) -> str:
    return page_request.path_parameter("webhook_id")


async def _changed(page_request: PageRequest, webhooks: WebhookService, change: WebhookChange, notice: str) -> Response:
    account, webhook_id = page_request.account.account_id, _webhook_id(page_request)
    try:
        await page_request.pools.run_database(webhooks.update, account, webhook_id, change)
    except ServiceError as error:
        return await _error_page(page_request, webhooks, error, None if change.url is None else change)
    return redirect(f"{PATH}/{webhook_id}?aviso={notice}")


async def _error_page(
    page_request: PageRequest, webhooks: WebhookService, error: ServiceError, typed: WebhookChange | None = None
) -> Response:
    if error.code == "TB4041":
        raise HTTPException(404) from error
    values = await _one_values(page_request, webhooks)
    return page_request.render_error("webhook.html", error, values if typed is None else {**values, "typed": typed})


async def _values(
    page_request: PageRequest, webhooks: WebhookService, typed: NewWebhook = NOTHING_TYPED
) -> dict[str, object]:
    found = await page_request.pools.run_database(webhooks.list, page_request.account.account_id)
    return {
        "webhooks": found,
        "kinds": KIND_TEXTS,
        "default_kinds": kinds.DEFAULT_KINDS,
        "created": None,
        "typed": typed,
        "address_hint": webhooks.policy.hint,
        "secret": "",
        "notice_text": NOTICES.get(page_request.query("aviso"), ""),
        "sw_batch": SW_BATCH,
        "max_credential": MAX_CREDENTIAL,
    }


async def _one_values(page_request: PageRequest, webhooks: WebhookService) -> dict[str, object]:
    account, webhook_id = page_request.account.account_id, _webhook_id(page_request)
    run = page_request.pools.run_database
    try:
        webhook = await run(webhooks.find, account, webhook_id)
        lines = await run(webhooks.lines, account, webhook_id, 50)
    except ServiceError as error:
        if error.code != "TB4041":
            raise
        raise HTTPException(404) from error
    return {
        "webhook": webhook,
        "typed": webhook,
        "address_hint": webhooks.policy.hint,
        "lines": lines,
        "states": STATES,
        "kinds": KIND_TEXTS,
        "secret": "",
        "sw_batch": SW_BATCH,
        "notice_text": NOTICES.get(page_request.query("aviso"), ""),
    }


PAGES = (
    Page("GET", PATH, show, menu=MenuItem("Webhooks", 130, MenuGroup.ACCOUNT), icon="link"),
    Page("POST", PATH, create),
    Page("POST", f"{PATH}/reenviar/documento", redeliver_document),
    Page("GET", ONE, one),
    Page("POST", ONE, save),
    Page("POST", f"{ONE}/habilitar", enable),
    Page("POST", f"{ONE}/deshabilitar", disable),
    Page("POST", f"{ONE}/secreto", rotate),
    Page("POST", f"{ONE}/prueba", test),
    Page("POST", f"{ONE}/reenviar", redeliver),
    Page("POST", f"{ONE}/borrar", remove),
)
