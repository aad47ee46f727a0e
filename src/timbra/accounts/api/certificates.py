"""The certificates (CSD) of the account."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec

from starlette.responses import Response

from timbra.accounts.administration.certificates import CertificateUpload
from timbra.accounts.services import CertificateServices
from timbra.web.envelopes import success
from timbra.web.framework.operation import Operation, Payload
from timbra.web.framework.request_context import RequestContext, json_response
from timbra.web.parsing.json_fields import JsonFields

P = ParamSpec("P")

MAX_BODY_BYTES = 1024 * 1024


async def save(request: RequestContext, services: CertificateServices) -> Response:
    """Store a certificate with its private key."""
    members = JsonFields.read(await request.body(MAX_BODY_BYTES), "certificates")
    upload = CertificateUpload(
        kind=members.text("type") or "stamp",
        certificate=members.text("b64Cer"),
        key=members.text("b64Key"),
        password=members.password(),
        active=members.flag("is_active", default=True),
    )
    return json_response(success(await request.pools.run_keys(services.certificates.save, request.caller, upload)))


async def list_all(request: RequestContext, services: CertificateServices) -> Response:
    """Answer with all certificates of the account."""
    return await _respond(request, services.certificates.list_all, request.caller)


async def by_type(request: RequestContext, services: CertificateServices) -> Response:
    """Answer with the certificates of one type."""
    return await _respond(request, services.certificates.by_type, request.caller, request.parameters["type"])


async def by_rfc(request: RequestContext, services: CertificateServices) -> Response:
    """Answer with the certificates of one RFC."""
    return await _respond(request, services.certificates.by_rfc, request.caller, request.parameters["rfc"])


async def active(request: RequestContext, services: CertificateServices) -> Response:
    """Answer with the active certificate of an RFC and type."""
    rfc, kind = request.parameters["rfc"], request.parameters["type"]
    return await _respond(request, services.certificates.active, request.caller, rfc, kind)


async def get_by_number(request: RequestContext, services: CertificateServices) -> Response:
    """Answer with the certificate of a number."""
    return await _respond(request, services.certificates.get, request.caller, request.parameters["number"])


async def disable(request: RequestContext, services: CertificateServices) -> Response:
    """Disable a certificate, so that the server does not seal with it."""
    return await _respond(
        request,
        services.certificates.disable,
        request.caller,
        request.parameters["number"],
    )


async def _respond(request: RequestContext, work: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> Response:
    """Answer with the result of work that reads or writes the database."""
    return json_response(success(await request.pools.run_database(work, *args, **kwargs)))


OPERATIONS = (
    Operation(
        name="certificates-save",
        method="POST",
        paths=("/certificates/save",),
        endpoint=save,
        summary="Store a certificate and its private key",
        tag="certificates",
        answer="Text",
        payloads=(Payload("application/json", "CertificateUpload"),),
    ),
    Operation(
        name="certificates-list",
        method="GET",
        paths=("/certificates",),
        endpoint=list_all,
        summary="List the account's certificates",
        tag="certificates",
        answer="CertificateList",
    ),
    Operation(
        name="certificates-by-type",
        method="GET",
        paths=("/certificates/type/{type}",),
        endpoint=by_type,
        summary="List the certificates of a type",
        tag="certificates",
        answer="CertificateList",
    ),
    Operation(
        name="certificates-by-rfc",
        method="GET",
        paths=("/certificates/rfc/{rfc}",),
        endpoint=by_rfc,
        summary="List the certificates of an RFC",
        tag="certificates",
        answer="CertificateList",
    ),
    Operation(
        name="certificates-active",
        method="GET",
        paths=("/certificates/rfc/{rfc}/{type}",),
        endpoint=active,
        summary="Get the active certificate of an RFC and type",
        tag="certificates",
        answer="Certificate",
    ),
    Operation(
        name="certificates-one",
        method="GET",
        paths=("/certificates/{number}",),
        endpoint=get_by_number,
        summary="Get a certificate by its number",
        tag="certificates",
        answer="Certificate",
    ),
    Operation(
        name="certificates-disable",
        method="DELETE",
        paths=("/certificates/{number}",),
        endpoint=disable,
        summary="Disable a certificate; the server does not seal with it",
        tag="certificates",
        answer="Text",
    ),
)
