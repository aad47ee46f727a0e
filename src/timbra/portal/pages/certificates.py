"""Seal certificates (CSD) of an account: what is stored, and storing another."""

from __future__ import annotations

import asyncio

from starlette.datastructures import FormData, UploadFile
from starlette.responses import Response

from timbra.errors import ServiceError
from timbra.portal import certificates
from timbra.portal.page import Page
from timbra.portal.visit import Visit, moved

PLACE = "/portal/certificados"
MOST_BYTES = 128 * 1024
FIELDS = ("cer", "key")


async def show(visit: Visit) -> Response:
    return visit.show("certificates.html", await _values(visit))


async def store(visit: Visit) -> Response:
    """Keeps a certificate and its key after the check that stamping would make; tells what is wrong otherwise."""
    form = await visit.form(most_files=len(FIELDS))
    password = str(form.get("password") or "")
    certificate, key = [await _content(form, name) for name in FIELDS]
    house, account = visit.house, visit.account.account_id
    try:
        await asyncio.to_thread(certificates.check, house, certificate, key, password)
        await asyncio.to_thread(house.vault.save, account, certificate, key, password)
    except ServiceError as error:
        return visit.show_error("certificates.html", error, await _values(visit, certificates.read(certificate)))
    return moved(f"{PLACE}?aviso=guardado")


async def disable(visit: Visit) -> Response:
    await visit.form()
    number = visit.request.path_params["number"]
    await asyncio.to_thread(visit.house.vault.disable, visit.account.account_id, number)
    return moved(f"{PLACE}?aviso=desactivado")


async def _content(form: FormData, name: str) -> bytes:
    upload = form.get(name)
    return await upload.read() if isinstance(upload, UploadFile) else b""


async def _values(visit: Visit, read: certificates.ReadCertificate | None = None) -> dict[str, object]:
    held = await asyncio.to_thread(certificates.shown, visit.house, visit.account.account_id)
    return {"certificates": held, "read": read}


PAGES = (
    Page("GET", PLACE, show, menu="Certificados"),
    Page("POST", PLACE, store, most_bytes=MOST_BYTES),
    Page("POST", f"{PLACE}/{{number}}/desactivar", disable),
)
