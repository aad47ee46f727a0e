"""The account's own stamps, page by page."""

from __future__ import annotations

from starlette.responses import Response

from timbra.api.exchange import Exchange, json_answer
from timbra.api.operations import Operation, Parameter
from timbra.api.wire import Json, success
from timbra.clock import to_central_mexico
from timbra.errors import ServiceError
from timbra.store.port import StampRecord

DEFAULT_LIMIT = 50
MOST = 200


async def stamps(exchange: Exchange) -> Response:
    """One page, newest first; `cursor` of the answer asks for the next, null at the end."""
    limit = _limit(exchange.query("limit"))
    cursor = exchange.query("cursor") or None
    page = exchange.house.stamps.page(exchange.caller.account_id, cursor=cursor, limit=limit)
    return json_answer(success({"records": [_record(record) for record in page.records], "cursor": page.cursor}))


def _limit(value: str | None) -> int:
    if not value:
        return DEFAULT_LIMIT
    if value.isascii() and value.isdigit() and len(value) <= 3 and 1 <= int(value) <= MOST:
        return int(value)
    raise ServiceError("TB4005", f"El parámetro limit es un entero de 1 a {MOST}.")


def _record(record: StampRecord) -> Json:
    return {
        "uuid": record.uuid,
        "fechaTimbrado": to_central_mexico(record.stamped_at),
        "version": record.version,
        "tipoDeComprobante": record.kind,
        "serie": record.serie,
        "folio": record.folio,
        "fecha": record.fecha,
        "rfcEmisor": record.issuer_rfc,
        "rfcReceptor": record.receiver_rfc,
        "total": record.total,
        "noCertificadoCFDI": record.issuer_certificate,
        "noCertificadoSAT": record.provider_certificate,
        "requestId": record.request_id,
    }


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
            Parameter("cursor", "query", "Where the page begins, as the page before said."),
            Parameter("limit", "query", f"Records of a page, 1 to {MOST}; {DEFAULT_LIMIT} when absent."),
        ),
    ),
)
