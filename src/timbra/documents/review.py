"""Review and stamp of a document by a page: the report that its stamp would have, and the use case that stamps it."""

from __future__ import annotations

import time

from starlette.responses import Response

from timbra.cfdi.header_reader import has_root_of_retenciones
from timbra.core.errors import ServiceError
from timbra.documents.pages import request_id
from timbra.stamping.models import CustomIdConflict, DocumentKind, StampRequest, StampResult
from timbra.stamping.preview import seal_with_stored_csd
from timbra.stamping.services import StampingServices
from timbra.validation.models import ValidationReport
from timbra.validation.services import ValidationServices
from timbra.web.portal.dispatch.page_request import PageRequest, redirect

REPEATED = ("307", "T307", "CFDI3307")
"""Codes of a document, or of a customid, that has a stamp already."""


async def report_of(
    page_request: PageRequest,
    stamping: StampingServices,
    validation: ValidationServices,
    xml: bytes,
    *,
    keeps_seal: bool,
) -> tuple[bytes, ValidationReport]:
    """Validate a document as it would be stamped.

    Args:
        keeps_seal: whether it has the seal with which it is stamped; without it, the stored CSD seals it.

    Returns:
        The sealed document and its report.
    """
    pools, sealed = page_request.pools, xml
    if not keeps_seal:
        account = page_request.account.account_id
        sealed = await pools.run_database(seal_with_stored_csd, xml, account, stamping.checks)
    leniency = page_request.account.vendor_leniency
    report = await validation.validation.validate(sealed, False, pools.account, pools.run_database, leniency=leniency)
    return sealed, report


async def rejection_of(page_request: PageRequest, stamping: StampingServices, sealed: bytes) -> ServiceError | None:
    """Return what would reject a valid document when it is stamped, such as an empty balance or an earlier stamp."""
    request = _request(page_request, sealed, dry_run=True)
    try:
        await stamping.stamping.stamp(request, page_request.pools.run_database)
    except ServiceError as error:
        return error
    return None


async def stamp(
    page_request: PageRequest,
    stamping: StampingServices,
    xml: bytes,
    *,
    keeps_seal: bool,
) -> Response:
    """Stamp a document and redirect to its page. ServiceError as `StampingService.issue`."""
    uuid, milliseconds = await stamp_once(page_request, stamping, xml, keeps_seal=keeps_seal)
    return redirect(f"/portal/facturas/{uuid}?aviso=timbrada&ms={milliseconds}")


async def stamp_once(
    page_request: PageRequest,
    stamping: StampingServices,
    xml: bytes,
    *,
    keeps_seal: bool,
    custom_id: str | None = None,
) -> tuple[str, int]:
    """Stamp a document; return the UUID in lower case and the milliseconds. For the arguments see `stamp`."""
    request = _request(page_request, xml, custom_id=custom_id)
    use_case = stamping.stamping.stamp if keeps_seal else stamping.stamping.issue
    started = time.perf_counter()
    try:
        uuid = (await use_case(request, page_request.pools.run_database)).uuid
    except ServiceError as error:
        if (
            custom_id is None
            or error.code not in REPEATED
            or not isinstance(error.data, CustomIdConflict | StampResult)
        ):
            raise
        uuid = error.data.uuid
    return uuid.lower(), round((time.perf_counter() - started) * 1000)


def _request(
    page_request: PageRequest, xml: bytes, *, custom_id: str | None = None, dry_run: bool = False
) -> StampRequest:
    kind = DocumentKind.RETENCIONES if has_root_of_retenciones(xml) else DocumentKind.CFDI
    return StampRequest(page_request.account, xml, request_id(), custom_id, kind=kind, dry_run=dry_run)
