"""Batches: a ZIP of documents to stamp, its state, and its results."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from errno import EINVAL
from io import SEEK_CUR, SEEK_END, SEEK_SET, BufferedIOBase, UnsupportedOperation
from mmap import ACCESS_READ, mmap
from typing import IO, cast

from starlette.responses import Response, StreamingResponse

from timbra.batches.batches import MAX_PAGE, BatchService
from timbra.batches.results import FILES
from timbra.batches.serializers import BatchAnswer, batch_answer
from timbra.batches.store.models import Batch
from timbra.core.errors import ServiceError
from timbra.stamping.models import StampingOperation
from timbra.web.envelopes import success
from timbra.web.framework.base_url import base_url
from timbra.web.framework.operation import OperationAccess, Parameter
from timbra.web.framework.operation_group import OperationGroup
from timbra.web.framework.query_limit import limit_parameter, read_limit
from timbra.web.framework.request_context import RequestContext, json_response
from timbra.web.parsing.body_stream import write_body
from timbra.web.parsing.multipart import declared_boundary, part_file_name, part_places

FILE = "file"
MULTIPART_BYTES = 64 * 1024
"""What a body may have besides the archive."""
MAX_FIELD = 200
FLAGS = {"": False, "false": False, "0": False, "true": True, "1": True}
TYPES = {"zip": "application/zip", "csv": "text/csv; charset=utf-8"}


class FilePart(BufferedIOBase):
    """The bytes from `start` to `end` of a seekable file, which stays open; for one reader."""

    def __init__(self, file: IO[bytes], start: int, end: int) -> None:
        self._file = file
        self._start = start
        self._end = end
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        """Return the position, from the beginning of the part."""
        return self._position

    def seek(self, offset: int, base: int = SEEK_SET) -> int:
        """Change the position and return it.

        Raises:
            UnsupportedOperation: For a base that `io` does not have.
            OSError: For a negative position, as of a file.
        """
        bases = {SEEK_SET: 0, SEEK_CUR: self._position, SEEK_END: self._end - self._start}
        if base not in bases:
            raise UnsupportedOperation("seek")
        position = bases[base] + offset
        if position < 0:
            raise OSError(EINVAL, "negative position")
        self._position = position
        return position

    def read(self, size: int | None = -1) -> bytes:
        """Return at most `size` bytes from the position on; all of them for None or a negative number."""
        remaining = max(self._end - self._start - self._position, 0)
        wanted = remaining if size is None or size < 0 else min(size, remaining)
        self._file.seek(self._start + self._position)
        content = self._file.read(wanted)
        self._position += len(content)
        return content


async def create(request: RequestContext, service: BatchService) -> Response:
    """Receive a ZIP and queue it."""
    if not request.content_type.lower().startswith("multipart/"):
        raise ServiceError("TB4030", f"Se espera multipart/form-data con el ZIP en una parte de nombre {FILE}.")
    declared_boundary(request.content_type)
    with service.open_spool() as spool:
        chunks = request.chunks(service.limits.archive_bytes + MULTIPART_BYTES)
        await write_body(chunks, spool, request.pools.run_database)
        account_id, address = request.caller.account_id, base_url(request)
        batch = await request.pools.run_database(_submit, service, account_id, spool, request.content_type, address)
    return json_response(success(_answer(service, batch)), 202)


async def list_batches(request: RequestContext, service: BatchService) -> Response:
    """Answer with the newest batches of the account."""
    limit = read_limit(request.query("limit"), MAX_PAGE)
    found = await request.run_for_account(service.list, limit)
    return json_response(success([_answer(service, batch) for batch in found]))


async def read(request: RequestContext, service: BatchService) -> Response:
    """Answer with a batch and the addresses of its results."""
    batch = await request.run_for_account(service.find, request.parameters["id"])
    return json_response(success(_answer(service, batch)))


async def cancel(request: RequestContext, service: BatchService) -> Response:
    """Cancel a batch that is still queued."""
    batch = await request.run_for_account(service.cancel, request.parameters["id"])
    return json_response(success(_answer(service, batch)))


async def result(request: RequestContext, service: BatchService) -> Response:
    """Answer with a result; the signature of the address authorizes the request."""
    batch_id, name = request.parameters["id"], request.parameters["file"].lower()
    expires, signature = request.query("expires") or "", request.query("signature") or ""
    pieces = await request.pools.run_database(service.open_result, batch_id, name, expires, signature)
    headers = {"Content-Disposition": f'attachment; filename="{batch_id}-{name}"', "Cache-Control": "no-store"}
    media_type = TYPES[name.rpartition(".")[2]]
    return StreamingResponse(_streamed(request, pieces), media_type=media_type, headers=headers)


async def _streamed(request: RequestContext, pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    while (piece := await request.pools.run_database(next, pieces, None)) is not None:
        yield piece


def _submit(service: BatchService, account_id: int, spool: IO[bytes], content_type: str, address: str) -> Batch:
    """Find the parts of the body in its file, and queue the archive."""
    if not spool.tell():
        raise ServiceError("TB4030", "La petición no trae un ZIP.")
    with mmap(spool.fileno(), 0, access=ACCESS_READ) as body:
        places = part_places(body, content_type)
        if FILE not in places:
            raise ServiceError("TB4030", f"La petición no trae el ZIP en una parte de nombre {FILE}.")
        fields = {name: _field(body, place) for name, place in places.items() if name != FILE}
        name = part_file_name(body, content_type, FILE)
    start, end = places[FILE]
    operation = fields.get("operation") or StampingOperation.STAMP.value
    pdf = fields.get("pdf", "").lower()
    if pdf not in FLAGS:
        raise ServiceError("TB4005", "El campo pdf debe ser true o false.")
    archive = cast("IO[bytes]", FilePart(spool, start, end))
    template = fields.get("pdftemplateid", "")
    return service.submit(account_id, archive, name, operation, address, pdf=FLAGS[pdf], pdf_template=template)


def _field(body: mmap, place: tuple[int, int]) -> str:
    start, end = place
    if end - start > MAX_FIELD:
        raise ServiceError("TB4005", f"Un campo de la petición pasa de {MAX_FIELD} bytes.")
    return body[start:end].decode("utf-8", "replace").strip()


def _answer(service: BatchService, batch: Batch) -> BatchAnswer:
    return batch_answer(batch, service.addresses(batch))


operation = OperationGroup("batches", "/batches").build
OPERATIONS = (
    operation(
        "create",
        "POST",
        "",
        create,
        "Stamp the documents of a ZIP",
        "Batch",
        body="BatchUpload",
        description="The ZIP has XML files, also in folders, at most as many and as large as the settings allow. "
        "`operation`: `stamp` (default) for sealed documents, `issue` for documents that the server seals with the "
        "account's CSD. `pdf`: `true` for a PDF of each stamp in the result. `pdfTemplateId`: its template, as "
        "`templateId` of a print; without it, that of the account. A ZIP that is sent again stamps nothing "
        "twice. The event `batch.done` tells the end.",
        success_status=202,
    ),
    operation(
        "list",
        "GET",
        "",
        list_batches,
        "List the newest batches of the account",
        "BatchList",
        parameters=(limit_parameter(MAX_PAGE),),
    ),
    operation("read", "GET", "/{id}", read, "Read a batch, with the addresses of its results", "Batch"),
    operation("cancel", "DELETE", "/{id}", cancel, "Cancel a batch that is still queued", "Batch"),
    operation(
        "result",
        "GET",
        "/{id}/{file}",
        result,
        "Download a result of a batch by its signed address",
        "file",
        description=f"`file`: {', '.join(f'`{name}`' for name in FILES)}. No token: the address has a signature and an "
        "expiry.",
        access=OperationAccess.PUBLIC,
        media_types=tuple(media_type.partition(";")[0] for media_type in TYPES.values()),
        parameters=(
            Parameter("expires", "query", "As the address has it.", required=True),
            Parameter("signature", "query", "As the address has it.", required=True),
        ),
    ),
)
