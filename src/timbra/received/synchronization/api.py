"""Endpoints of the bulk download: e.firma, and synchronizations with their requests."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Sequence
from datetime import date

from starlette.responses import Response

from timbra.accounts.vault.efirma import EfirmaVault
from timbra.core.errors import ServiceError
from timbra.received.synchronization.models import SyncReport
from timbra.received.synchronization.serializers import (
    efirma_answer,
    request_page_answer,
    synchronization_answer,
)
from timbra.received.synchronization.service import SIDES, SyncService
from timbra.web.envelopes import success
from timbra.web.framework.operation import Parameter
from timbra.web.framework.operation_group import OperationGroup
from timbra.web.framework.query_limit import limit_parameter, read_limit
from timbra.web.framework.request_context import RequestContext, json_response
from timbra.web.parsing.json_fields import JsonFields

MAX_BODY_BYTES = 128 * 1024
MAX_REQUESTS = 200
MAX_DIGITS = 18


async def list_efirmas(request: RequestContext, vault: EfirmaVault) -> Response:
    """Answer with the e.firma of the account, without their keys."""
    return json_response(success([efirma_answer(each) for each in await request.run_for_account(vault.list_for)]))


async def save_efirma(request: RequestContext, vault: EfirmaVault) -> Response:
    """Store an e.firma, in place of the one of its RFC."""
    members = JsonFields.read(await request.body(MAX_BODY_BYTES))
    certificate, key = (_file(members, name) for name in ("b64Cer", "b64Key"))
    account_id = request.caller.account_id
    stored = await request.pools.run_keys(vault.save, account_id, certificate, key, members.password())
    return json_response(success(efirma_answer(stored)))


async def delete_efirma(request: RequestContext, vault: EfirmaVault) -> Response:
    """Delete an e.firma with its key."""
    await request.run_for_account(vault.delete, request.parameters["rfc"])
    return Response(status_code=204)


async def list_synchronizations(request: RequestContext, syncs: SyncService) -> Response:
    """Answer with both sides of each taxpayer."""
    return json_response(
        success([synchronization_answer(each) for each in await request.run_for_account(syncs.reports)])
    )


async def start(request: RequestContext, syncs: SyncService) -> Response:
    """Start the synchronization of a taxpayer, or add days to it."""
    members = JsonFields.read(await request.body(MAX_BODY_BYTES))
    since, days = members.text("since"), members.whole("days")
    try:
        first = syncs.first_day(days) if days is not None and not since else date.fromisoformat(since)
    except ValueError as error:
        raise ServiceError("TB4005", "since: una fecha AAAA-MM-DD; o days: un número de días.") from error
    sides, kinds = members.texts("sides") or SIDES, members.texts("kinds")
    return _answer(await request.run_for_account(syncs.start, members.text("rfc"), first, sides, kinds))


async def read(request: RequestContext, syncs: SyncService) -> Response:
    """Answer with both sides of one taxpayer."""
    return _answer(await request.run_for_account(syncs.reports_of, request.parameters["rfc"]))


async def stop(request: RequestContext, syncs: SyncService) -> Response:
    """Stop the synchronization of a taxpayer."""
    return _answer(await request.run_for_account(syncs.stop, request.parameters["rfc"]))


async def resume(request: RequestContext, syncs: SyncService) -> Response:
    """Continue the synchronization of a taxpayer."""
    return _answer(await request.run_for_account(syncs.resume, request.parameters["rfc"]))


async def requests(request: RequestContext, syncs: SyncService) -> Response:
    """Answer with a page of the requests of a taxpayer, newest first."""
    cursor, limit = request.query("cursor") or "", read_limit(request.query("limit"), MAX_REQUESTS)
    if cursor and not (cursor.isascii() and cursor.isdigit() and len(cursor) <= MAX_DIGITS):
        raise ServiceError("TB4005", "El cursor de la página no es válido.")
    rfc, before = request.parameters["rfc"], int(cursor) if cursor else None
    await request.run_for_account(syncs.reports_of, rfc)
    found, following = await request.run_for_account(syncs.requests_page, rfc, limit, before)
    return json_response(success(request_page_answer(found, None if following is None else str(following))))


def _answer(reports: Sequence[SyncReport]) -> Response:
    return json_response(success([synchronization_answer(each) for each in reports]))


def _file(members: JsonFields, name: str) -> bytes:
    try:
        return b64decode("".join(members.text(name).split()), validate=True)
    except (Base64Error, ValueError) as error:
        raise ServiceError("TB4005", f"El campo {name} debe ser un archivo en base64.") from error


operation = OperationGroup("received", "/received").build
OPERATIONS = (
    operation("efirmas-list", "GET", "/efirmas", list_efirmas, "List the e.firma of the account", "EfirmaList"),
    operation(
        "efirmas-save",
        "POST",
        "/efirmas",
        save_efirma,
        "Store an e.firma for the bulk download",
        "Efirma",
        body="EfirmaUpload",
        description="It replaces the one of its RFC, is encrypted like the keys of seal certificates, and signs "
        "requests to the SAT's bulk download only.",
    ),
    operation("efirmas-delete", "DELETE", "/efirmas/{rfc}", delete_efirma, "Delete an e.firma", "nothing"),
    operation(
        "synchronizations-list",
        "GET",
        "/synchronizations",
        list_synchronizations,
        "List what is downloaded from the SAT",
        "SynchronizationList",
        description="One element for each taxpayer, side and kind of document.",
    ),
    operation(
        "synchronizations-start",
        "POST",
        "/synchronizations",
        start,
        "Download the documents of a taxpayer from the SAT",
        "SynchronizationList",
        body="SynchronizationStart",
        description="The server asks for the closed days since `since`, or for the last `days`, and goes on each day "
        "until it is stopped. An earlier day adds the days before.",
    ),
    operation(
        "synchronizations-read",
        "GET",
        "/synchronizations/{rfc}",
        read,
        "Read the progress of one taxpayer",
        "SynchronizationList",
    ),
    operation(
        "synchronizations-requests",
        "GET",
        "/synchronizations/{rfc}/requests",
        requests,
        "List the requests of one taxpayer with their packages",
        "BulkRequestPage",
        parameters=(
            Parameter("cursor", "query", "`cursor` of the previous page; the first page has none."),
            limit_parameter(MAX_REQUESTS),
        ),
    ),
    operation(
        "synchronizations-stop",
        "POST",
        "/synchronizations/{rfc}/stop",
        stop,
        "Stop the download of one taxpayer",
        "SynchronizationList",
        description="Its documents stay; requests that wait at the SAT are continued by `resume`.",
    ),
    operation(
        "synchronizations-resume",
        "POST",
        "/synchronizations/{rfc}/resume",
        resume,
        "Continue the download of one taxpayer",
        "SynchronizationList",
        description="A blocked one is tried at once; periods that were given up are asked for again.",
    ),
)
