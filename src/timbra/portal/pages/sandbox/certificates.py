"""Credentials of the simulated authority: minted, handed out once, revoked."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile

from starlette.datastructures import FormData
from starlette.responses import Response

from timbra.authority.sandbox.ca import MintedCredential
from timbra.authority.sandbox.listing import Change
from timbra.authority.sandbox.overview import CertificateEntry, Overview
from timbra.errors import ServiceError
from timbra.portal.forms import keys_of, take
from timbra.portal.page import Access, Page
from timbra.portal.visit import Visit, text_of
from timbra.service.sandbox import MintOrder, mint

if TYPE_CHECKING:
    from timbra.wiring import House

PLACE = "/portal/ambiente/certificados"
MOST_SHOWN = 100
LONGEST_PASSWORD = 100


async def show(visit: Visit) -> Response:
    return await _page(visit)


async def issue(visit: Visit) -> Response:
    """A new credential as a ZIP; its key is handed out in this answer and kept nowhere."""
    form = await visit.form()
    try:
        minted = await asyncio.to_thread(_mint, visit.house, form)
    except ServiceError as error:
        return await _page(visit, error, form)
    name = f"{minted.number}.zip"
    return Response(
        zipped(minted),
        media_type="application/zip",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


async def revoke(visit: Visit) -> Response:
    """The next refresh lists it as revoked."""
    number = visit.part("number")
    return await take(visit, lambda _: visit.house.registry.revoke(number), f"{PLACE}?aviso=revocado", _page)


def zipped(minted: MintedCredential) -> bytes:
    """RFC.cer, RFC.key and RFC.txt with the password, as `timbra csd mint` writes them."""
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        archive.writestr(f"{minted.rfc}.cer", minted.certificate_der)
        archive.writestr(f"{minted.rfc}.key", minted.key_der)
        archive.writestr(f"{minted.rfc}.txt", minted.password)
    return packed.getvalue()


def _mint(house: House, form: FormData) -> MintedCredential:
    given = Change(text_of(form, "name") or None, text_of(form, "postal_code") or None, keys_of(form, "regimes"))
    order = MintOrder(
        rfc=text_of(form, "rfc").upper(),
        kind=text_of(form, "kind"),
        valid_from=text_of(form, "valid_from"),
        valid_to=text_of(form, "valid_to"),
        given=given,
        password=text_of(form, "password", LONGEST_PASSWORD) or None,
    )
    try:
        return mint(order, house.authority_ca, house.registry, house.faults, house.fiscal)
    except ServiceError as error:
        if error.code != "taxpayer-unknown":
            raise
        detail = f"Escriba también nombre, código postal y régimen de {order.rfc}, y queda registrado."
        raise ServiceError(error.code, detail) from error


async def _page(visit: Visit, error: ServiceError | None = None, form: FormData | None = None) -> Response:
    wanted = visit.query("q")
    found, total, published = await asyncio.to_thread(_found, visit.house, wanted)
    given = {name: value for name, value in (form or {}).items() if name != "password"}
    values: dict[str, object] = {
        "certificates": found,
        "published": published,
        "total": total,
        "wanted": wanted,
        "given": given or {"rfc": visit.query("rfc"), "kind": "csd"},
    }
    if error is not None:
        return visit.show_error("sandbox/certificates.html", error, values)
    return visit.show("sandbox/certificates.html", values)


def _found(house: House, wanted: str) -> tuple[Sequence[CertificateEntry], int, datetime]:
    house.poll()
    house.refresh()
    return *Overview(house.database).certificates(wanted, MOST_SHOWN), house.registry.published


PAGES = (
    Page("GET", PLACE, show, Access.SANDBOX),
    Page("POST", PLACE, issue, Access.SANDBOX),
    Page("POST", f"{PLACE}/{{number}}/revocar", revoke, Access.SANDBOX),
)
