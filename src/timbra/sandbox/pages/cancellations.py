"""Receivers of the sandbox: cancellation requests that wait for an answer, and automatic answers."""

from __future__ import annotations

from functools import partial
from uuid import uuid4

from starlette.datastructures import FormData
from starlette.responses import Response

from timbra.cfdi.cancelacion.answer import ReceiverAnswer
from timbra.core.errors import ServiceError
from timbra.sandbox.cancellation_replies import RECEIVED, SILENCE, AutoReply, OpenRequest
from timbra.sandbox.services import SandboxServices
from timbra.web.portal.dispatch.forms import submit_form
from timbra.web.portal.dispatch.page import Page, PageAccess
from timbra.web.portal.dispatch.page_request import PageRequest, text_field
from timbra.web.portal.views.formatting import format_duration

PATH = "/portal/ambiente/cancelaciones"
MAX_ROWS = 100
ANSWERS = {"aceptar": ReceiverAnswer.ACCEPT, "rechazar": ReceiverAnswer.REJECT}
ANSWER_TEXTS = {"accept": "acepta", "reject": "rechaza"}
OUTCOME_TEXTS = {"accepted": "la acepta", "rejected": "la rechaza", "expired": "vence el plazo y se cancela"}


async def show(page_request: PageRequest, services: SandboxServices) -> Response:
    """List open cancellation requests and automatic answers."""
    return await _render(page_request, services)


async def answer(page_request: PageRequest, services: SandboxServices) -> Response:
    """Accept or reject a request in the name of its receiver."""
    account, folio = page_request.account.account_id, page_request.path_parameter("folio")

    def respond(form: FormData) -> None:
        receiver_answer = ANSWERS.get(text_field(form, "answer"))
        if receiver_answer is None:
            raise ServiceError("TB4005", "La respuesta es aceptar o rechazar.")
        receipt = services.cancellation_service.respond(folio, receiver_answer, account, str(uuid4()))
        if set(receipt.codes.values()) != {RECEIVED}:
            raise ServiceError("TB4005", "Esa solicitud ya no espera respuesta.")

    return await submit_form(
        page_request, respond, f"{PATH}?aviso=respondida", partial(_render, page_request, services)
    )


async def set_auto_reply(page_request: PageRequest, services: SandboxServices) -> Response:
    """Set the automatic answer of a receiver to later requests; the answer `silence` removes it."""

    def set_from(form: FormData) -> None:
        replies = services.cancellation_service.scripts
        replies.set(text_field(form, "rfc"), text_field(form, "answer"), text_field(form, "delay") or "0s")

    return await submit_form(
        page_request, set_from, f"{PATH}?aviso=programada", partial(_render, page_request, services)
    )


async def _render(
    page_request: PageRequest,
    services: SandboxServices,
    error: ServiceError | None = None,
    form: FormData | None = None,
) -> Response:
    requests, replies = await page_request.pools.run_database(_read, services)
    values: dict[str, object] = {
        "requests": [(request, OUTCOME_TEXTS.get(request.outcome or "")) for request in requests],
        "auto_replies": [(reply.rfc, ANSWER_TEXTS[reply.answer], format_duration(reply.delay, 4)) for reply in replies],
        "answers": [*ANSWER_TEXTS.items(), (SILENCE, "no responde")],
        "fields": dict(form or {}),
    }
    return page_request.render_form("sandbox/cancellations.html", values, error)


def _read(services: SandboxServices) -> tuple[list[OpenRequest], list[AutoReply]]:
    """Read open requests and automatic answers, after everything that is due."""
    services.poll()
    services.ledger.settle()
    return services.cancellation_service.open_requests(MAX_ROWS), services.cancellation_service.scripts.all()


PAGES = (
    Page("GET", PATH, show, PageAccess.SANDBOX),
    Page("POST", f"{PATH}/programar", set_auto_reply, PageAccess.SANDBOX),
    Page("POST", f"{PATH}/{{folio}}", answer, PageAccess.SANDBOX),
)
