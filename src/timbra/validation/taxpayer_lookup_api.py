"""Look-ups of an RFC in the published lists."""

from __future__ import annotations

from starlette.responses import Response

from timbra.validation.serializers import article_69b_answer, lrfc_answer
from timbra.validation.services import ValidationServices
from timbra.web.envelopes import success
from timbra.web.framework.operation import Operation
from timbra.web.framework.request_context import RequestContext, json_response


async def lrfc(request: RequestContext, services: ValidationServices) -> Response:
    """Answer with the row of l_RFC."""
    row = await request.pools.run_database(services.taxpayer_lookup.lrfc, request.parameters["rfc"])
    return json_response(success(lrfc_answer(row)))


async def article_69b(request: RequestContext, services: ValidationServices) -> Response:
    """Answer with the row of the list of article 69-B."""
    row = await request.pools.run_database(services.taxpayer_lookup.article_69b, request.parameters["rfc"])
    return json_response(success(article_69b_answer(row)))


OPERATIONS = (
    Operation(
        name="lrfc",
        method="GET",
        paths=("/lrfc/{rfc}",),
        endpoint=lrfc,
        summary="Look up an RFC in l_RFC",
        tag="lists",
        answer="Lrfc",
    ),
    Operation(
        name="article-69b",
        method="GET",
        paths=("/taxpayers/{rfc}",),
        endpoint=article_69b,
        summary="Look up an RFC in the list of article 69-B",
        tag="lists",
        answer="Article69B",
    ),
)
