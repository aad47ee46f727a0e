"""Endpoints that add documents, manage the links of suppliers, and list what others sent."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from starlette.responses import Response

from timbra.cfdi.rfc import is_rfc
from timbra.core.errors import ServiceError
from timbra.core.text import storable
from timbra.received.documents.intake import Arrival, DocumentIntake, IntakeTerms
from timbra.received.documents.models import API
from timbra.received.files import UploadedFile
from timbra.received.submissions.links import MAX_DAYS, SupplierLinks
from timbra.received.submissions.serializers import added_answer, link_answer, submission_answer
from timbra.received.uploads import ReceivedOptions, UploadExaminer
from timbra.web.envelopes import success
from timbra.web.framework.base_url import base_url
from timbra.web.framework.operation import Operation, Parameter, Payload
from timbra.web.framework.operation_group import OperationGroup
from timbra.web.framework.query_limit import limit_parameter, read_limit
from timbra.web.framework.request_context import RequestContext, json_response
from timbra.web.parsing.json_fields import JsonFields
from timbra.web.parsing.multipart import file_places

MAX_ORDER_BYTES: Final = 16 * 1024
MAX_DOCUMENTS: Final = 2_000
MAX_FILES: Final = 32
MAX_NAME: Final = 200
MAX_SUBMISSIONS: Final = 100
MAX_NUMBER: Final = 2**62
DEFAULT_DAYS: Final = 365


async def add(request: RequestContext, uploads: UploadExaminer, intake: DocumentIntake) -> Response:
    """Store the documents of the sent files."""
    rfc = (request.query("rfc") or "").upper()
    if rfc and not is_rfc(rfc):
        raise ServiceError("TB4005", "El parámetro rfc no es un RFC.")
    terms, account_id = IntakeTerms(API, rfc=rfc), request.caller.account_id
    options = ReceivedOptions(
        with_status=False, require_stamp=True, leniency=request.caller.vendor_leniency, with_xml=True
    )
    body, arrivals = await request.body(), list[Arrival]()
    with TemporaryDirectory(prefix="timbra-") as folder:
        files = await request.pools.run_files(_stored, Path(folder), body, request.content_type)
        async for part in uploads.of_files(files, str(account_id), options, MAX_DOCUMENTS):
            arrivals += await request.pools.run_database(intake.put, account_id, part, terms)
    return json_response(success(added_answer(arrivals)))


async def list_links(request: RequestContext, links: SupplierLinks) -> Response:
    """Answer with the links of the account."""
    found = await request.run_for_account(links.links.of_account)
    return json_response(success([link_answer(link) for link in found]))


async def create_link(request: RequestContext, links: SupplierLinks) -> Response:
    """Create a link; only this answer has its address."""
    members = JsonFields.read(await request.body(MAX_ORDER_BYTES))
    days = members.whole("days")
    order = (members.text("name"), members.text("issuerRfc"), DEFAULT_DAYS if days is None else days)
    link, path = await request.run_for_account(links.create, *order)
    return json_response(success(link_answer(link, f"{base_url(request)}{path}")))


async def revoke_link(request: RequestContext, links: SupplierLinks) -> Response:
    """Revoke a link, which stays in the list."""
    await request.run_for_account(links.revoke, _number(request))
    return Response(status_code=204)


async def list_submissions(request: RequestContext, links: SupplierLinks) -> Response:
    """Answer with what suppliers and senders of e-mail sent."""
    limit = read_limit(request.query("limit"), MAX_SUBMISSIONS)
    found = await request.run_for_account(links.submissions.newest, limit)
    return json_response(success([submission_answer(each) for each in found]))


def _number(request: RequestContext) -> int:
    text = request.parameters["id"]
    if not (text.isascii() and text.isdigit() and int(text[:20]) <= MAX_NUMBER):
        raise ServiceError("TB4041", "La cuenta no tiene ese enlace.")
    return int(text)


def _stored(folder: Path, body: bytes, content_type: str) -> list[UploadedFile]:
    """Write the files of a request to a folder."""
    contents: Iterable[tuple[str, bytes]]
    if content_type.lower().startswith("multipart/"):
        contents = ((name, body[start:end]) for name, (start, end) in file_places(body, content_type))
    elif content_type.lower().startswith("application/json"):
        contents = _of_json(JsonFields.read(body).objects("files") or ())
    else:
        raise ServiceError("TB4030", "Se espera multipart/form-data con los archivos, o application/json con files.")
    files: list[UploadedFile] = []
    for place, (name, content) in enumerate(contents):
        path = folder / str(place)
        path.write_bytes(content)
        files.append(UploadedFile(name, str(path)))
    if not files:
        raise ServiceError("TB4030", "La petición no trae ningún archivo.")
    return files


def _of_json(files: Sequence[JsonFields]) -> Iterator[tuple[str, bytes]]:
    if len(files) > MAX_FILES:
        raise ServiceError("TB4005", f"Una petición admite a lo más {MAX_FILES} archivos; use un ZIP.")
    for place, file in enumerate(files, 1):
        yield storable(file.text("name"), MAX_NAME) or f"documento {place}", _decoded(file.text("data"))


def _decoded(text: str) -> bytes:
    try:
        return b64decode("".join(text.split()), validate=True)
    except ValueError as error:
        raise ServiceError("TB4005", "El campo data de cada archivo es su contenido en base64.") from error


operation = OperationGroup("received", "/received").build
OPERATIONS: tuple[Operation, ...] = (
    Operation(
        name="received-add",
        method="POST",
        paths=("/received/documents",),
        endpoint=add,
        summary="Add received or issued documents",
        tag="received",
        answer="AddedDocuments",
        description=f"Files are XML, ZIP or PDF with an attached CFDI, at most {MAX_FILES}, with at most "
        f"{MAX_DOCUMENTS:,} documents. Each document is validated and stored once by its UUID; the XML that the SAT "
        "delivers replaces a differing one. A document is rejected when it cannot be read, has no stamp, or when no "
        "party is an RFC of the account's certificates, or `rfc`; findings of the validation reject none.",
        parameters=(Parameter("rfc", "query", "The party that each document must have, instead of those RFC."),),
        payloads=(Payload("multipart/form-data", "DocumentsUpload"), Payload("application/json", "DocumentsOrder")),
    ),
    operation("links-list", "GET", "/links", list_links, "List the links of suppliers", "SupplierLinkList"),
    operation(
        "links-create",
        "POST",
        "/links",
        create_link,
        "Create a link by which a supplier delivers documents",
        "SupplierLink",
        body="SupplierLinkOrder",
        description="The supplier opens `url` without an account and uploads XML, ZIP or PDF. Accepted are documents "
        f"without errors that are addressed to the account. `days`: from 1 to {MAX_DAYS}, {DEFAULT_DAYS} without it.",
    ),
    operation("links-revoke", "DELETE", "/links/{id}", revoke_link, "Revoke the link of a supplier", "nothing"),
    operation(
        "submissions",
        "GET",
        "/submissions",
        list_submissions,
        "List what suppliers and senders of e-mail sent",
        "SubmissionList",
        description="Newest first, each with what was rejected and why.",
        parameters=(limit_parameter(MAX_SUBMISSIONS),),
    ),
)
