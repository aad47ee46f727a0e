"""Taxpayers of the simulated authority: search, registration and changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import quote

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.responses import Response

from timbra.core.errors import ServiceError
from timbra.sandbox.certificates import CertificateEntry
from timbra.sandbox.services import SandboxServices
from timbra.sandbox.taxpayers import (
    DEFAULT_OBLIGATIONS,
    MAX_OBLIGATIONS,
    SITUATIONS,
    TaxpayerChange,
    TaxpayerEntry,
)
from timbra.web.portal.dispatch.forms import integer_field, key_list_field, submit_form
from timbra.web.portal.dispatch.page import Page, PageAccess
from timbra.web.portal.dispatch.page_request import PageRequest, text_field

PATH = "/portal/ambiente/contribuyentes"
MAX_ROWS = 100
OBLIGATION_TEXTS = (
    "0: sin obligaciones",
    "1: puede emitir",
    "2: con estímulo de frontera norte",
    "3: con estímulo de frontera sur",
    "4: con ambos estímulos",
)
COLUMN_NAMES = {
    "name": "nombre",
    "postal_code": "código postal",
    "regimes": "regímenes",
    "obligations": "obligaciones",
    "cancelled": "cancelado",
    "situation": "situación del artículo 69-B",
}
SITUATION_OPTIONS = (("", "no está en la lista"), *((situation, situation) for situation in SITUATIONS))


async def search(page_request: PageRequest, services: SandboxServices) -> Response:
    """List taxpayers that match the search."""
    return await _render_list(page_request, services)


async def add(page_request: PageRequest, services: SandboxServices) -> Response:
    """Register a taxpayer, who is in the simulated lists at once."""

    def register(form: FormData) -> None:
        services.registry.add(text_field(form, "rfc").upper(), _change_of(form))

    return await submit_form(
        page_request, register, f"{PATH}?aviso=registrado", partial(_render_list, page_request, services)
    )


async def show(page_request: PageRequest, services: SandboxServices) -> Response:
    """Show one taxpayer with its certificates and pending changes."""
    return await _render_taxpayer(page_request, services)


async def change(page_request: PageRequest, services: SandboxServices) -> Response:
    """Schedule the changes that differ from the current and pending values; the next publication applies them."""
    rfc = _rfc(page_request)

    def schedule(form: FormData) -> None:
        services.registry.change(rfc, _differences(_change_of(form), services.registry.entry(rfc)))

    return await submit_form(
        page_request, schedule, f"{taxpayer_url(rfc)}?aviso=cambiado", partial(_render_taxpayer, page_request, services)
    )


def taxpayer_url(rfc: str) -> str:
    """Return the URL of a taxpayer's page; an RFC may have characters that URLs escape (Ñ, &)."""
    return f"{PATH}/{quote(rfc)}"


async def _render_list(
    page_request: PageRequest,
    services: SandboxServices,
    error: ServiceError | None = None,
    form: FormData | None = None,
) -> Response:
    query = page_request.query("q")
    entries, total = await page_request.pools.run_database(_search, services, query)
    values: dict[str, object] = {
        "entries": entries,
        "total": total,
        "query": query,
        "fields": dict(form or {"obligations": str(DEFAULT_OBLIGATIONS)}),
        "obligations": _obligation_options(),
        "situations": SITUATION_OPTIONS,
        "taxpayer_url": taxpayer_url,
    }
    return page_request.render_form("sandbox/taxpayers.html", values, error)


async def _render_taxpayer(
    page_request: PageRequest,
    services: SandboxServices,
    error: ServiceError | None = None,
    form: FormData | None = None,
) -> Response:
    rfc = _rfc(page_request)
    try:
        entry, certificates, published = await page_request.pools.run_database(_read, services, rfc)
    except ServiceError as unknown:
        raise HTTPException(404) from unknown
    values: dict[str, object] = {
        "entry": entry,
        "pending": [(COLUMN_NAMES[name], _display(value)) for name, value in entry.pending.items()],
        "fields": dict(form) if form is not None else _fields(values_after_refresh(entry)),
        "certificates": certificates,
        "published": published,
        "obligations": _obligation_options(),
        "situations": SITUATION_OPTIONS,
        "taxpayer_url": taxpayer_url,
    }
    return page_request.render_form("sandbox/taxpayer.html", values, error)


def values_after_refresh(entry: TaxpayerEntry) -> Mapping[str, Any]:
    """Return the columns of a taxpayer after the next publication of the lists."""
    row = entry.taxpayer
    present = {
        "name": row.name,
        "postal_code": row.postal_code,
        "regimes": " ".join(sorted(row.regimes)),
        "obligations": entry.obligations,
        "cancelled": row.cancelled,
        "situation": row.situation,
    }
    return {**present, **entry.pending}


def _search(services: SandboxServices, query: str) -> tuple[Sequence[TaxpayerEntry], int]:
    services.poll()
    services.refresh()
    return services.registry.search(query, MAX_ROWS)


def _read(services: SandboxServices, rfc: str) -> tuple[TaxpayerEntry, Sequence[CertificateEntry], datetime]:
    services.poll()
    services.refresh()
    certificates, _ = services.certificates.search(rfc, MAX_ROWS)
    return services.registry.entry(rfc), certificates, services.registry.published


def _change_of(form: FormData) -> TaxpayerChange:
    """Read the form; an empty field leaves its value unchanged."""
    return TaxpayerChange(
        name=text_field(form, "name") or None,
        postal_code=text_field(form, "postal_code") or None,
        regimes=key_list_field(form, "regimes"),
        obligations=integer_field(form, "obligations", "Obligaciones"),
        cancelled=form.get("cancelled") == "yes",
        situation=text_field(form, "situation") if "situation" in form else None,
    )


def _differences(change: TaxpayerChange, entry: TaxpayerEntry) -> TaxpayerChange:
    before = values_after_refresh(entry)
    new = {name: value for name, value in change.columns().items() if value != before[name]}
    if "regimes" in new:
        new["regimes"] = new["regimes"].split()
    return TaxpayerChange(**new)


def _fields(columns: Mapping[str, Any]) -> dict[str, str]:
    return {**{name: str(value) for name, value in columns.items()}, "cancelled": "yes" if columns["cancelled"] else ""}


def _obligation_options() -> list[tuple[str, str]]:
    return [(str(number), OBLIGATION_TEXTS[number]) for number in range(MAX_OBLIGATIONS + 1)]


def _display(value: object) -> str:
    return ("sí" if value else "no") if isinstance(value, bool) else str(value) or "ninguna"


def _rfc(page_request: PageRequest) -> str:
    return page_request.path_parameter("rfc").upper()


PAGES = (
    Page("GET", PATH, search, PageAccess.SANDBOX),
    Page("POST", PATH, add, PageAccess.SANDBOX),
    Page("GET", f"{PATH}/{{rfc}}", show, PageAccess.SANDBOX),
    Page("POST", f"{PATH}/{{rfc}}", change, PageAccess.SANDBOX),
)
