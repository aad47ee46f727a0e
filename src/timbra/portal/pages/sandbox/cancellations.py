"""Receivers of the sandbox: requests of cancellation that wait for them, and what they answer by themselves."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from uuid import uuid4

from starlette.datastructures import FormData
from starlette.responses import Response

from timbra.authority.port import Origin
from timbra.authority.sandbox.cancelling import RECEIVED
from timbra.authority.sandbox.overview import OpenRequest, Overview
from timbra.authority.sandbox.scripts import SILENCE, Script
from timbra.cfdi.cancelacion.answer import Answer
from timbra.errors import ServiceError
from timbra.portal.forms import take
from timbra.portal.page import Access, Page
from timbra.portal.texts import length_words
from timbra.portal.visit import Visit, text_of

if TYPE_CHECKING:
    from timbra.wiring import House

PLACE = "/portal/ambiente/cancelaciones"
MOST_SHOWN = 100
ANSWERS = {"aceptar": Answer.ACCEPT, "rechazar": Answer.REJECT}
ANSWER_WORDS = {"accept": "acepta", "reject": "rechaza"}
OUTCOME_WORDS = {"accepted": "la acepta", "rejected": "la rechaza", "expired": "vence el plazo y se cancela"}


async def show(visit: Visit) -> Response:
    return await _page(visit)


async def answer(visit: Visit) -> Response:
    """Accepts or rejects in the receiver's place."""
    account = visit.account.account_id

    def work(form: FormData) -> None:
        chosen = ANSWERS.get(text_of(form, "answer"))
        if chosen is None:
            raise ServiceError("TB4005", "La respuesta es aceptar o rechazar.")
        origin = Origin(account, str(uuid4()))
        receipt = visit.house.counter.respond(visit.part("folio"), chosen, origin)
        if set(receipt.codes.values()) != {RECEIVED}:
            raise ServiceError("TB4005", "Esa solicitud ya no espera respuesta.")

    return await take(visit, work, f"{PLACE}?aviso=respondida", _page)


async def script(visit: Visit) -> Response:
    """What a receiver answers from now on; silence ends it."""

    def work(form: FormData) -> None:
        scripts = visit.house.counter.scripts
        scripts.set(text_of(form, "rfc"), text_of(form, "answer"), text_of(form, "delay") or "0s")

    return await take(visit, work, f"{PLACE}?aviso=programada", _page)


async def _page(visit: Visit, error: ServiceError | None = None, form: FormData | None = None) -> Response:
    requests, scripts = await asyncio.to_thread(_found, visit.house)
    values: dict[str, object] = {
        "requests": [(request, OUTCOME_WORDS.get(request.outcome or "")) for request in requests],
        "scripts": [(each.rfc, ANSWER_WORDS[each.answer], length_words(each.delay, 4)) for each in scripts],
        "answers": [*ANSWER_WORDS.items(), (SILENCE, "calla")],
        "given": dict(form or {}),
    }
    if error is not None:
        return visit.show_error("sandbox/cancellations.html", error, values)
    return visit.show("sandbox/cancellations.html", values)


def _found(house: House) -> tuple[list[OpenRequest], list[Script]]:
    """What is due by now has happened before."""
    house.poll()
    house.ledger.settle()
    return list(Overview(house.database).open_requests(MOST_SHOWN)), house.counter.scripts.all()


PAGES = (
    Page("GET", PLACE, show, Access.SANDBOX),
    Page("POST", f"{PLACE}/programar", script, Access.SANDBOX),
    Page("POST", f"{PLACE}/{{folio}}", answer, Access.SANDBOX),
)
