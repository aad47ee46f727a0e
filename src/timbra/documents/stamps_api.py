"""Pages of the account's stamps, and their deliveries to the SAT."""

from __future__ import annotations

from starlette.responses import Response

from timbra.delivery.serializers import StampDeliveryAnswer, delivery_answer
from timbra.documents.build import DocumentServices
from timbra.stamping.serializers import stamp_page_answer
from timbra.stamping.services import StampingServices
from timbra.web.envelopes import success
from timbra.web.framework.operation import Operation, Parameter
from timbra.web.framework.query_limit import DEFAULT_LIMIT, read_limit
from timbra.web.framework.request_context import RequestContext, json_response

MOST = 200


async def stamps(request: RequestContext, services: StampingServices) -> Response:
    """Answer with one page, newest first; `cursor` of the answer is the cursor of the next page."""
    limit = read_limit(request.query("limit"), MOST)
    cursor = request.query("cursor") or None
    account = request.caller.account_id
    page = await request.pools.run_database(services.stamps.page, account, cursor=cursor, limit=limit)
    return json_response(success(stamp_page_answer(page)))


async def delivery(request: RequestContext, services: DocumentServices) -> Response:
    """Answer with the delivery of one stamp of the account to the SAT."""

    def read() -> StampDeliveryAnswer:
        record = services.storage.own(request.caller, request.parameters["uuid"].lower())
        return delivery_answer(record.uuid, services.delivery_state(record.uuid))

    return json_response(success(await request.pools.run_database(read)))


OPERATIONS = (
    Operation(
        name="stamps",
        method="GET",
        paths=("/stamps",),
        endpoint=stamps,
        summary="List the account's stamps, newest first",
        tag="stamps",
        answer="StampPage",
        parameters=(
            Parameter("cursor", "query", "`cursor` of the previous page; the first page has none."),
            Parameter("limit", "query", f"Records of a page, 1 to {MOST}; {DEFAULT_LIMIT} when absent."),
        ),
    ),
    Operation(
        name="stamp-delivery",
        method="GET",
        paths=("/stamps/{uuid}/delivery",),
        endpoint=delivery,
        summary="The delivery of one stamp to the SAT, with its acuse",
        description="A sandbox has no acuses: its stamps are in the ledger of the simulated SAT.",
        tag="stamps",
        answer="StampDelivery",
    ),
)
