"""Who is registered with the simulated authority."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.responses import Response

from timbra.authority.sandbox.listing import MOST_OBLIGATIONS, Change, Entry
from timbra.authority.sandbox.overview import CertificateEntry, Overview
from timbra.authority.sandbox.seeds import OBLIGATIONS
from timbra.errors import ServiceError
from timbra.portal.forms import keys_of, take, whole_of
from timbra.portal.page import Access, Page
from timbra.portal.visit import Visit, text_of

if TYPE_CHECKING:
    from timbra.wiring import House

PLACE = "/portal/ambiente/contribuyentes"
MOST_SHOWN = 100
OBLIGATION_WORDS = (
    "0: sin obligaciones",
    "1: puede emitir",
    "2: con estímulo de frontera norte",
    "3: con estímulo de frontera sur",
    "4: con ambos estímulos",
)
COLUMN_WORDS = {
    "name": "nombre",
    "postal_code": "código postal",
    "regimes": "regímenes",
    "obligations": "obligaciones",
    "cancelled": "cancelado",
}


async def show(visit: Visit) -> Response:
    return await _list(visit)


async def add(visit: Visit) -> Response:
    """Registers a taxpayer; listed at once."""

    def work(form: FormData) -> None:
        visit.house.registry.add(text_of(form, "rfc").upper(), _given(form))

    return await take(visit, work, f"{PLACE}?aviso=registrado", _list)


async def one(visit: Visit) -> Response:
    return await _one(visit)


async def change(visit: Visit) -> Response:
    """Orders what differs from the values that hold or wait already."""
    rfc = _rfc(visit)

    def work(form: FormData) -> None:
        registry = visit.house.registry
        registry.change(rfc, _differing(_given(form), registry.entry(rfc)))

    return await take(visit, work, f"{address(rfc)}?aviso=cambiado", _one)


def address(rfc: str) -> str:
    """The page of one taxpayer; an RFC may have a letter that addresses have not."""
    return f"{PLACE}/{quote(rfc)}"


async def _list(visit: Visit, error: ServiceError | None = None, form: FormData | None = None) -> Response:
    wanted = visit.query("q")
    entries, total = await asyncio.to_thread(_found, visit.house, wanted)
    values: dict[str, object] = {
        "entries": entries,
        "total": total,
        "wanted": wanted,
        "waits": [entry.taxpayer.rfc for entry in entries if entry.pending],
        "given": dict(form or {"obligations": str(OBLIGATIONS)}),
        "obligations": _obligations(),
        "address": address,
    }
    if error is not None:
        return visit.show_error("sandbox/taxpayers.html", error, values)
    return visit.show("sandbox/taxpayers.html", values)


async def _one(visit: Visit, error: ServiceError | None = None, form: FormData | None = None) -> Response:
    rfc = _rfc(visit)
    try:
        entry, certificates, published = await asyncio.to_thread(_known, visit.house, rfc)
    except ServiceError as unknown:
        raise HTTPException(404) from unknown
    values: dict[str, object] = {
        "entry": entry,
        "pending": [(COLUMN_WORDS[name], _told(value)) for name, value in entry.pending.items()],
        "given": dict(form) if form is not None else _fields(ordered(entry)),
        "certificates": certificates,
        "published": published,
        "obligations": _obligations(),
        "address": address,
    }
    if error is not None:
        return visit.show_error("sandbox/taxpayer.html", error, values)
    return visit.show("sandbox/taxpayer.html", values)


def ordered(entry: Entry) -> Mapping[str, Any]:
    """The columns of a taxpayer as the next refresh leaves them."""
    row = entry.taxpayer
    now = {
        "name": row.name,
        "postal_code": row.postal_code,
        "regimes": " ".join(sorted(row.regimes)),
        "obligations": entry.obligations,
        "cancelled": row.cancelled,
    }
    return {**now, **entry.pending}


def _found(house: House, wanted: str) -> tuple[Sequence[Entry], int]:
    house.poll()
    house.refresh()
    return Overview(house.database).taxpayers(wanted, MOST_SHOWN)


def _known(house: House, rfc: str) -> tuple[Entry, Sequence[CertificateEntry], datetime]:
    house.poll()
    house.refresh()
    certificates, _ = Overview(house.database).certificates(rfc, MOST_SHOWN)
    return house.registry.entry(rfc), certificates, house.registry.published


def _given(form: FormData) -> Change:
    """What the form says; an empty field leaves a value as it is."""
    return Change(
        name=text_of(form, "name") or None,
        postal_code=text_of(form, "postal_code") or None,
        regimes=keys_of(form, "regimes"),
        obligations=whole_of(form, "obligations", "Obligaciones"),
        cancelled=form.get("cancelled") == "yes",
    )


def _differing(given: Change, entry: Entry) -> Change:
    before = ordered(entry)
    new = {name: value for name, value in given.columns().items() if value != before[name]}
    if "regimes" in new:
        new["regimes"] = new["regimes"].split()
    return Change(**new)


def _fields(columns: Mapping[str, Any]) -> dict[str, str]:
    """The columns as the form shows them."""
    return {**{name: str(value) for name, value in columns.items()}, "cancelled": "yes" if columns["cancelled"] else ""}


def _obligations() -> list[tuple[str, str]]:
    return [(str(number), OBLIGATION_WORDS[number]) for number in range(MOST_OBLIGATIONS + 1)]


def _told(value: object) -> str:
    return ("sí" if value else "no") if isinstance(value, bool) else str(value)


def _rfc(visit: Visit) -> str:
    return visit.part("rfc").upper()


PAGES = (
    Page("GET", PLACE, show, Access.SANDBOX),
    Page("POST", PLACE, add, Access.SANDBOX),
    Page("GET", f"{PLACE}/{{rfc}}", one, Access.SANDBOX),
    Page("POST", f"{PLACE}/{{rfc}}", change, Access.SANDBOX),
)
