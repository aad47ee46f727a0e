"""Controls of the sandbox: fiscal clock, fault injection and publication of the lists."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from starlette.datastructures import FormData
from starlette.responses import Response

from timbra.core.clock import to_central_mexico
from timbra.core.errors import ServiceError
from timbra.sandbox.clock import ClockControl
from timbra.sandbox.fault_selection import FaultSelection
from timbra.sandbox.faults import (
    DEFAULT_SECONDS,
    FAULTS,
    MAX_SECONDS,
    REQUEST_FAULTS,
    TIMED_FAULTS,
)
from timbra.sandbox.services import SandboxServices
from timbra.web.portal.dispatch.forms import decimal_field, integer_field, submit_form
from timbra.web.portal.dispatch.page import Handler, MenuGroup, MenuItem, Page, PageAccess
from timbra.web.portal.dispatch.page_request import PageRequest, text_field
from timbra.web.portal.views.formatting import format_duration

PATH = "/portal/ambiente"
STEPS = ("1h", "1d", "72h")
FAULT_TEXTS = {
    "latency": ("Latencia", "Cada petición espera antes de atenderse."),
    "authority-down": ("Autoridad caída", "La autoridad simulada no contesta: ni estados ni cancelaciones."),
    "unavailable": ("Servicio no disponible", "La petición se contesta con 503 y Retry-After."),
    "too-many-requests": ("Demasiadas peticiones", "La petición se contesta con 429 y Retry-After."),
    "token-expired": ("Token terminado", "La sesión del token termina antes de tiempo; los infinitos no cambian."),
    "lco-changed": ("LCO con cambios", "La LCO todavía no trae el certificado del emisor: 305."),
    "delivery-late": ("Entrega con retraso", "Una cancelación justo después del timbrado se contesta con 205."),
    "answer-lost": ("Respuesta perdida", "El timbre queda guardado y la conexión se corta antes de la respuesta."),
    "list-late": (
        "Listas con retraso",
        "No hay publicación nocturna; los registros nuevos esperan la siguiente.",
    ),
}


async def show(page_request: PageRequest, services: SandboxServices) -> Response:
    """Show the fiscal clock, the injected faults and the version of the lists."""
    return await _render(page_request, services)


async def _render(
    page_request: PageRequest,
    services: SandboxServices,
    error: ServiceError | None = None,
    form: FormData | None = None,
) -> Response:
    values = await page_request.pools.run_database(_values, services)
    return page_request.render_form("sandbox/controls.html", {**values, "fields": dict(form or {})}, error)


def _values(services: SandboxServices) -> dict[str, object]:
    """Read the state of the controls, after changes by other processes and after everything that is due."""
    services.poll()
    services.refresh()
    reading, now, wall = services.clock_control.reading(), services.fiscal.now(), services.wall.now()
    active = {fault.name: fault for fault in services.faults.active()}
    return {
        "fiscal": to_central_mexico(now),
        "wall": to_central_mexico(wall),
        "offset": format_duration(now - wall),
        "frozen": reading.frozen_at is not None,
        "moved": reading.frozen_at is not None or bool(reading.offset),
        "steps": STEPS,
        "faults": [(name, *FAULT_TEXTS[name], active.get(name)) for name in FAULTS],
        "standing": list(services.faults.standing),
        "timed": TIMED_FAULTS,
        "limited": REQUEST_FAULTS,
        "default_seconds": f"{DEFAULT_SECONDS:g}",
        "max_seconds": f"{MAX_SECONDS:g}",
        "lists_version": services.registry.lists_version,
    }


def _clock_handler(change: Callable[[ClockControl, FormData], object], notice: str) -> Handler:
    async def handle(page_request: PageRequest, services: SandboxServices) -> Response:
        return await submit_form(
            page_request,
            partial(change, services.clock_control),
            f"{PATH}?aviso={notice}",
            partial(_render, page_request, services),
        )

    return handle


def _set(control: ClockControl, form: FormData) -> None:
    control.set(text_field(form, "instant"), running=form.get("running") == "yes")


def _advance(control: ClockControl, form: FormData) -> None:
    control.advance(text_field(form, "duration"))


def _freeze(control: ClockControl, _: FormData) -> None:
    control.set(control.now().isoformat())


def _resume(control: ClockControl, _: FormData) -> None:
    control.set(control.now().isoformat(), running=True)


def _reset(control: ClockControl, _: FormData) -> None:
    control.reset()


async def set_fault(page_request: PageRequest, services: SandboxServices) -> Response:
    """Inject a fault, for a number of requests or until it is cleared."""

    def set_from(form: FormData) -> None:
        times = integer_field(form, "times", "Peticiones")
        seconds = decimal_field(form, "seconds", "Segundos")
        share, number = decimal_field(form, "probability", "Proporción"), integer_field(form, "seed", "Semilla")
        selection = FaultSelection(
            1.0 if share is None else float(share),
            1 if number is None else number,
            text_field(form, "route"),
            text_field(form, "account"),
        )
        services.faults.set(text_field(form, "name"), times, None if seconds is None else float(seconds), selection)

    return await submit_form(page_request, set_from, f"{PATH}?aviso=falla", partial(_render, page_request, services))


async def clear_fault(page_request: PageRequest, services: SandboxServices) -> Response:
    """Clear the fault that the form names, or all faults."""

    def clear(form: FormData) -> None:
        services.faults.clear(text_field(form, "name") or None)

    return await submit_form(page_request, clear, f"{PATH}?aviso=sin-falla", partial(_render, page_request, services))


async def publish_lists(page_request: PageRequest, services: SandboxServices) -> Response:
    """Publish the simulated lists now."""
    return await submit_form(
        page_request,
        lambda _: services.registry.refresh(),
        f"{PATH}?aviso=listas",
        partial(_render, page_request, services),
    )


PAGES = (
    Page(
        "GET",
        PATH,
        show,
        PageAccess.SANDBOX,
        menu=MenuItem("Ambiente", 170, MenuGroup.ADMINISTRATION),
        icon="flask-conical",
        shortcut="a",
    ),
    Page("POST", f"{PATH}/reloj/poner", _clock_handler(_set, "reloj"), PageAccess.SANDBOX),
    Page("POST", f"{PATH}/reloj/avanzar", _clock_handler(_advance, "reloj"), PageAccess.SANDBOX),
    Page("POST", f"{PATH}/reloj/detener", _clock_handler(_freeze, "detenido"), PageAccess.SANDBOX),
    Page("POST", f"{PATH}/reloj/correr", _clock_handler(_resume, "corre"), PageAccess.SANDBOX),
    Page("POST", f"{PATH}/reloj/real", _clock_handler(_reset, "real"), PageAccess.SANDBOX),
    Page("POST", f"{PATH}/fallas", set_fault, PageAccess.SANDBOX),
    Page("POST", f"{PATH}/fallas/quitar", clear_fault, PageAccess.SANDBOX),
    Page("POST", f"{PATH}/listas", publish_lists, PageAccess.SANDBOX),
)
