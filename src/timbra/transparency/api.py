"""The transparency log: proofs of folios, and the resources of C2SP tlog-tiles."""

from __future__ import annotations

from starlette.responses import Response

from timbra.core.errors import ServiceError
from timbra.transparency.consumer import STAMPED
from timbra.transparency.log import TransparencyLog
from timbra.web.framework.operation import Operation, OperationAccess, Parameter
from timbra.web.framework.request_context import RequestContext

TEXT = "text/plain; charset=utf-8"
BYTES = "application/octet-stream"
NEWEST = {"Cache-Control": "no-cache"}
IMMUTABLE = {"Cache-Control": "public, max-age=31536000, immutable"}
OF_TOKENS = {"Cache-Control": "private, no-store"}
_PUBLIC = "Any client, unless `TIMBRA_LOG_PUBLIC` is false: then a token is needed."


async def proof(request: RequestContext, log: TransparencyLog) -> Response:
    """Answer with the proof that the log has a folio.

    Raises:
        ServiceError: "TB4041" when the log has no such leaf that the caller may see, or no checkpoint of it yet.
    """
    account_id, headers = await _reader(request, log, NEWEST)
    kind = request.query("kind") or STAMPED
    found = await request.pools.run_database(log.proof, request.parameters["uuid"], kind, account_id)
    return Response(found.text(), headers=headers, media_type=TEXT)


async def checkpoint(request: RequestContext, log: TransparencyLog) -> Response:
    """Answer with the newest signed checkpoint."""
    _, headers = await _reader(request, log, NEWEST)
    return Response(str(await request.pools.run_database(log.newest)), headers=headers, media_type=TEXT)


async def tile(request: RequestContext, log: TransparencyLog) -> Response:
    """Answer with a tile of hashes, or with a bundle of entries.

    Raises:
        ServiceError: "TB4041" when the log does not have it; "TB4010" for entries of a log that is not public, which
            administrators may read.
    """
    account_id, headers = await _reader(request, log, IMMUTABLE)
    level = request.parameters["level"].lower()
    if account_id is not None and level == "entries":
        raise ServiceError("TB4010")
    path = request.parameters["rest"].lower()
    return Response(await request.pools.run_database(log.tile, level, path), headers=headers, media_type=BYTES)


async def _reader(
    request: RequestContext, log: TransparencyLog, headers: dict[str, str]
) -> tuple[int | None, dict[str, str]]:
    """Return the account whose leaves the client may read, None for all, and the headers of the answer."""
    if log.is_public:
        return None, headers
    caller = await request.authenticate_caller()
    return None if caller.is_administrator else caller.account_id, OF_TOKENS


OPERATIONS = (
    Operation(
        name="log-proof",
        method="GET",
        paths=("/proof/{uuid}",),
        endpoint=proof,
        summary="The proof that the transparency log has a stamp",
        description="C2SP tlog-proof with the leaf as extra data, for `timbra verify-proof`. A stamp is in a "
        f"checkpoint within about two seconds. {_PUBLIC}",
        tag="transparency",
        answer="file",
        media_types=("text/plain",),
        access=OperationAccess.PUBLIC,
        parameters=(Parameter("kind", "query", "Kind of the event, such as `cancellation.rejected`; `stamped`."),),
        failures={"404": "The log has no such leaf, or no checkpoint of it yet; then with Retry-After."},
    ),
    Operation(
        name="log-checkpoint",
        method="GET",
        paths=("/checkpoint",),
        endpoint=checkpoint,
        summary="The newest checkpoint of the transparency log",
        description=f"C2SP tlog-checkpoint. {_PUBLIC}",
        tag="transparency",
        answer="file",
        media_types=("text/plain",),
        access=OperationAccess.PUBLIC,
    ),
    Operation(
        name="log-tile",
        method="GET",
        paths=("/tile/{level}/{rest}",),
        endpoint=tile,
        summary="A tile of hashes of the transparency log, or a bundle of its entries",
        description="C2SP tlog-tiles: `/tile/<L>/<N>[.p/<W>]`, and `/tile/entries/<N>[.p/<W>]`. "
        f"{_PUBLIC} Entries are then for administrators.",
        tag="transparency",
        answer="file",
        media_types=(BYTES,),
        access=OperationAccess.PUBLIC,
        parameters=(
            Parameter("level", "path", "`0` to `63`, or `entries`."),
            Parameter("rest", "path", "The number of the tile, and the width of a partial one: `x001/x234/067.p/5`."),
        ),
        failures={"404": "The log does not have the tile."},
    ),
)
