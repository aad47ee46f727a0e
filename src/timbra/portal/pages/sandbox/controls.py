"""Fiscal time, the lists and faults on demand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from starlette.datastructures import FormData
from starlette.responses import Response

from timbra.authority.sandbox.clock import ClockControl
from timbra.authority.sandbox.faults import DEFAULT_SECONDS, FAULTS, MOST_SECONDS
from timbra.clock import to_central_mexico
from timbra.errors import ServiceError
from timbra.portal.forms import decimal_of, take, whole_of
from timbra.portal.page import Access, Handler, Page
from timbra.portal.texts import length_words
from timbra.portal.visit import Visit, text_of

if TYPE_CHECKING:
    from timbra.wiring import House

PLACE = "/portal/ambiente"
STEPS = ("1h", "1d", "72h")
FAULT_WORDS = {
    "latency": ("Latencia", "Cada petición espera antes de atenderse."),
    "authority-down": ("Autoridad caída", "La autoridad simulada no contesta: ni estados ni cancelaciones."),
    "answer-lost": ("Respuesta perdida", "El timbre queda guardado y la conexión se corta antes de la respuesta."),
    "list-late": ("Listas con retraso", "Pasa la noche sin listas nuevas; lo registrado espera a las siguientes."),
}


async def show(visit: Visit) -> Response:
    return await _page(visit)


async def _page(visit: Visit, error: ServiceError | None = None, form: FormData | None = None) -> Response:
    values = await asyncio.to_thread(_values, visit.house)
    values["given"] = dict(form or {})
    if error is not None:
        return visit.show_error("sandbox/controls.html", error, values)
    return visit.show("sandbox/controls.html", values)


def _values(house: House) -> dict[str, object]:
    """What other workers did is seen at once, and what is due by now has happened."""
    house.poll()
    house.refresh()
    reading, now = house.clock_control.reading(), house.fiscal.now()
    active = {fault.name: fault for fault in house.faults.active()}
    return {
        "fiscal": to_central_mexico(now),
        "wall": to_central_mexico(house.wall.now()),
        "shift": length_words(now - house.wall.now()),
        "stands": reading.frozen_at is not None,
        "moved": reading.frozen_at is not None or bool(reading.offset),
        "steps": STEPS,
        "faults": [(name, *FAULT_WORDS[name], active.get(name)) for name in FAULTS],
        "usual_seconds": f"{DEFAULT_SECONDS:g}",
        "most_seconds": f"{MOST_SECONDS:g}",
        "lists_version": house.registry.lists_version,
    }


def _clock(move: Callable[[ClockControl, FormData], object], notice: str) -> Handler:
    async def handle(visit: Visit) -> Response:
        control = visit.house.clock_control
        return await take(visit, lambda form: move(control, form), f"{PLACE}?aviso={notice}", _page)

    return handle


def _put(control: ClockControl, form: FormData) -> None:
    control.set(text_of(form, "instant"), running=form.get("running") == "yes")


def _advance(control: ClockControl, form: FormData) -> None:
    control.advance(text_of(form, "duration"))


def _stop(control: ClockControl, _: FormData) -> None:
    control.set(control.now().isoformat())


def _run(control: ClockControl, _: FormData) -> None:
    control.set(control.now().isoformat(), running=True)


def _reset(control: ClockControl, _: FormData) -> None:
    control.reset()


async def set_fault(visit: Visit) -> Response:
    """Switches a fault on, for so many requests or until it is switched off."""

    def work(form: FormData) -> None:
        times = whole_of(form, "times", "Peticiones")
        seconds = decimal_of(form, "seconds", "Segundos")
        visit.house.faults.set(text_of(form, "name"), times, None if seconds is None else float(seconds))

    return await take(visit, work, f"{PLACE}?aviso=falla", _page)


async def clear_fault(visit: Visit) -> Response:
    """Switches one fault off, or all where none is named."""

    def work(form: FormData) -> None:
        visit.house.faults.clear(text_of(form, "name") or None)

    return await take(visit, work, f"{PLACE}?aviso=sin-falla", _page)


async def refresh(visit: Visit) -> Response:
    """Publishes the lists now."""
    return await take(visit, lambda _: visit.house.registry.refresh(), f"{PLACE}?aviso=listas", _page)


PAGES = (
    Page("GET", PLACE, show, Access.SANDBOX, menu="Ambiente"),
    Page("POST", f"{PLACE}/reloj/poner", _clock(_put, "reloj"), Access.SANDBOX),
    Page("POST", f"{PLACE}/reloj/avanzar", _clock(_advance, "reloj"), Access.SANDBOX),
    Page("POST", f"{PLACE}/reloj/detener", _clock(_stop, "detenido"), Access.SANDBOX),
    Page("POST", f"{PLACE}/reloj/correr", _clock(_run, "corre"), Access.SANDBOX),
    Page("POST", f"{PLACE}/reloj/real", _clock(_reset, "real"), Access.SANDBOX),
    Page("POST", f"{PLACE}/fallas", set_fault, Access.SANDBOX),
    Page("POST", f"{PLACE}/fallas/quitar", clear_fault, Access.SANDBOX),
    Page("POST", f"{PLACE}/listas", refresh, Access.SANDBOX),
)
