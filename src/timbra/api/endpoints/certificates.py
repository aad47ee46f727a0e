"""The seal certificates of the account, in the shapes that clients know."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from starlette.responses import Response

from timbra.api.exchange import Exchange, json_answer
from timbra.api.members import Members
from timbra.api.operations import Operation, Payload
from timbra.api.wire import success
from timbra.service.certificates import CertificateUpload

P = ParamSpec("P")
T = TypeVar("T")

MAX_BODY_BYTES = 1024 * 1024


async def save(exchange: Exchange) -> Response:
    """Keeps a certificate with its private key."""
    members = Members.read(await exchange.body(MAX_BODY_BYTES), "certificates")
    upload = CertificateUpload(
        kind=members.text("type") or "stamp",
        certificate=members.text("b64Cer"),
        key=members.text("b64Key"),
        password=members.text("password"),
        active=members.flag("is_active", default=True),
    )
    return await _told(exchange.house.certificates.save, exchange.caller, upload)


async def listed(exchange: Exchange) -> Response:
    """All of the account."""
    return await _told(exchange.house.certificates.listed, exchange.caller)


async def by_type(exchange: Exchange) -> Response:
    """Those of one type."""
    return await _told(exchange.house.certificates.by_type, exchange.caller, exchange.parameters["type"])


async def by_rfc(exchange: Exchange) -> Response:
    """Those of one RFC."""
    return await _told(exchange.house.certificates.by_rfc, exchange.caller, exchange.parameters["rfc"])


async def active(exchange: Exchange) -> Response:
    """The active one of an RFC and type."""
    rfc, kind = exchange.parameters["rfc"], exchange.parameters["type"]
    return await _told(exchange.house.certificates.active, exchange.caller, rfc, kind)


async def one(exchange: Exchange) -> Response:
    """One by its number."""
    return await _told(exchange.house.certificates.one, exchange.caller, exchange.parameters["number"])


async def disable(exchange: Exchange) -> Response:
    """The certificate seals no more."""
    return await _told(exchange.house.certificates.disable, exchange.caller, exchange.parameters["number"])


async def _told(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Response:
    """The result of work that reads keys or the database, done off the event loop."""
    return json_answer(success(await asyncio.to_thread(work, *args, **kwargs)))


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
        endpoint=listed,
        summary="List the account's certificates",
        tag="certificates",
        answer="CertificateList",
    ),
    Operation(
        name="certificates-by-type",
        method="GET",
        paths=("/certificates/type/{type}",),
        endpoint=by_type,
        summary="List those of a type",
        tag="certificates",
        answer="CertificateList",
    ),
    Operation(
        name="certificates-by-rfc",
        method="GET",
        paths=("/certificates/rfc/{rfc}",),
        endpoint=by_rfc,
        summary="List those of an RFC",
        tag="certificates",
        answer="CertificateList",
    ),
    Operation(
        name="certificates-active",
        method="GET",
        paths=("/certificates/rfc/{rfc}/{type}",),
        endpoint=active,
        summary="The active one of an RFC and type",
        tag="certificates",
        answer="Certificate",
    ),
    Operation(
        name="certificates-one",
        method="GET",
        paths=("/certificates/{number}",),
        endpoint=one,
        summary="One by its number",
        tag="certificates",
        answer="Certificate",
    ),
    Operation(
        name="certificates-disable",
        method="DELETE",
        paths=("/certificates/{number}",),
        endpoint=disable,
        summary="Disable one; it seals no more",
        tag="certificates",
        answer="Text",
    ),
)
